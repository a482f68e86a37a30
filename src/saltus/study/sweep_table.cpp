#include "saltus/study/sweep_table.h"

#include <algorithm>
#include <charconv>

#include "saltus/base/error.h"

namespace saltus {
namespace {

/// Cells of one line.
class Line {
 public:
  void text(std::string_view cell) {
    if (!first_) line_ += ',';
    first_ = false;
    line_ += csv_cell(cell);
  }
  void count(std::uint64_t value) { text(std::to_string(value)); }
  void number(double value) {  // independent of the locale, unlike printf
    char buffer[32];
    const auto end =
        std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, 17).ptr;
    text({buffer, end});
  }
  void empty(std::size_t cells) {
    for (std::size_t i = 0; i < cells; ++i) text("");
  }
  const std::string& end() {
    line_ += '\n';
    return line_;
  }
  void clear() {
    line_.clear();
    first_ = true;
  }

 private:
  std::string line_;
  bool first_ = true;
};

std::string with_unit(const std::string& name, std::string_view unit) {
  return unit.empty() ? name : name + " [" + std::string(unit) + "]";
}

struct Column {
  std::string name, unit;
  void (*put)(const SweepRow& row, Line& line);
};

/// Columns that every run has.
const std::vector<Column>& columns() {
  using R = const SweepRow&;
  static const std::vector<Column> table{
      {"steps", "", [](R row, Line& line) { line.count(row.steps); }},
      {"t_end", "s", [](R row, Line& line) { line.number(row.t_end); }},
      {"kinetic_start", "J", [](R row, Line& line) { line.number(row.start.kinetic); }},
      {"potential_start", "J", [](R row, Line& line) { line.number(row.start.potential); }},
      {"kinetic_end", "J", [](R row, Line& line) { line.number(row.end.kinetic); }},
      {"potential_end", "J", [](R row, Line& line) { line.number(row.end.potential); }},
      {"unexplained_step", "J", [](R row, Line& line) { line.number(row.unexplained); }},
      {"residual", "", [](R row, Line& line) { line.number(row.residual); }},
      {"residual_after", "", [](R row, Line& line) { line.number(row.residual_after); }},
      {"penetration", "m", [](R row, Line& line) { line.number(row.penetration); }},
      {"impulse", "N s", [](R row, Line& line) { line.number(row.impulse); }},
      {"passes", "", [](R row, Line& line) { line.count(static_cast<unsigned>(row.passes)); }},
      {"contact_steps", "", [](R row, Line& line) { line.count(row.contact_steps); }},
      {"failed_steps", "", [](R row, Line& line) { line.count(row.failed_steps); }},
      {"halved_steps", "", [](R row, Line& line) { line.count(row.halved_steps); }},
  };
  return table;
}

/// Identifies an entry of a run by its name, and by its number among entries of the same name.
struct Key {
  std::string name, unit;
  std::size_t which = 0;
  bool operator==(const Key&) const = default;
};

template <typename Entries>
std::vector<Key> keys_of(const Entries& entries) {
  std::vector<Key> keys;
  for (const auto& entry : entries) {
    Key key{entry.name, "", 0};
    if constexpr (requires { entry.unit; }) key.unit = entry.unit;
    while (std::find(keys.begin(), keys.end(), key) != keys.end()) ++key.which;
    keys.push_back(key);
  }
  return keys;
}

/// All names in `member` of the rows, in the order of their first occurrence.
template <typename Entries>
std::vector<Key> all_keys(std::span<const SweepRow> rows, Entries SweepRow::*member) {
  std::vector<Key> all;
  for (const SweepRow& row : rows)
    for (const Key& key : keys_of(row.*member))
      if (std::find(all.begin(), all.end(), key) == all.end()) all.push_back(key);
  return all;
}

/// Calls put(entry or null) for each key in `all`.
template <typename Entries, typename Put>
void put_entries(const std::vector<Key>& all, const Entries& entries, Put&& put) {
  const std::vector<Key> own = keys_of(entries);
  for (const Key& key : all) {
    const auto found = std::find(own.begin(), own.end(), key);
    put(found == own.end() ? nullptr : &entries[static_cast<std::size_t>(found - own.begin())]);
  }
}

std::string title(const char* group, const Key& key, const char* what) {
  const std::string number = key.which > 0 ? "-" + std::to_string(key.which + 1) : "";
  return with_unit(std::string(group) + key.name + number + what, key.unit);
}

constexpr std::array kProbe{
    std::pair{".last", &ProbeSummary::last}, std::pair{".min", &ProbeSummary::min},
    std::pair{".max", &ProbeSummary::max}, std::pair{".rms", &ProbeSummary::rms}};

class Table {
 public:
  Table(const SweepPlan& plan, std::span<const SweepRow> rows, bool times)
      : plan_(plan),
        accounts_(all_keys(rows, &SweepRow::ledger)),
        probes_(all_keys(rows, &SweepRow::probes)),
        times_(times) {}

  const std::string& header() {
    line_.clear();
    line_.text("run");
    for (const SweepAxis& axis : plan_.axes()) line_.text(with_unit(axis.path, axis.unit));
    for (const char* name : {"status", "reason", "warnings"}) line_.text(name);
    for (const Column& column : columns()) line_.text(with_unit(column.name, column.unit));
    for (const Key& key : accounts_) line_.text(title("ledger.", key, " [J]"));
    for (const Key& key : probes_)
      for (const auto& [what, member] : kProbe) line_.text(title("probe.", key, what));
    if (times_) line_.text("wall_time [s]");
    return line_.end();
  }

  const std::string& row(std::uint64_t run, const SweepRow& row) {
    line_.clear();
    line_.count(run);
    for (std::size_t axis = 0; axis < plan_.axes().size(); ++axis)
      line_.text(plan_.value(run, axis));
    line_.text(name_of(row.status));
    line_.text(row.reason);
    line_.text(row.warnings);
    if (row.started)
      for (const Column& column : columns()) column.put(row, line_);
    else
      line_.empty(columns().size());
    put_entries(accounts_, row.ledger, [&](const AccountTotal* account) {
      account ? line_.number(account->work) : line_.empty(1);
    });
    put_entries(probes_, row.probes, [&](const ProbeSummary* probe) {
      for (const auto& [what, member] : kProbe)
        probe ? line_.number(probe->*member) : line_.empty(1);
    });
    if (times_) line_.number(row.wall);
    return line_.end();
  }

 private:
  const SweepPlan& plan_;
  std::vector<Key> accounts_, probes_;
  bool times_;
  Line line_;
};

}  // namespace

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

void write_sweep(OutputFile& file, const SweepPlan& plan, std::span<const SweepRow> rows,
                 bool times) {
  expects(rows.size() == plan.runs(), "write_sweep: one row for each run of the plan");
  Table table(plan, rows, times);
  file.write(table.header());
  for (std::size_t run = 0; run < rows.size(); ++run)
    if (rows[run].status != SweepRow::Status::none) file.write(table.row(run, rows[run]));
}

}  // namespace saltus
