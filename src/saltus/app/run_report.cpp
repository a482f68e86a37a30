#include "saltus/app/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "saltus/app/terminal.h"
#include "saltus/results/checkpoint.h"
#include "saltus/study/run_warnings.h"

namespace saltus::app {
namespace {

/// Rows of "name  text".
class Table {
 public:
  template <typename... T>
  void row(std::string_view name, fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(text_), "{:<15} ", name);
    fmt::format_to(std::back_inserter(text_), format, std::forward<T>(values)...);
    text_ += '\n';
  }
  void energy(std::string_view name, double joule, double start) {
    if (start > 0.0)
      row(name, "{:>+14.6e} J {:>+11.4g} %", joule, 100.0 * joule / start);
    else
      row(name, "{:>+14.6e} J", joule);
  }
  std::string& text() { return text_; }

 private:
  std::string text_;
};

double mean_step(const LoopReport& loop) {
  return loop.last > loop.first ? loop.stepping / static_cast<double>(loop.last - loop.first) : 0.0;
}

/// Simulated time per wall time of this run; above 1 it is faster than real time.
double real_time_factor(const RunResult& r) {
  const double simulated =
      static_cast<double>(r.loop.last - r.loop.first) * r.setup->model.options().h;
  return r.loop.wall > 0.0 ? simulated / r.loop.wall : 0.0;
}

void energy_rows(Table& table, const RunResult& r) {
  const State& state = r.state;
  const double start = r.energy_start;
  double largest = std::abs(state.energy.total());
  for (const auto& [account, work] : r.work) largest = std::max(largest, std::abs(work));
  const double whole = start > 1e-9 * largest ? start : 0.0;  // ignore round-off
  table.text() += "energy\n";
  table.energy("  start", start, whole);
  for (const auto& [account, work] : r.work) table.energy("  " + account, work, whole);
  table.energy("  end", state.energy.total(), whole);
}

/// The unit is "m or rad" if there are stops on angles.
const char* gap_unit(const Model& model) {
  return std::ranges::any_of(model.joint_laws(),
                             [&](const JointLaw& law) {
                               const auto joint = static_cast<std::size_t>(law.joint);
                               return !model.law(law.law).bilateral() &&
                                      is_angle(model.joints()[joint].kind, law.coordinate);
                             })
             ? "m or rad"
             : "m";
}

/// The broken joints in the order in which they broke, one line each, up to a limit.
void broken_rows(Table& table, const RunResult& r) {
  constexpr std::size_t kMostBroken = 6;
  const std::vector<BrokenJoint>& broken = r.state.broken;
  for (std::size_t i = 0; i < broken.size(); ++i) {
    const char* const name = i == 0 ? "broken" : "";
    if (i + 1 == kMostBroken && broken.size() > kMostBroken) {
      table.row(name, "and {} more: broken_at of /joints in the results", broken.size() - i);
      return;
    }
    const Joint& joint = r.setup->model.joints()[static_cast<std::size_t>(broken[i].joint)];
    table.row(name, "'{}' at t = {:.6g} s, pulled by {:.4g} N (strength {:.4g} N)", joint.name,
              broken[i].t, broken[i].pull, joint.strength);
  }
}

void contact_rows(Table& table, const RunResult& r) {
  const RunStatistics& s = r.loop.statistics;
  const SceneSetup& setup = *r.setup;
  if (!setup.model.joints().empty())
    table.row("joints", "{}, violated by at most {:.3g} m or rad (t = {:.6g} s)",
              setup.model.joints().size(), s.joint_gap.value, time_of(s.joint_gap, setup));
  broken_rows(table, r);
  const std::size_t points = setup.model.pairs().size();
  const Surfaces& surfaces = setup.model.surfaces();
  const bool shapes = !surfaces.colliders.empty() || !surfaces.boundaries.empty();
  const bool laws = points > 0 || shapes || !setup.model.joint_laws().empty();
  if (points == 0 && !shapes)
    table.row("contacts", "none in the scene");
  else if (shapes)
    table.row("contacts", "{} steps with contact, at most {:g} points at once", s.contact_steps,
              s.contacts.value);
  else
    table.row("contacts", "{} steps with contact, at most {:g} of {} points at once",
              s.contact_steps, s.contacts.value, points);
  if (!laws) return;
  const bool inside = s.penetration() > 0.0;
  if (std::isfinite(s.gap.value))  // laws without gaps have none
    table.row("penetration", "{}{:.3g} {} at t = {:.6g} s", inside ? "" : "none, smallest gap ",
              std::abs(s.gap.value), gap_unit(setup.model), time_of(s.gap, setup));
  table.row("residual", "{:.3g} as solved (t = {:.6g} s), {:.3g} after the step (t = {:.6g} s)",
            s.residual.value, time_of(s.residual, setup), s.residual_after.value,
            time_of(s.residual_after, setup));
  if (setup.model.options().heap && !setup.scene.spec.solver.tolerance)
    table.row("tolerance", "{:g}, default for {}; set solver.tolerance to change it",
              setup.model.options().contact.tolerance,
              setup.model.options().soft ? "soft bodies" : "heaps");
  if (const std::string gaining = what_opens(setup.model);
      r.loop.gain.matters(r.state.ledger) && !gaining.empty())
    table.row("energy gain",
              "{:.3g} J from {}, largest in the step to t = {:.6g} s: see the warning",
              r.loop.gain.fed(), gaining, time_of(r.loop.gain.worst, setup));
}

/// Events located by event-driven integration, and statistics of the integrator.
void lane_rows(Table& table, const RunResult& r) {
  const RunStatistics& s = r.loop.statistics;
  const StepOptions& options = r.setup->model.options();
  const bool events = options.mode == TimeMode::events;
  if (events) table.row("events", "{}", s.events_text());
  if (options.mode == TimeMode::statics)
    return table.row("increments", "{}, {} rejected, {} factorisations of stiffness matrices",
                     s.substeps, s.rejected, s.evaluations);
  if (!events && !(options.step_tolerance > 0.0)) return;
  table.row("integrator", "{} steps, {} rejected, largest estimated error {:.3g} (t = {:.6g} s){}",
            s.substeps, s.rejected, s.error.value, time_of(s.error, *r.setup),
            events ? fmt::format(", {} evaluations of the forces", s.evaluations) : "");
}

nlohmann::ordered_json extreme_json(const Extreme& extreme, const SceneSetup& setup) {
  return {{"value", extreme.value}, {"step", extreme.row}, {"time", time_of(extreme, setup)}};
}

}  // namespace

std::string run_table(const RunResult& r) {
  const LoopReport& loop = r.loop;
  const std::uint64_t done = loop.last - loop.first;
  Table table;
  if (!r.setup->scene.spec.title.empty()) table.text() += r.setup->scene.spec.title + "\n";
  if (r.resumed)
    table.row("steps", "{} ({} of them now: resumed at step {})", loop.last, done, loop.first);
  else
    table.row("steps", "{}", loop.last);
  lane_rows(table, r);
  if (r.choice) table.text() += auto_text(*r.choice);
  if (done > 0) {
    table.row("time", "{:.9g} s simulated, this run took {}: {:.3g} x real time", r.state.t,
              duration_text(loop.wall), real_time_factor(r));
    table.row("cost of a step", "{:.4g} us on average, {:.4g} us at worst (step {})",
              1e6 * mean_step(loop), 1e6 * loop.worst, loop.worst_step);
  } else {
    table.row("time", "{:.9g} s simulated, no steps remained", r.state.t);
  }
  if (r.setup->model.options().mode != TimeMode::statics) energy_rows(table, r);
  contact_rows(table, r);
  table.row("failed steps", "{} not converged, {} made in parts", loop.statistics.failed_steps,
            loop.halved);
  table.row("state hash", "{}", state_hash(r.state));
  for (std::size_t i = 0; i < r.files.size(); ++i) {
    std::string note;
    for (const WavReport& sound : r.sounds)
      if (sound.path == r.files[i])
        note = sound.factor > 0.0
                   ? fmt::format("  ({} Hz, samples x {:.4g})", sound.rate.rate, sound.factor)
                   : fmt::format("  ({} Hz, silent)", sound.rate.rate);
    table.row(i == 0 ? "written" : "", "{}{}", r.files[i], note);
  }
  return std::move(table.text());
}

std::string run_json(const RunResult& r) {
  const LoopReport& loop = r.loop;
  const RunStatistics& s = loop.statistics;
  const SceneSetup& setup = *r.setup;
  nlohmann::ordered_json json;
  json["scene"] = setup.scene.file;
  json["title"] = setup.scene.spec.title;
  json["complete"] = r.stopped.empty();
  json["stopped"] = r.stopped;
  json["steps"] = loop.last;
  json["resumed_at"] = r.resumed ? nlohmann::ordered_json(loop.first) : nlohmann::ordered_json();
  json["steps_now"] = loop.last - loop.first;
  json["time"] = r.state.t;
  json["wall_time"] = loop.wall;
  json["real_time_factor"] = real_time_factor(r);
  json["step_cost"] = {
      {"mean", mean_step(loop)}, {"worst", loop.worst}, {"worst_step", loop.worst_step}};
  json["energy"] = {{"start", r.energy_start},
                    {"end", r.state.energy.total()},
                    {"kinetic", r.state.energy.kinetic},
                    {"potential", r.state.energy.potential}};
  json["ledger"] = nlohmann::ordered_json::object();
  for (const auto& [account, work] : r.work) json["ledger"][account] = work;
  json["contacts"] = {{"points", setup.model.pairs().size()},
                      {"steps", s.contact_steps},
                      {"most", s.contacts.value}};
  json["penetration"] = {
      {"value", s.penetration()}, {"step", s.gap.row}, {"time", time_of(s.gap, setup)}};
  json["joint_gap"] = extreme_json(s.joint_gap, setup);
  json["broken_joints"] = nlohmann::ordered_json::array();
  for (const BrokenJoint& one : r.state.broken) {
    const Joint& joint = setup.model.joints()[static_cast<std::size_t>(one.joint)];
    json["broken_joints"].push_back(
        {{"name", joint.name}, {"time", one.t}, {"pull", one.pull}, {"strength", joint.strength}});
  }
  json["gap"] = extreme_json(s.gap, setup);  // null: no gap was small enough to be measured
  json["residual"] = extreme_json(s.residual, setup);
  json["contact_tolerance"] = setup.model.options().contact.tolerance;
  json["residual_after"] = extreme_json(s.residual_after, setup);
  json["contact_gain"] = extreme_json(loop.gain.worst, setup);
  json["contact_gain"]["steps"] = loop.gain.steps;
  json["contact_gain"]["fed"] = loop.gain.fed();
  json["failed_steps"] = s.failed_steps;
  json["halved_steps"] = loop.halved;
  json["state_hash"] = state_hash(r.state);
  if (const StepOptions& options = setup.model.options();
      options.mode != TimeMode::stepping || options.step_tolerance > 0.0) {
    json["substeps"] = s.substeps;
    json["rejected"] = s.rejected;
    json["error"] = extreme_json(s.error, setup);
    json[options.mode == TimeMode::statics ? "factorisations" : "evaluations"] = s.evaluations;
  }
  if (setup.model.options().mode == TimeMode::events) {
    json["events"] = nlohmann::ordered_json::object();
    for (std::size_t k = 0; k < kEventKinds; ++k)
      json["events"][name_of(static_cast<Event::Kind>(k))] = s.events[k];
  }
  if (r.choice) json["auto"] = nlohmann::ordered_json::parse(auto_json(*r.choice));
  json["warnings"] = r.warnings;
  json["files"] = r.files;
  return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace saltus::app
