#include "saltus/scene/touch_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/base/suggest.h"
#include "saltus/scene/build_kinds.h"

namespace saltus {
namespace {

TouchPoint modal_point(const Modal& body, const std::string& name, double x,
                       const std::string& path) {
  if (!body.has_shapes())
    throw SceneError(path, "'" + name + "' has no points: its modes have no shapes",
                     "give bodies[].modes.shapes");
  if (!(x >= 0.0 && x <= body.shapes().length()))
    throw SceneError(path, fmt::format("{} m is not on '{}'", x, name),
                     fmt::format("between 0 and {} m", body.shapes().length()));
  Vector shape(body.positions());
  try {
    body.shapes().row(x, shape);
  } catch (const SceneError& error) {  // a table of shapes without this place
    throw SceneError(path, error.message(), error.hint());
  }
  return {{0, 0, Vector3(x, 0.0, 0.0)}, fmt::format("x = {:.4g} m", x), path};
}

}  // namespace

std::vector<std::string> point_names(const Lagrangian& body) {
  std::vector<std::string> names;
  for (int i = 0; i < body.model().points(); ++i) names.push_back(body.model().point_name(i));
  return names;
}

int index_at(const NumberOrName& at, int count, const char* what, const std::string& path) {
  const std::string allowed = allowed_indices(count);
  if (at.is_name())
    throw SceneError(path, fmt::format("'{}' is not the number of a {}", at.name, what), allowed);
  if (at.with_unit)
    throw SceneError(path, fmt::format("{} m is a length, not the number of a {}", at.number, what),
                     allowed);
  if (at.number != std::floor(at.number))
    throw SceneError(path, fmt::format("{} is not the number of a {}", at.number, what), allowed);
  if (!(at.number >= 0.0 && at.number < count))
    throw SceneError(path, fmt::format("there is no {} {}", what, at.number), allowed);
  return static_cast<int>(at.number);
}

TouchPoint touch_point(const BuiltBody& built, const BodySpec& body, const NumberOrName& at,
                       const std::string& path) {
  if (built.modal) {
    if (at.is_name())
      throw SceneError(path, fmt::format("'{}' is not a place on '{}'", at.name, body.name),
                       "a body of kind modal takes a place along it, in m");
    return modal_point(*built.modal, body.name, at.number, path);
  }
  if (built.lagrangian) {
    const std::vector<std::string> names = point_names(*built.lagrangian);
    const std::vector<std::string_view> known(names.begin(), names.end());
    if (!at.is_name())
      throw SceneError(path,
                       fmt::format("{} is not the name of a point of '{}'", at.number, body.name),
                       "allowed: " + list_names(known));
    const auto found = std::ranges::find(names, at.name);
    if (found == names.end())
      throw SceneError(path, fmt::format("'{}' has no point '{}'", body.name, at.name),
                       did_you_mean(at.name, known));
    return {{0, static_cast<int>(found - names.begin()), Vector3::Zero()}, at.name, path};
  }
  const char* what = built.particles ? "particle" : "degree of freedom";
  const int index = index_at(at, built.particles ? built.dofs / 3 : built.dofs, what, path);
  return {{0, index, Vector3::Zero()}, fmt::format("{} {}", what, index), path};
}

std::vector<TouchPoint> touch_points(const BuiltBody& built, const BodySpec& body,
                                     const std::optional<AtSpec>& at, const std::string& path) {
  std::vector<TouchPoint> points;
  if (at) {
    if (const auto* one = std::get_if<NumberOrName>(&*at)) {
      points.push_back(touch_point(built, body, *one, path + ".at"));
    } else {
      const auto& list = std::get<std::vector<NumberOrName>>(*at);
      for (std::size_t i = 0; i < list.size(); ++i)
        points.push_back(touch_point(built, body, list[i], fmt::format("{}.at[{}]", path, i)));
    }
    return points;
  }
  if (built.modal)
    throw SceneError(path, "`at` is missing: the place along '" + body.name + "' that touches",
                     "in m");
  if (built.lagrangian) {
    for (const std::string& name : point_names(*built.lagrangian))
      points.push_back(touch_point(built, body, NumberOrName(name), path + ".on"));
  } else {
    const int count = built.particles ? built.dofs / 3 : built.dofs;
    for (int i = 0; i < count; ++i)
      if (built.particles || built.free_index(i) >= 0)
        points.push_back(touch_point(built, body, NumberOrName(i), path + ".on"));
  }
  return points;
}

}  // namespace saltus
