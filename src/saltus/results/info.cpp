#include "saltus/results/info.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string_view>

#include "saltus/results/checkpoint.h"
#include "saltus/results/event_table.h"
#include "saltus/results/results_file.h"

namespace saltus {
namespace {

using InfoJson = nlohmann::ordered_json;

/// Reverses h5::escaped().
std::string unescaped(std::string_view name) {
  std::string result;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const std::string_view code = name.substr(i, 3);
    const char c = code == "%2F" ? '/' : code == "%2E" ? '.' : code == "%25" ? '%' : '\0';
    result += c != '\0' ? c : name[i];
    if (c != '\0') i += 2;
  }
  return result;
}

/// Content of both forms.
struct Content {
  RunStatistics statistics;
  InfoJson summary;              ///< empty if the run is not finished
  std::int64_t checkpoint = -1;  ///< step; -1: none
  std::vector<double> work;      ///< last row of the ledger [J], one value per work term
  bool substeps = false;         ///< intervals are not one step each
  bool event_state = false;      ///< the run uses event-driven integration
};

/// Entries of the summary; entries of an unexpected type are ignored.
bool is_complete(const Content& content) {
  const auto entry = content.summary.find("complete");
  return entry == content.summary.end() || !entry->is_boolean() || entry->get<bool>();
}
std::string why_stopped(const Content& content) {
  const auto entry = content.summary.find("stopped");
  return entry != content.summary.end() && entry->is_string() ? entry->get<std::string>() : "";
}

Content content_of(const ResultsReader& results) {
  Content content;
  content.statistics = read_statistics(results.hdf5(), results.rows(), event_rows(results.hdf5()));
  const std::vector<std::string>& columns = results.step_names();
  content.substeps = std::ranges::find(columns, "rejected") != columns.end();
  content.event_state = results.has_events();
  content.checkpoint = newest_checkpoint_step(results.hdf5());
  if (results.finished()) {
    content.summary = InfoJson::parse(results.summary(), nullptr, false);
    if (!content.summary.is_object()) content.summary = InfoJson::object();
  }
  for (const std::string& account : results.accounts()) {
    const std::vector<double> column = results.ledger(account);
    content.work.push_back(column.empty() ? 0.0 : column.back());
  }
  return content;
}

[[gnu::format(printf, 2, 3)]] void line(std::string& text, const char* format, ...) {
  char buffer[512];
  std::va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  if (length > 0)
    text.append(buffer, std::min<std::size_t>(static_cast<std::size_t>(length), sizeof buffer - 1));
  text += '\n';
}

void energy_table(std::string& text, const ResultsReader& results, const Content& content) {
  const RunStatistics& s = content.statistics;
  line(text, "energy        %.6g J at the start, %.6g J at the end", s.energy_start,
       s.energy_end.total());
  for (std::size_t i = 0; i < content.work.size(); ++i)
    line(text, "  %-26s %+.6e J", results.accounts()[i].c_str(), content.work[i]);
}

void events_and_steps(std::string& text, const Content& content) {
  const RunStatistics& s = content.statistics;
  if (content.event_state) line(text, "events        %s", s.events_text().c_str());
  if (content.substeps)
    line(text, "integrator    %llu steps, %llu rejected, largest estimated error %.3g (row %llu)%s",
         static_cast<unsigned long long>(s.substeps), static_cast<unsigned long long>(s.rejected),
         s.error.value, static_cast<unsigned long long>(s.error.row),
         content.event_state
             ? (", " + std::to_string(s.evaluations) + " evaluations of the forces").c_str()
             : "");
}

void trust(std::string& text, const RunStatistics& s) {
  line(text, "residual      %.3g as solved (row %llu), %.3g after the step (row %llu)",
       s.residual.value, static_cast<unsigned long long>(s.residual.row), s.residual_after.value,
       static_cast<unsigned long long>(s.residual_after.row));
  line(text, "penetration   %.3g m (row %llu)", s.penetration(),
       static_cast<unsigned long long>(s.gap.row));
  line(text, "unexplained   %.3g J in one step (row %llu)", s.unexplained.value,
       static_cast<unsigned long long>(s.unexplained.row));
  if (s.failed_steps)
    line(text, "not converged %llu steps", static_cast<unsigned long long>(s.failed_steps));
}

}  // namespace

std::string info_text(const ResultsReader& results) {
  const Content content = content_of(results);
  const RunStatistics& s = content.statistics;
  std::string text;
  const std::string title = results.title();
  line(text, "file          %s", results.file().c_str());
  if (!title.empty()) line(text, "title         %s", title.c_str());
  if (!results.finished())
    line(text, "run           not finished, checkpoint %s",
         content.checkpoint < 0 ? "none"
                                : ("at step " + std::to_string(content.checkpoint)).c_str());
  else if (is_complete(content))
    line(text, "run           complete");
  else
    line(text, "run           stopped: %s", why_stopped(content).c_str());
  const std::size_t steps = results.rows() ? results.rows() - 1 : 0;
  line(text, "steps         %zu to %.9g s, %.10g Hz", steps, s.time, results.rate());
  line(text, "frames        %zu", results.frames());
  for (const BodyColumn& body : results.bodies()) {
    std::string mesh;
    if (body.nodes) mesh = ", " + std::to_string(body.nodes) + " nodes";
    for (const auto& [kind, count] : body.cells) mesh += ", " + std::to_string(count) + " " + kind;
    line(text, "body          %s: %s by %s, %zu coordinates%s", unescaped(body.name).c_str(),
         body.kind.c_str(), body.scheme.c_str(), body.positions, mesh.c_str());
  }
  for (const ProbeColumn& probe : results.probes()) {
    const std::string on =
        probe.joint.empty() ? probe.body : "joint " + probe.joint + ", " + probe.coordinate;
    line(text, "probe         %s: %s [%s] of %s%s%s", unescaped(probe.name).c_str(),
         probe.quantity.c_str(), probe.unit.c_str(), on.c_str(), probe.at.empty() ? "" : " at ",
         probe.at.c_str());
  }
  events_and_steps(text, content);
  energy_table(text, results, content);
  trust(text, s);
  for (const auto& [name, value] : results.provenance())
    line(text, "%-13s %s", name.c_str(), value.c_str());
  return text;
}

std::string info_json(const ResultsReader& results) {
  const Content content = content_of(results);
  const RunStatistics& s = content.statistics;
  InfoJson json;
  json["file"] = results.file();
  json["title"] = results.title();
  json["finished"] = results.finished();
  json["complete"] = results.finished() && is_complete(content);
  if (results.finished()) json["stopped"] = why_stopped(content);
  json["checkpoint_step"] = content.checkpoint < 0 ? InfoJson() : InfoJson(content.checkpoint);
  json["steps"] = results.rows() ? results.rows() - 1 : 0;
  json["rate"] = results.rate();
  json["time"] = s.time;
  json["frames"] = results.frames();
  json["bodies"] = InfoJson::array();
  for (const BodyColumn& body : results.bodies()) {
    InfoJson entry{{"name", unescaped(body.name)},
                   {"kind", body.kind},
                   {"scheme", body.scheme},
                   {"positions", body.positions},
                   {"velocities", body.velocities}};
    if (body.nodes) {
      entry["nodes"] = body.nodes;
      for (const auto& [kind, count] : body.cells) entry["cells"][kind] = count;
    }
    json["bodies"].push_back(std::move(entry));
  }
  json["probes"] = InfoJson::array();
  for (const ProbeColumn& probe : results.probes()) {
    InfoJson entry{{"name", unescaped(probe.name)}};
    if (probe.joint.empty()) {
      entry["body"] = probe.body;
    } else {
      entry["joint"] = probe.joint;
      entry["coordinate"] = probe.coordinate;
    }
    entry["quantity"] = probe.quantity;
    entry["unit"] = probe.unit;
    entry["at"] = probe.at;
    entry["rate"] = probe.rate;
    entry["delay"] = probe.delay;
    entry["wav_factor"] = probe.wav_factor;
    json["probes"].push_back(std::move(entry));
  }
  json["energy"] = {{"start", s.energy_start},
                    {"end", s.energy_end.total()},
                    {"kinetic", s.energy_end.kinetic},
                    {"potential", s.energy_end.potential}};
  json["ledger"] = InfoJson::object();
  for (std::size_t i = 0; i < content.work.size(); ++i)
    json["ledger"][results.accounts()[i]] = content.work[i];
  json["residual"] = {{"value", s.residual.value}, {"row", s.residual.row}};
  json["residual_after"] = {{"value", s.residual_after.value}, {"row", s.residual_after.row}};
  // null: no gap was small enough to be measured
  json["gap"] = {{"value", s.gap.value}, {"row", s.gap.row}};
  json["penetration"] = {{"value", s.penetration()}, {"row", s.gap.row}};
  json["unexplained_step"] = {{"value", s.unexplained.value}, {"row", s.unexplained.row}};
  json["failed_steps"] = s.failed_steps;
  if (content.substeps) {
    json["substeps"] = s.substeps;
    json["rejected"] = s.rejected;
    json["error"] = {{"value", s.error.value}, {"row", s.error.row}};
    json["evaluations"] = s.evaluations;
  }
  if (content.event_state) {
    json["events"] = InfoJson::object();
    for (std::size_t k = 0; k < kEventKinds; ++k)
      json["events"][name_of(static_cast<Event::Kind>(k))] = s.events[k];
  }
  json["provenance"] = InfoJson::object();
  for (const auto& [name, value] : results.provenance()) json["provenance"][name] = value;
  return json.dump(1, ' ', false, InfoJson::error_handler_t::replace);
}

}  // namespace saltus
