#include "saltus/study/scene_sensitivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "saltus/phases/build_run.h"
#include "saltus/scene_file/renamed_keys.h"
#include "saltus/scene_file/scene_write.h"
#include "saltus/scene_file/scene_yaml.h"
#include "saltus/sim/simulation.h"

namespace saltus {
namespace {

/// Increment for a number that is 0, whose magnitude is unknown [SI].
constexpr double kDeltaOfZero = 1e-5;
constexpr double kDeltaShare = 1e-4;
constexpr std::array<std::string_view, 6> kOfTheRun{"time.",   "events.",  "contact.",
                                                    "solver.", "results.", "joint."};

[[noreturn]] void refuse_entry(const Scene& scene, const char* list, std::size_t i,
                               std::string message, std::string hint) {
  rethrow_placed(
      SceneError(fmt::format("sensitivities.{}[{}]", list, i), std::move(message), std::move(hint)),
      scene);
}

/// Converts "bodies[0].law.restitution" to a pointer into the JSON of the resolved scene,
/// "/bodies/0/law/restitution".
std::string pointer_of(std::string_view path) {
  std::string pointer;
  bool fresh = true;
  for (const char c : path) {
    if (c == '.' || c == '[') {
      fresh = true;
    } else if (c != ']') {
      if (fresh) pointer += '/';
      fresh = false;
      pointer += c;
    }
  }
  return pointer;
}

/// The number at a path of the resolved scene; empty if there is none.
std::optional<double> number_at(const nlohmann::json& resolved, std::string_view path) {
  try {
    const nlohmann::json& found = resolved.at(nlohmann::json::json_pointer(pointer_of(path)));
    if (found.is_number()) return found.get<double>();
  } catch (const nlohmann::json::exception&) {
  }
  return std::nullopt;
}

/// The model of the scene with another number at `path`.
Model model_with(const Scene& scene, const std::string& resolved, const std::string& path,
                 double x) {
  const std::string assignment = fmt::format("{}={}", path, x);
  return build_run(read_scene_text(resolved, scene.file, {&assignment, 1}, scene.folder));
}

/// Values of probes in the final state of a run, with other positions and velocities.
Vector probes_at(const Model& model, const std::vector<int>& probes, const State& end,
                 const std::vector<GroupState>& groups) {
  State state = end;
  state.groups = groups;
  const Simulation sim(model, std::move(state));
  Vector y(std::ssize(probes));
  for (std::size_t i = 0; i < probes.size(); ++i)
    y[static_cast<Eigen::Index>(i)] = sim.probe(probes[i]);
  return y;
}

/// dy/dp = y_q w + y_v v + y_p. y_q w uses a difference quotient of order 4 with increments of
/// 1e-3 rad and m; y_v v, in which probes are linear, uses one of order 2.
class ProbeDifference {
 public:
  ProbeDifference(const Model& model, std::vector<int> probes, const Sensitivity& states)
      : model_(model), probes_(std::move(probes)), groups_(states.end), end_(initial_state(model)) {
    end_.t = states.t;
    end_.event_state.active = true;
  }
  Vector values(const Model& model) const { return probes_at(model, probes_, end_, groups_); }
  Vector along(const Vector& s) const {
    const Eigen::Index n = s.size() / 2;
    const Vector w = s.head(n), v = s.tail(n), none = Vector::Zero(n);
    Vector sum = Vector::Zero(std::ssize(probes_));
    if (const double most = w.size() > 0 ? w.cwiseAbs().maxCoeff() : 0.0; most > 0.0) {
      const double x = 1e-3 / most;
      sum += (8.0 * (at(x * w, none) - at(-x * w, none)) -
              (at(2.0 * x * w, none) - at(-2.0 * x * w, none))) /
             (12.0 * x);
    }
    if (const double most = v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0; most > 0.0) {
      const double x = 1.0 / most;
      sum += (at(none, x * v) - at(none, -x * v)) / (2.0 * x);
    }
    return sum;
  }

 private:
  Vector at(const Vector& w, const Vector& v) const {
    std::vector<GroupState> moved = groups_;
    Eigen::Index first = 0;
    for (std::size_t g = 0; g < moved.size(); ++g) {
      const Eigen::Index k = moved[g].v.size();
      if (k > 0)
        model_.groups()[g].dynamics->retract(groups_[g].q, w.segment(first, k), moved[g].q);
      moved[g].v += v.segment(first, k);
      first += k;
    }
    return probes_at(model_, probes_, end_, moved);
  }

  const Model& model_;
  std::vector<int> probes_;
  std::vector<GroupState> groups_;
  State end_;
};

/// Indices of the requested probes.
std::vector<int> probes_of(const Scene& scene, const Model& model,
                           std::span<const std::string> of) {
  std::vector<int> probes;
  const auto all = model.probes();
  if (of.empty())
    for (std::size_t k = 0; k < all.size(); ++k)
      if (!is_mean(all[k].quantity)) probes.push_back(static_cast<int>(k));
  for (std::size_t i = 0; i < of.size(); ++i) {
    const auto found = std::ranges::find(all, of[i], &Probe::name);
    if (found == all.end())
      refuse_entry(scene, "of", i, fmt::format("there is no output '{}'", of[i]),
                   "names of `outputs`");
    if (is_mean(found->quantity))
      refuse_entry(scene, "of", i,
                   fmt::format("'{}' is a force, which is a mean over the last step", of[i]),
                   "allowed: displacement, velocity");
    probes.push_back(static_cast<int>(found - all.begin()));
  }
  return probes;
}

}  // namespace

SceneSensitivity scene_sensitivities(const Scene& scene, std::span<const std::string> to,
                                     std::span<const std::string> of) {
  const Model model = build_run(scene);
  if (model.options().mode != TimeMode::events)
    rethrow_placed(SceneError("sensitivities",
                              "require event-driven integration; those of time stepping are wrong",
                              "set `time.mode: events`"),
                   scene);
  SceneSensitivity result;
  const std::vector<int> probes = probes_of(scene, model, of);
  const std::string resolved = write_scene(scene.spec, 0);
  const nlohmann::json tree = nlohmann::json::parse(resolved);
  std::vector<SensitivityParameter> parameters;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const std::optional<double> x = number_at(tree, present_path(to[i]));
    if (!x)
      refuse_entry(scene, "to", i,
                   fmt::format("'{}' is not the path of a number in the scene", to[i]),
                   "a path as for --set, for example bodies[0].rigid.position[2]");
    if (std::ranges::any_of(kOfTheRun,
                            [&](std::string_view key) { return to[i].starts_with(key); }))
      refuse_entry(scene, "to", i,
                   fmt::format("'{}' is a setting of the run, not of the model", to[i]),
                   "numbers of bodies, joints, contacts and loads");
    const double delta = *x != 0.0 ? kDeltaShare * std::abs(*x) : kDeltaOfZero;
    try {
      parameters.push_back(model_parameter(
          to[i], [&](double at) { return model_with(scene, resolved, to[i], at); }, *x, 0.0,
          delta));
    } catch (const SceneError& error) {
      refuse_entry(
          scene, "to", i,
          fmt::format("'{}' cannot be set to {} -+ {}: {}", to[i], *x, delta, error.message()),
          error.hint());
    }
    result.to.push_back({to[i], *x, delta});
  }
  try {
    result.states = sensitivities(model, parameters);
  } catch (const UsageError& error) {
    if (std::string_view(error.what()).find("models of a parameter") == std::string_view::npos)
      throw;
    refuse_entry(scene, "to", 0, "one of these numbers changes the structure of the model",
                 "numbers that do not add or remove bodies, contacts or joints");
  }
  for (const int k : probes) {
    const Probe& probe = model.probes()[static_cast<std::size_t>(k)];
    result.of.push_back({probe.name, std::string(unit_of(probe, model.joints()))});
  }
  if (result.states.validity == Sensitivity::Validity::none) return result;
  const ProbeDifference difference(model, probes, result.states);
  const Vector y = difference.values(model);
  for (std::size_t i = 0; i < result.of.size(); ++i)
    result.of[i].value = y[static_cast<Eigen::Index>(i)];
  result.value.resize(std::ssize(probes), std::ssize(to));
  for (std::size_t j = 0; j < to.size(); ++j) {
    const auto column = static_cast<Eigen::Index>(j);
    const SensitivityParameter& p = parameters[j];
    result.value.col(column) =
        difference.along(result.states.state.col(column)) +
        (difference.values(*p.plus) - difference.values(*p.minus)) / (2.0 * p.delta);
  }
  return result;
}

std::string sensitivities_json(const SceneSensitivity& s) {
  nlohmann::ordered_json json;
  json["validity"] = name_of(s.states.validity);
  json["reason"] = s.states.reason;
  json["time"] = s.states.t;
  json["to"] = nlohmann::ordered_json::array();
  for (const auto& p : s.to)
    json["to"].push_back({{"path", p.path}, {"value", p.x}, {"delta", p.delta}});
  json["of"] = nlohmann::ordered_json::array();
  const bool known = s.value.size() > 0;
  for (std::size_t i = 0; i < s.of.size(); ++i) {
    nlohmann::ordered_json one{{"name", s.of[i].name}, {"unit", s.of[i].unit}};
    if (known) {
      one["value"] = s.of[i].value;
      one["derivatives"] = nlohmann::ordered_json::array();
      for (Eigen::Index j = 0; j < s.value.cols(); ++j)
        one["derivatives"].push_back(s.value(static_cast<Eigen::Index>(i), j));
    }
    json["of"].push_back(std::move(one));
  }
  json["events"] = nlohmann::ordered_json::array();
  for (const Sensitivity::Moved& event : s.states.events) {
    nlohmann::ordered_json one{
        {"kind", name_of(event.kind)}, {"time", event.t}, {"contact", event.key}};
    one["derivatives"] = std::vector<double>(event.dt.begin(), event.dt.end());
    json["events"].push_back(std::move(one));
  }
  return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string sensitivities_text(const SceneSensitivity& s) {
  std::string text =
      fmt::format("derivatives at t = {:.9g} s: {}", s.states.t, name_of(s.states.validity));
  if (s.states.validity == Sensitivity::Validity::none) return text + ", " + s.states.reason + "\n";
  text += s.states.events.size() == 1
              ? ", through 1 event\n"
              : fmt::format(", through {} events\n", s.states.events.size());
  for (std::size_t i = 0; i < s.of.size(); ++i)
    for (std::size_t j = 0; j < s.to.size(); ++j)
      text += fmt::format("  d {} [{}] / d {} = {:.9g}\n", s.of[i].name, s.of[i].unit, s.to[j].path,
                          s.value(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)));
  return text;
}

}  // namespace saltus
