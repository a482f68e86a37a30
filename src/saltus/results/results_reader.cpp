#include "saltus/results/results_reader.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "saltus/results/event_table.h"
#include "saltus/results/layout.h"
#include "saltus/results/mesh_table.h"

namespace saltus {
namespace {

std::vector<ProbeColumn> read_probes(const h5::File& file) {
  std::vector<ProbeColumn> probes;
  const h5::Group group = file.group("probes");
  for (const std::string& name : layout::in_order(group)) {
    const h5::Dataset data = group.dataset(name);
    ProbeColumn& probe = probes.emplace_back();
    probe.name = name;
    if (data.has_attribute("joint")) {
      probe.joint = data.text("joint");
      probe.coordinate = data.text("coordinate");
    } else {
      probe.body = data.text("body");
    }
    probe.quantity = data.text("quantity");
    probe.unit = data.text("unit");
    probe.at = data.text("at");
    probe.rate = data.real("rate");
    probe.delay = data.real("delay");
    probe.gain = data.real("gain");
    if (data.has_attribute("wav_factor")) probe.wav_factor = data.real("wav_factor");
  }
  return probes;
}

std::vector<BodyColumn> read_bodies(const h5::File& file) {
  std::vector<BodyColumn> bodies;
  const h5::Group group = file.group("bodies");
  for (const std::string& name : layout::in_order(group)) {
    const h5::Group member = group.group(name);
    bodies.push_back({name,
                      member.text("kind"),
                      member.text("scheme"),
                      static_cast<std::size_t>(member.integer("positions")),
                      static_cast<std::size_t>(member.integer("velocities")),
                      0,
                      {}});
    if (!has_mesh(member)) continue;
    BodyColumn& body = bodies.back();
    body.nodes = member.dataset("nodes").rows();
    const h5::Group cells = member.group("cells");
    for (const std::string& table : layout::in_order(cells)) {
      const std::string kind = cells.dataset(table).text("kind");
      const std::size_t count = cells.dataset(table).rows();
      const auto known = std::find_if(body.cells.begin(), body.cells.end(),
                                      [&](const auto& entry) { return entry.first == kind; });
      if (known == body.cells.end())
        body.cells.emplace_back(kind, count);
      else
        known->second += count;
    }
  }
  return bodies;
}

/// For a modal body.
std::vector<double> node_motion(const h5::Group& body, const std::vector<double>& numbers) {
  return by_shapes(read_shapes(body), static_cast<std::size_t>(body.integer("positions")), numbers);
}

}  // namespace

ResultsReader::ResultsReader(const std::string& file) : file_(file) {
  for (int attempt = 1;; ++attempt) try {
      hdf5_ = layout::open_now(file);
      read();
      return;
    } catch (const h5::Changed&) {  // a run has flushed meanwhile
      layout::pause(attempt);
    } catch (const h5::Error& error) {
      layout::damaged(file, error);
    }
}

void ResultsReader::read() {
  finished_ = hdf5_.has("summary");
  rate_ = hdf5_.real("rate");
  step_names_.clear();
  for (const layout::StepColumn& column : layout::kStep) step_names_.emplace_back(column.name);
  for (const layout::StepColumn& column : layout::kSubsteps)
    if (hdf5_.has(std::string("step/") + column.name)) step_names_.emplace_back(column.name);
  accounts_ = layout::in_order(hdf5_.group("ledger"));
  probes_ = read_probes(hdf5_);
  bodies_ = read_bodies(hdf5_);
  const auto plain = [&](const std::string& name) {
    const h5::Dataset data = hdf5_.dataset(name);
    data.expect_columns(1);
    return data.rows();
  };
  rows_ = plain("step/time");
  frames_ = plain("frames/time");
  // If a run was killed while writing, columns may have different lengths: use the rows present in
  // all of them.
  for (const std::string& name : step_names_) rows_ = std::min(rows_, plain("step/" + name));
  for (const std::string& name : accounts_) rows_ = std::min(rows_, plain("ledger/" + name));
  for (const ProbeColumn& probe : probes_) rows_ = std::min(rows_, plain("probes/" + probe.name));
}

std::string ResultsReader::title() const {
  const auto json = nlohmann::json::parse(resolved(), nullptr, false);
  return json.is_object() && json.contains("title") && json["title"].is_string()
             ? json["title"].get<std::string>()
             : "";
}

std::string ResultsReader::scene() const { return hdf5_.dataset("scene").text(); }

std::string ResultsReader::resolved() const { return hdf5_.dataset("resolved").text(); }

std::vector<std::string> ResultsReader::fixed_bodies() const {
  const h5::Group contacts = hdf5_.group("contacts");
  if (!contacts.has("fixed")) return {};  // no fixed bodies, or an older file
  return nlohmann::json::parse(contacts.dataset("fixed").text());
}

std::string ResultsReader::summary() const {
  return finished_ ? hdf5_.dataset("summary").text() : "";
}

std::string ResultsReader::step_unit(const std::string& name) const {
  return hdf5_.dataset("step/" + name).text("unit");
}

std::vector<double> ResultsReader::step(const std::string& name) const {
  return hdf5_.dataset("step/" + name).reals(0, rows_);
}

std::vector<double> ResultsReader::ledger(const std::string& account) const {
  return hdf5_.dataset("ledger/" + account).reals(0, rows_);
}

std::vector<double> ResultsReader::probe(const std::string& name) const {
  return hdf5_.dataset("probes/" + name).reals(0, rows_);
}

bool ResultsReader::has_events() const { return hdf5_.has("events"); }

std::vector<Event> ResultsReader::events() const { return read_events(hdf5_, event_rows(hdf5_)); }

std::vector<double> ResultsReader::frame_times() const {
  return hdf5_.dataset("frames/time").reals(0, frames_);
}

std::vector<double> ResultsReader::body(const std::string& name, const std::string& what,
                                        std::size_t first, std::size_t count) const {
  const std::string path = "bodies/" + name + "/" + what;
  if (what == "displacement" && !hdf5_.has(path) && has(name, "shapes"))
    return node_motion(hdf5_.group("bodies/" + name), body(name, "q", first, count));
  return hdf5_.has(path) ? hdf5_.dataset(path).reals(first, count) : std::vector<double>();
}

bool ResultsReader::has(const std::string& name, const std::string& what) const {
  return hdf5_.has("bodies/" + name + "/" + what);
}

Mesh ResultsReader::mesh(const std::string& name) const {
  try {
    return read_mesh(hdf5_.group("bodies/" + name));
  } catch (const h5::Error& error) {
    layout::damaged(file_, error);
  }
}

std::vector<double> ResultsReader::node_velocity(const std::string& name, std::size_t first,
                                                 std::size_t count) const {
  if (has(name, "shapes"))
    return node_motion(hdf5_.group("bodies/" + name), body(name, "velocity", first, count));
  const std::vector<std::int32_t> dof = hdf5_.dataset("bodies/" + name + "/dof").integers();
  const std::vector<double> free = body(name, "velocity", first, count),
                            given = body(name, "other_velocity", first, count);
  const std::size_t frees = count ? free.size() / count : 0,
                    givens = count ? given.size() / count : 0;
  std::vector<double> all(count * dof.size(), 0.0);
  for (std::size_t i = 0; i < dof.size(); ++i) {
    const auto column = static_cast<std::size_t>(dof[i] >= 0 ? dof[i] : -2 - dof[i]);
    if (dof[i] == -1) continue;
    if (column >= (dof[i] >= 0 ? frees : givens))
      layout::damaged(file_, "dof of " + name + " refers to a missing column");
    for (std::size_t k = 0; k < count; ++k)
      all[k * dof.size() + i] = dof[i] >= 0 ? free[k * frees + column] : given[k * givens + column];
  }
  return all;
}

std::vector<std::pair<std::string, std::string>> ResultsReader::provenance() const {
  std::vector<std::pair<std::string, std::string>> result;
  const h5::Group group = hdf5_.group("provenance");
  for (const char* name :
       {"version", "commit", "compiler", "flags", "command_line", "cpu", "start_time"})
    result.emplace_back(name, group.text(name));
  if (group.has_attribute("threads"))  // not in older files
    result.emplace_back("threads", std::to_string(group.integer("threads")));
  result.emplace_back("resumed", std::to_string(group.integer("resumed")));
  return result;
}

}  // namespace saltus
