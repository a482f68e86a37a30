// Mechanisms and nonlinear structures.
#include <fmt/format.h>

#include <algorithm>

#include "saltus/base/suggest.h"
#include "saltus/bodies/lagrangian.h"
#include "saltus/bodies/mechanisms.h"
#include "saltus/kinds/build_kinds.h"
#include "saltus/kinds/contact_rows.h"
#include "saltus/kinds/probe_request.h"

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

unsigned lagrangian_traits(std::shared_ptr<const LagrangianModel> model) {
  return Lagrangian(std::move(model)).traits();
}

class LagrangianKind final : public BuiltKind {
 public:
  explicit LagrangianKind(std::shared_ptr<const Lagrangian> body) : body_(std::move(body)) {}
  TouchPoint point(const NamedBuilt& of, const PlaceSpec& place,
                   const std::string& path) const override {
    const NumberOrName& at = number_or_name(of, place, path);
    const std::vector<std::string> names = point_names();
    const std::vector<std::string_view> known(names.begin(), names.end());
    if (!at.is_name())
      throw SceneError(
          path, fmt::format("{} is not the name of a point of '{}'", at.number, of.body.name),
          "allowed: " + list_names(known));
    const auto found = std::ranges::find(names, at.name);
    if (found == names.end())
      throw SceneError(path, fmt::format("'{}' has no point '{}'", of.body.name, at.name),
                       did_you_mean(at.name, known));
    return {{0, static_cast<int>(found - names.begin()), Vector3::Zero()}, at.name, path};
  }
  std::vector<TouchPoint> all_points(const NamedBuilt& of, const std::string& path) const override {
    std::vector<TouchPoint> all;
    for (const std::string& name : point_names())
      all.push_back(point(of, NumberOrName(name), path + ".on"));
    return all;
  }
  bool names_points() const override { return true; }
  int free_index(int dof) const override { return body_->free_index(dof); }
  /// Null if `at` is the name of a point.
  std::shared_ptr<const PointTable> probe_table(const ProbeRequest& request) const override {
    if (request.named()) return nullptr;
    request.expect_no_direction("a coordinate has its own direction");
    return coordinate_table(request, request.index(request.built.dofs, "coordinate"));
  }

 private:
  std::vector<std::string> point_names() const {
    std::vector<std::string> names;
    for (int i = 0; i < body_->model().points(); ++i) names.push_back(body_->model().point_name(i));
    return names;
  }

  std::shared_ptr<const Lagrangian> body_;
};

/// path: "bodies[0]".
BuiltBody build_lagrangian(const Scene& scene, const BodySpec& body, const std::string& path) {
  const auto named = model_of(body);
  const char* const key = named.key;
  const auto& model = named.model;
  if (body.tangents == Tangents::given && !model->has_tangents())
    throw SceneError(path + ".tangents", fmt::format("{} provides no tangents", key),
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
    auto lagrangian = std::make_shared<const Lagrangian>(model, std::move(options));
    built.dynamics = lagrangian;
    built.kind = std::make_shared<const LagrangianKind>(std::move(lagrangian));
    return std::move(built);
  });
}

}  // namespace

KindRow lagrangian_kind() {
  return {.kind = BodyKind::lagrangian,
          .name = "lagrangian",
          .summary = "a mechanism or nonlinear structure in generalised coordinates",
          .entries =
              "pendulum, n_pendulum, duffing, spring_pendulum, planet, planar_rod, "
              "slider_crank or stvk_bar",
          .points = "named points, e.g. bob; coordinates from 0",
          .cases = {{"with a mass that depends on q", lagrangian_traits(n_pendulum({}))},
                    {"with constant mass", lagrangian_traits(duffing({}))}},
          .build = [](const BodyEntry& e) { return build_lagrangian(e.scene, e.body, e.path); },
          .coordinates = "coordinate",
          .weight = "give the `gravity` of its model"};
}

}  // namespace saltus
