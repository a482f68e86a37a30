#include "saltus/kinds/touch_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/base/suggest.h"
#include "saltus/base/units.h"
#include "saltus/kinds/build_kinds.h"
#include "saltus/kinds/kinds.h"

namespace saltus {

NamedBuilt named_built(const Scene& scene, std::span<const BuiltBody> bodies,
                       const std::string& name, const std::string& path) {
  if (const auto fault = one_body_fault(scene.spec, name, path))
    throw SceneError(fault->key, fault->message, fault->hint);
  const NamedBody found = *find_body(scene.spec, name);
  NamedBuilt named{bodies[found.entry], scene.spec.bodies[found.entry], found.copy, name};
  const auto count = static_cast<int>(named.built.origins.size());
  if (count > 0 && found.copy >= count)
    throw SceneError(path, fmt::format("there is no body '{}'", name),
                     fmt::format("'{}' refers to {} bodies, {} to {}", named.body.name, count,
                                 copy_name(named.body, 0), copy_name(named.body, count - 1)));
  if (named.built.group < 0)
    throw SceneError(path, fmt::format("'{}' is fixed and cannot move", name),
                     "name a moving body; write contacts with the world as a plane");
  return named;
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

const NumberOrName& number_or_name(const NamedBuilt& of, const PlaceSpec& at,
                                   const std::string& path) {
  if (const auto* one = std::get_if<NumberOrName>(&at)) return *one;
  throw SceneError(path,
                   fmt::format("{} is not a point of '{}'", place_text(at, of.body.kind), of.name),
                   "places [x, y, z] are for bodies of kinds " +
                       kinds_that([](const KindRow& row) { return row.places; }));
}

TouchPoint numbered_point(const NamedBuilt& of, const PlaceSpec& at, int count, const char* what,
                          const std::string& path) {
  const int index = index_at(number_or_name(of, at, path), count, what, path);
  return {{0, index, Vector3::Zero()}, fmt::format("{} {}", what, index), path};
}

TouchPoint frame_point(const NamedBuilt& of, const PlaceSpec& at, const std::string& path) {
  const auto* place = std::get_if<std::array<double, 3>>(&at);
  if (!place)
    throw SceneError(
        path, fmt::format("{} is not a place on '{}'", place_text(at, BodyKind::rigid), of.name),
        fmt::format("a body of kind {} needs [x, y, z] in its frame", name_of(of.body.kind)));
  const Vector3 local = to_vector3(*place) - of.built.origins[static_cast<std::size_t>(of.copy)];
  return {{of.built.first + of.copy, 0, local}, place_text(at, BodyKind::rigid), path};
}

void expect_place(const NamedBuilt& of, const std::string& path) {
  throw SceneError(
      path, "`at` is missing: the contact point on '" + of.name + "'",
      "[x, y, z] in its frame, or a list of them; for contact of its shapes use `surfaces`");
}

TouchPoint touch_point(const NamedBuilt& of, const PlaceSpec& at, const std::string& path) {
  return of.built.kind->point(of, at, path);
}

std::vector<TouchPoint> touch_points(const NamedBuilt& of, const std::optional<AtSpec>& at,
                                     const std::string& path) {
  const BuiltKind& kind = *of.built.kind;
  if (!at) return kind.all_points(of, path);
  const std::string where = path + ".at";
  if (const auto* one = std::get_if<NumberOrName>(&*at)) return kind.points(of, *one, where);
  const auto* list = std::get_if<std::vector<NumberOrName>>(&*at);
  const auto number = [](const NumberOrName& x) { return !x.is_name(); };
  if (list && kind.takes_places() && list->size() == 3 && std::ranges::all_of(*list, number))
    return {
        kind.point(of, std::array{(*list)[0].number, (*list)[1].number, (*list)[2].number}, where)};
  std::vector<TouchPoint> points;
  const auto add_each = [&](const auto& entries) {
    for (std::size_t i = 0; i < entries.size(); ++i)
      for (TouchPoint& point : kind.points(of, entries[i], fmt::format("{}[{}]", where, i)))
        points.push_back(std::move(point));
  };
  if (list)
    add_each(*list);
  else
    add_each(std::get<std::vector<std::array<double, 3>>>(*at));
  return points;
}

}  // namespace saltus
