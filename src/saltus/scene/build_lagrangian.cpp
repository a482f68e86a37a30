// Mechanisms and nonlinear structures.
#include <fmt/format.h>

#include "saltus/bodies/mechanisms.h"
#include "saltus/scene/build_kinds.h"
#include "saltus/scene/contact_rows.h"

namespace saltus {
namespace {

struct Named {
  const char* key;
  std::shared_ptr<const LagrangianModel> model;
};

Named model_of(const BodySpec& body) {
  const Vector3 pivot = to_vector3(body.origin);
  if (const auto& s = body.pendulum)
    return {"pendulum", pendulum({s->mass, s->length, s->gravity, s->dashpot, pivot})};
  if (const auto& s = body.n_pendulum)
    return {"n_pendulum", n_pendulum({s->mass, s->length, s->gravity, pivot})};
  if (const auto& s = body.duffing)
    return {"duffing", duffing({s->mass, s->stiffness, s->cubic, s->dashpot})};
  if (const auto& s = body.spring_pendulum)
    return {"spring_pendulum",
            spring_pendulum({s->mass, s->stiffness, s->length, s->gravity, pivot})};
  if (const auto& s = body.planet) return {"planet", planet({s->mass, s->mu})};
  if (const auto& s = body.planar_rod)
    return {"planar_rod", planar_rod({s->mass, s->length, s->inertia.value_or(0.0), s->gravity})};
  if (const auto& s = body.slider_crank)
    return {"slider_crank",
            slider_crank({s->crank_length, s->rod_length, s->crank_mass, s->rod_mass,
                          s->slider_mass, s->crank_inertia, s->rod_inertia, s->slider_inertia,
                          s->slider_length, s->slider_height, s->gravity, s->torque})};
  const auto& s = body.stvk_bar.value();
  return {"stvk_bar", stvk_bar({s.elements, s.length, s.young, s.density, s.area})};
}

}  // namespace

BuiltBody build_lagrangian(const Scene& scene, const BodySpec& body, const std::string& path) {
  const auto named = model_of(body);
  const char* const key = named.key;
  const auto& model = named.model;
  if (body.tangents == Tangents::given && !model->has_tangents())
    throw SceneError(path + ".tangents", fmt::format("{} gives no tangents", key),
                     "allowed: differences");
  BuiltBody built;
  built.dofs = model->size();
  LagrangianOptions options;
  options.tangents =
      body.tangents.value_or(model->has_tangents() ? Tangents::given : Tangents::differences);
  options.rayleigh = rayleigh_of(body);
  options.loads = loads_of(scene, body, built.dofs, path);
  options.prescribed = prescribed_of(scene, body, built.dofs, path);
  built.initial =
      free_part(initial_of(scene, body, built.dofs, "degree of freedom", path), options.prescribed);
  RowPoints rows = row_points(scene.spec, body.name, built.dofs);
  options.more_points = std::move(rows.points);
  built.row_contacts = std::move(rows.contacts);
  built.first_row_point = model->points();
  return built_at(path + "." + key, [&] {
    built.lagrangian = std::make_shared<const Lagrangian>(model, std::move(options));
    built.dynamics = built.lagrangian;
    return std::move(built);
  });
}

}  // namespace saltus
