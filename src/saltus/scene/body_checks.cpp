#include "saltus/scene/body_checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "saltus/advice/advice.h"
#include "saltus/advice/damper_advice.h"
#include "saltus/advice/detune_advice.h"
#include "saltus/model/scheme_fit.h"

namespace saltus {
namespace {

void expect_fit(const BodySpec& spec, const BuiltBody& built, const Scheme& scheme,
                const std::string& path) {
  const unsigned traits = built.dynamics->traits();
  if (fits(scheme, traits)) return;
  const unsigned lacks = scheme.needs() & ~traits, bars = scheme.refuses() & traits;
  std::string why = lacks != 0
                        ? "needs " + trait_names(lacks) + ", and '" + spec.name + "' (kind " +
                              std::string(name_of(spec.kind)) + ") has " + trait_names(traits)
                        : "cannot move bodies with " + trait_names(bars) + ", which '" + spec.name +
                              "' (kind " + std::string(name_of(spec.kind)) + ") has";
  why += built.kind->why_lacks(lacks);
  if (has(lacks, Trait::separable))
    why +=
        "; separable are bodies with constant mass and without damping, drag or dashpots, except "
        "lagrangian bodies, mass redistribution and rigid bodies with a locked axis that couples "
        "to two others";
  throw SceneError(path + ".scheme", "'" + std::string(scheme.name()) + "' " + why,
                   "allowed here: " + schemes_for(traits));
}

/// Forces at the start must be finite: a planet at its centre of attraction has none.
void expect_start(const BuiltBody& built, const std::string& path) {
  if (built.dynamics->modal() != nullptr) return;  // its forces are linear in q and v
  Vector f(built.dynamics->velocities());
  built.dynamics->force(0.0, built.initial.q, built.initial.v, f);
  if (!f.allFinite())
    throw SceneError(path, "the forces on the body at the start are not finite",
                     "give it another place: `initial`, or particles.positions");
}

}  // namespace

bool in_contacts(const SceneSpec& scene, const std::string& body) {
  return std::ranges::any_of(scene.contacts, [&](const ContactSpec& contact) {
    return contact.on == body || (contact.other() && *contact.other() == body);
  });
}

bool in_joints(const SceneSpec& scene, const std::string& body) {
  return std::ranges::any_of(scene.joints, [&](const JointSpec& joint) {
    return std::ranges::find(joint.between, body) != joint.between.end();
  });
}

void BodyChecks::check(std::size_t i) {
  const BodySpec& spec = spec_.bodies[i];
  const BuiltBody& built = bodies_[i];
  if (built.group < 0) return;
  const std::string path = fmt::format("bodies[{}]", i);
  const auto g = static_cast<std::size_t>(built.group);
  expect_fit(spec, built, *parts_.groups[g].scheme, path);
  advise_spin(i, path);
  if (!built.own_group) return;
  expect_start(built, path);
  if (steps()) advise_scheme(i, path);  // otherwise it is not integrated with step h
  advise_pluck(spec, path);
}

void BodyChecks::warn_of_gravity() {
  const bool acts = spec_.steady_gravity() != std::array<double, 3>{} || spec_.ground ||
                    std::holds_alternative<GravityCourse>(spec_.gravity);
  if (!acts || spec_.bodies.empty()) return;
  for (const BodySpec& body : spec_.bodies)
    if (kind_row(body.kind).weight.empty()) return;
  const BodySpec& first = spec_.bodies.front();
  const KindRow& kind = kind_row(first.kind);
  parts_.warnings.push_back(
      fmt::format("{}: it does not act on any body of the scene, '{}' is of kind {}; {}",
                  spec_.ground ? "ground" : "gravity", first.name, kind.name, kind.weight));
}

void BodyChecks::warn_of_fields() {
  if (std::ranges::any_of(bodies_, [](const BuiltBody& body) { return body.kind->has_mesh(); }))
    return;
  const ResultsSpec& results = spec_.results;
  for (const auto& [key, asked] :
       {std::pair{"stress", results.stress}, std::pair{"strain", results.strain},
        std::pair{"resultants", results.resultants}})
    if (asked)
      parts_.warnings.push_back(
          fmt::format("results.{}: the scene has no mesh, so nothing more is stored", key));
}

void BodyChecks::advise_dampers() {
  if (!steps()) return;
  for (std::size_t g = 0; g < parts_.groups.size(); ++g)
    for (const std::string& text :
         damper_advice(parts_.groups[g], parts_.initial[g], parts_.options.h))
      parts_.warnings.push_back(text);
}

void BodyChecks::advise_spin(std::size_t i, const std::string& path) {
  if (!steps()) return;
  const SchemeChoice choice = spec_.bodies[i].chosen_scheme();
  const bool exact = std::holds_alternative<RigMidOptions>(choice) ||
                     std::holds_alternative<SplittingOptions>(choice);
  const BuiltBody& built = bodies_[i];
  const double spin = built.kind->spin(built, spec_.bodies[i],
                                       parts_.initial[static_cast<std::size_t>(built.group)]);
  if (const auto advice = spin_advice(spin, spec_.time.h(), exact, spec_.bodies[i].name))
    parts_.warnings.push_back(path + ": " + *advice);
}

void BodyChecks::advise_pluck(const BodySpec& body, const std::string& path) {
  if (!body.pluck || !body.string) return;
  if (const auto advice =
          pluck_advice(body.pluck->at, body.string->length, body.string->modes, body.name))
    parts_.warnings.push_back(path + ".pluck: " + *advice);
}

void BodyChecks::advise_scheme(std::size_t i, const std::string& path) {
  const BodySpec& body = spec_.bodies[i];
  const Group& group = parts_.groups[static_cast<std::size_t>(bodies_[i].group)];
  const SchemeChoice choice = body.chosen_scheme();
  const double h = spec_.time.h();
  if (const auto fault =
          step_fault(*group.dynamics, *group.scheme, bodies_[i].initial, h, body.name))
    throw SceneError(spec_.time.rate ? "time.rate" : "time.step", *fault);
  const bool touched = in_contacts(spec_, body.name);
  const auto say = [&](const std::string& where, const std::optional<std::string>& advice) {
    if (advice) parts_.warnings.push_back(path + where + ": " + *advice);
  };
  const ModalData* modes = group.dynamics->modal();
  if (modes && touched && std::holds_alternative<ModalExactOptions>(choice))
    say("", contact_advice(*modes, h, body.name));
  if (modes && !spec_.outputs.empty())
    say(".scheme", detune_advice(*modes, *group.scheme, h, body.name));
  const auto* mj = std::get_if<MoreauJeanOptions>(&choice);
  if (modes && mj) {
    if (mj->theta < 0.5) say(".scheme", stability_advice(*modes, mj->theta, h, body.name));
  } else if (modes) {
    say(".scheme", step_advice(*modes, group.dynamics->traits(), *group.scheme, h, body.name));
  } else {
    say(".scheme", step_advice(*group.dynamics, *group.scheme, bodies_[i].initial, h, body.name));
  }
  if (const auto* form = std::get_if<VariationalSymplecticOptions>(&choice);
      form && form->compat == Compat::sofa && touched)
    say(".scheme",
        "compat: sofa stores the momentum without the contact impulse, so obstacles do not stop '" +
            body.name + "'; compat: none does");
  if (const auto* newmark = std::get_if<NewmarkOptions>(&choice); newmark && touched)
    say(".scheme", rest_advice(newmark->gamma, newmark->beta_value(), body.name));
}

}  // namespace saltus
