#include "saltus/statics/static_model.h"

#include <algorithm>
#include <cmath>

#include "saltus/base/error.h"
#include "saltus/statics/equilibrium.h"
#include "saltus/statics/static_contact.h"

namespace saltus {
namespace {

std::string path_in(const std::vector<std::string>& paths, std::size_t i, const char* list) {
  return i < paths.size() ? paths[i] : list + ("[" + std::to_string(i) + "]");
}

void expect_stiffness(const Group& group, const std::string& path) {
  const Dynamics& body = *group.dynamics;
  if (body.velocities() == 0) return;  // it only follows a prescribed motion
  constexpr const char* kAllowed =
      "kinds with stiffness: fem, linear, particles, beam, lagrangian; or hold it: `fixed: true` "
      "or "
      "a prescribed motion";
  if (body.rigid())
    throw SceneError(path,
                     "'" + group.name + "' (kind " + group.kind +
                         ") has no stiffness that could hold it in statics",
                     kAllowed);
  if (!has(body.traits(), Trait::tangents) || !has(body.traits(), Trait::second_order))
    throw SceneError(path,
                     "'" + group.name + "' (kind " + group.kind +
                         ") has no stiffness matrix, which `time.mode: static` needs",
                     kAllowed);
}

AnyLaw static_law(const AnyLaw& law, const std::string& path) {
  const LawFacts& facts = law->facts();
  if (facts.drives || facts.actuates || facts.velocity != 0.0)
    throw SceneError(path,
                     "'" + std::string(law->name()) +
                         "' prescribes a rate or an effort in time, which statics does not have",
                     "prescribe a motion or a load of the body as a function of time");
  if (!law->set_valued()) return AnyLaw(std::make_shared<StaticForce>(law));
  if (law->unilateral()) return AnyLaw(std::make_shared<StaticContact>(*law));
  return law;
}

}  // namespace

void use_static_schemes(ModelParts& parts) {
  // runs consist of whole steps
  const StepOptions& options = parts.options;
  const double end = options.h * std::max(1.0, std::round(options.end / options.h));
  const std::shared_ptr<const Scheme> scheme = make_equilibrium(end);
  for (std::size_t g = 0; g < parts.groups.size(); ++g) {
    expect_stiffness(parts.groups[g], path_in(parts.group_path, g, "bodies"));
    parts.groups[g].scheme = scheme;
  }
}

void use_static_laws(ModelParts& parts) {
  for (std::size_t i = 0; i < parts.laws.size(); ++i)
    parts.laws[i] = static_law(parts.laws[i], path_in(parts.law_path, i, "laws"));
  StepOptions& options = parts.options;
  options.ledger = false;
  options.instant = ContactInstant::end;
  options.joints = JointLevel::position;
  options.joints_in_stages = false;
  options.correct_positions = false;
}

}  // namespace saltus
