#include "saltus/scene/beam_points.h"

#include <fmt/format.h>

#include <algorithm>

namespace saltus {
namespace {

constexpr const char* kBeamPlaces = "start, end, or a place along it";

TouchPoint point_at(const ElasticBeam& beam, double x, const std::string& path) {
  return {beam.point(x), fmt::format("x = {:.4g} m", x), path};
}

}  // namespace

double beam_place(double length, const NumberOrName& at, const std::string& name,
                  const std::string& path) {
  if (at.is_name()) {
    if (at.name == "start") return 0.0;
    if (at.name == "end") return length;
    throw SceneError(path, fmt::format("'{}' is not a place on '{}'", at.name, name),
                     fmt::format("{}, in m", kBeamPlaces));
  }
  if (!(at.number >= 0.0 && at.number <= length * (1.0 + 1e-12)))
    throw SceneError(path, fmt::format("{} m is not on '{}'", at.number, name),
                     fmt::format("{}, between 0 and {} m", kBeamPlaces, length));
  return std::min(at.number, length);
}

TouchPoint beam_point(const NamedBuilt& of, const PlaceSpec& at, const std::string& path) {
  const ElasticBeam& beam = *of.built.beam;
  const auto* place = std::get_if<NumberOrName>(&at);
  if (!place)
    throw SceneError(path, fmt::format("'{}' takes no place [x, y, z]", of.name),
                     fmt::format("{}, in m", kBeamPlaces));
  return point_at(beam, beam_place(beam.system().length, *place, of.name, path), path);
}

std::vector<TouchPoint> beam_nodes(const NamedBuilt& of, const std::string& path) {
  const ElasticBeam& beam = *of.built.beam;
  std::vector<TouchPoint> points;
  for (int node = 0; node < beam.nodes(); ++node)
    if (beam.free_index(6 * node) >= 0)
      points.push_back(
          point_at(beam, beam.system().length * node / (beam.nodes() - 1), path + ".on"));
  return points;
}

}  // namespace saltus
