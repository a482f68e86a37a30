// Lists the modes and schemes with which a scene could be run, from the traits of its bodies.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/advice/advice.h"
#include "saltus/base/error.h"
#include "saltus/model/scheme_fit.h"
#include "saltus/phases/build_run.h"
#include "saltus/schemes/registry.h"
#include "saltus/spec/body_names.h"
#include "saltus/study/auto_trial.h"

namespace saltus {
namespace {

/// The error of event-driven integration is proportional to its tolerance; its integrators of order
/// 8 achieve that with steps h ~ tolerance^(1/8).
constexpr double kEventOrder = 1.0, kEventCost = 1.0 / 8.0;
/// Fraction of the stability limit used as a step, and fraction of an order used for estimates.
constexpr double kOfLimit = 0.9, kOfOrder = 0.9, kOfMode = 0.9;
/// Ratios of x between a run and the next: with known order, across impacts, and for tolerances.
constexpr double kSmoothJump = 4.0, kKinkedJump = 8.0, kEventJump = 1e4;

bool touches(const Model& model) {
  return !model.pairs().empty() || !model.joint_laws().empty() ||
         !model.surfaces().colliders.empty() || !model.surfaces().boundaries.empty();
}

/// The scheme that `take` returns for each entry of `bodies`.
template <typename Take>
std::vector<SchemeChoice> schemes_of(const SceneSpec& spec, Take&& take) {
  std::vector<SchemeChoice> chosen;
  chosen.reserve(spec.bodies.size());
  for (const BodySpec& body : spec.bodies) chosen.push_back(take(body));
  return chosen;
}

SchemeChoice default_scheme(BodySpec body) {
  body.scheme.reset();
  return body.chosen_scheme();
}

bool all_fit(const Model& model, const SchemeChoice& choice) {
  const auto scheme = make_scheme(choice);
  return std::ranges::all_of(
      model.groups(), [&](const Group& group) { return fits(*scheme, group.dynamics->traits()); });
}

std::string names_of_schemes(const SceneSpec& spec, const std::vector<SchemeChoice>& schemes) {
  std::string text;
  for (std::size_t i = 0; i < schemes.size(); ++i) {
    const std::string name(scheme_name(schemes[i]));
    if (!spec.bodies[i].integrated() || text.find(name) != std::string::npos) continue;
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

/// Longest stable step near the start for all bodies; infinite if there is no limit.
double longest_step(const Model& model, const Scheme& scheme) {
  double longest = std::numeric_limits<double>::infinity();
  for (std::size_t g = 0; g < model.groups().size(); ++g) {
    const Dynamics& body = *model.groups()[g].dynamics;
    if (const ModalData* modes = body.modal()) {
      for (Eigen::Index i = 0; i < modes->omega.size(); ++i)
        if (const double w = modes->omega[i]; w > 0.0)
          longest = std::min(longest, scheme.stability_limit(modes->sigma[i] / w) / w);
      continue;
    }
    const auto limit = step_limit(body, scheme, model.initial()[g]);
    if (!limit) continue;
    const double safe = limit->safe > 0.0 ? limit->safe : limit->about;
    if (safe > 0.0) longest = std::min(longest, safe);
  }
  return longest;
}

class MethodList {
 public:
  MethodList(const Scene& scene, const Model& base) : scene_(scene), base_(base) {}

  std::vector<AutoMethod> operator()() {
    events();
    const bool kinks = touches(base_);
    const bool mode = methods_[0].left_out.empty();
    // joint impulses at the end of a step reduce the order of explicit schemes
    bool high = !kinks && base_.joints().empty();
    if (high) {
      using enum RungeKuttaOptions::Table;
      RungeKuttaOptions fifth;
      fifth.table = dormand_prince;
      high = one_scheme(fifth, "runge-kutta dormand-prince");
      one_scheme(RungeKuttaOptions{}, "runge-kutta rk4");
    }
    stepping(schemes_of(scene_.spec, default_scheme), kinks, mode, "");
    methods_.back().spare = high;
    if (high && one_scheme(DefExpOptions{}, "")) methods_.back().spare = true;
    return std::move(methods_);
  }

 private:
  /// Adds a scheme for all bodies; returns false if it does not support them.
  bool one_scheme(const SchemeChoice& choice, const char* label) {
    if (!all_fit(base_, choice)) return false;
    stepping(schemes_of(scene_.spec, [&](const BodySpec&) { return choice; }), false, false, label);
    return true;
  }

  void events() {
    AutoMethod method;
    method.label = "events";
    method.events = true;
    method.order = kEventOrder;
    method.power = kOfMode * kEventOrder;
    method.jump = kEventJump;
    method.cheap = kEventCost;
    try {
      const AutoPlan plan{base_.options().h, 1};
      build_run(auto_scene(scene_, method, plan, {.x = 1e-6, .count = 1}));
    } catch (const SceneError& error) {
      method.left_out = error.message();
    }
    methods_.push_back(std::move(method));
  }

  void stepping(std::vector<SchemeChoice> schemes, bool kinks, bool mode,
                const std::string& label) {
    AutoMethod method;
    method.schemes = std::move(schemes);
    method.label = label.empty() ? names_of_schemes(scene_.spec, method.schemes) : label;
    if (method.label.empty()) return;  // no body is integrated
    method.kinked = kinks;
    method.order = std::numeric_limits<double>::infinity();
    method.limit = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < method.schemes.size(); ++i) {
      if (!scene_.spec.bodies[i].integrated()) continue;
      method.order = std::min(method.order, smooth_order(method.schemes[i], true).value_or(1.0));
      method.limit = std::min(method.limit, longest_step(base_, *make_scheme(method.schemes[i])));
    }
    // modal-exact samples time-dependent loads: order 2
    if (std::isinf(method.order)) method.order = 2.0;
    if (kinks) method.order = 1.0;
    method.power = kinks ? 1.0 : kOfOrder * method.order;
    method.jump = kinks ? kKinkedJump : kSmoothJump;
    method.limit = std::isfinite(method.limit) ? kOfLimit * method.limit : 0.0;
    if (kinks && mode)
      method.left_out =
          "steps across impacts and stops have a first-order error; event-driven integration "
          "supports this scene";
    methods_.push_back(std::move(method));
  }

  const Scene& scene_;
  const Model& base_;
  std::vector<AutoMethod> methods_;
};

}  // namespace

std::vector<AutoMethod> auto_methods(const Scene& scene, const Model& base) {
  return MethodList(scene, base)();
}

}  // namespace saltus
