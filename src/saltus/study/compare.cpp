#include "saltus/study/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "saltus/results/layout.h"
#include "saltus/results/results_file.h"

namespace saltus {
namespace {

constexpr std::size_t kRowsRead = 1024;  // read at a time

bool is_numeric(const h5::Dataset& data) {
  const h5::Extent::Kind kind = data.extent().kind;
  return kind == h5::Extent::Kind::integer || kind == h5::Extent::Kind::real;
}

/// Names of all tables below a group, "bodies/ball/q", including links to other places.
void list_tables(const h5::Group& group, const std::string& path, std::vector<std::string>& list) {
  for (const std::string& name : group.names()) {
    const std::string full = path.empty() ? name : path + "/" + name;
    if (group.is_group(name))
      list_tables(group.group(name), full, list);
    else if (is_numeric(group.dataset(name)))
      list.push_back(full);
  }
}

std::vector<std::string> tables_of(const h5::File& file) {
  std::vector<std::string> list;
  for (const char* name : {"step", "ledger", "probes", "frames", "bodies", "joints", "contacts",
                           "step_contacts", "events"})
    if (file.has(name)) list_tables(file.group(name), name, list);
  return list;
}

/// |a - b|; 0 if both are NaN, infinity if only one is.
double distance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0.0;
  const double d = std::abs(a - b);
  return std::isnan(d) ? std::numeric_limits<double>::infinity() : d;
}

/// Whether the numbers are identifiers. Keys have more digits than a double holds.
bool holds_names(const std::string& table) {
  return table.ends_with("/key") || table == "events/kind";
}
bool same_names(const h5::Dataset& a, const h5::Dataset& b) { return a.counts() == b.counts(); }

TableDifference difference(const h5::Dataset& a, const h5::Dataset& b, const std::string& table,
                           double tolerance) {
  TableDifference found;
  found.table = table;
  found.rows_a = a.rows();
  found.rows_b = b.rows();
  const std::size_t columns = found.columns_a = a.columns();
  found.columns_b = b.columns();
  found.differs = found.rows_a != found.rows_b || columns != found.columns_b;
  if (columns != found.columns_b) return found;
  const std::size_t rows = std::min(found.rows_a, found.rows_b);
  bool bits = false;
  for (std::size_t first = 0; first < rows; first += kRowsRead) {
    const std::size_t count = std::min(kRowsRead, rows - first);
    const std::vector<double> x = a.reals(first, count), y = b.reals(first, count);
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (std::isfinite(x[i])) found.scale = std::max(found.scale, std::abs(x[i]));
      const double d = distance(x[i], y[i]);
      bits = bits || d > 0.0 || std::signbit(x[i]) != std::signbit(y[i]);
      if (d <= found.largest) continue;
      found.largest = d;
      found.row = first + i / columns;
      found.column = i % columns;
    }
  }
  if (holds_names(table)) {
    found.differs = found.differs || !same_names(a, b);
    return found;
  }
  found.differs =
      found.differs || (tolerance == 0.0 ? bits : !(found.largest <= tolerance * found.scale));
  return found;
}

std::string where(const TableDifference& table) {
  return fmt::format("row {}, column {}", table.row, table.column);
}

}  // namespace

bool Comparison::differs() const {
  return !only_a.empty() || !only_b.empty() ||
         std::ranges::any_of(tables, &TableDifference::differs);
}

Comparison compare_results(const ResultsReader& a, const ResultsReader& b, double tolerance) {
  Comparison comparison;
  comparison.same_scene = same_scene(a.resolved(), b.resolved());
  const ResultsReader* reading = &a;
  try {
    const std::vector<std::string> of_a = tables_of(a.hdf5());
    reading = &b;
    const std::vector<std::string> of_b = tables_of(b.hdf5());
    for (const std::string& table : of_b)
      if (std::ranges::find(of_a, table) == of_a.end()) comparison.only_b.push_back(table);
    for (const std::string& table : of_a) {
      if (std::ranges::find(of_b, table) == of_b.end())
        comparison.only_a.push_back(table);
      else
        comparison.tables.push_back(
            difference(a.hdf5().dataset(table), b.hdf5().dataset(table), table, tolerance));
    }
  } catch (const h5::Error& error) {
    const std::string what = error.what();  // starts with the name of the file
    layout::damaged(what.starts_with(a.file() + ":") ? a.file() : reading->file(), error);
  }
  return comparison;
}

std::string comparison_text(const Comparison& comparison, const ResultsReader& a,
                            const ResultsReader& b) {
  std::string text;
  if (!comparison.same_scene) text += "the scenes differ\n";
  for (const auto& [tables, reader] :
       {std::pair{&comparison.only_a, &a}, std::pair{&comparison.only_b, &b}})
    for (const std::string& table : *tables)
      text += fmt::format("{:<32} only in {}\n", table, reader->file());
  std::size_t differ = 0;
  for (const TableDifference& table : comparison.tables) {
    if (!table.differs) continue;
    ++differ;
    text += fmt::format("{:<32} ", table.table);
    if (table.rows_a != table.rows_b)
      text += fmt::format("{} and {} rows; ", table.rows_a, table.rows_b);
    if (table.columns_a != table.columns_b) {
      text += fmt::format("{} and {} columns\n", table.columns_a, table.columns_b);
      continue;
    }
    text += table.largest > 0.0 ? fmt::format("{:.3e} ({:.2e} of the largest value) at {}\n",
                                              table.largest, table.relative(), where(table))
                                : std::string("equal in all common rows\n");
  }
  text += fmt::format("{} tables compared, {}\n", comparison.tables.size(),
                      differ ? fmt::format("{} differ", differ) : "none differs");
  return text;
}

std::string comparison_json(const Comparison& comparison, const ResultsReader& a,
                            const ResultsReader& b) {
  using CompareJson = nlohmann::ordered_json;
  CompareJson json{{"a", a.file()},
                   {"b", b.file()},
                   {"differs", comparison.differs()},
                   {"same_scene", comparison.same_scene},
                   {"only_a", comparison.only_a},
                   {"only_b", comparison.only_b},
                   {"tables", CompareJson::array()}};
  for (const TableDifference& table : comparison.tables)
    json["tables"].push_back({{"table", table.table},
                              {"rows", {table.rows_a, table.rows_b}},
                              {"columns", {table.columns_a, table.columns_b}},
                              {"largest", table.largest},
                              {"relative", table.relative()},
                              {"row", table.row},
                              {"column", table.column},
                              {"differs", table.differs}});
  return json.dump(1, ' ', false, CompareJson::error_handler_t::replace);
}

}  // namespace saltus
