#include "saltus/spec/fem_spec.h"

#include <cmath>

namespace saltus {
namespace {

std::string entries_text(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " entry" : " entries");
}

}  // namespace

std::optional<Fault> BoxCellsSpec::fault() const {
  const ElementInfo& of = info(kind);
  const auto dimension = static_cast<std::size_t>(of.dimension);
  const std::string hint = std::string(of.name) + " has " + std::to_string(dimension) +
                           (dimension == 1 ? " axis" : " axes");
  for (const auto& [key, count] : {std::pair{"cells", cells.size()}, std::pair{"size", size.size()},
                                   std::pair{"origin", origin.empty() ? dimension : origin.size()}})
    if (count != dimension) return Fault{key, "has " + entries_text(count), hint};
  double all = 1.0;
  for (int n : cells) all *= n;
  if (all > 1e7) return Fault{"cells", "are more than ten million in total", "fewer cells"};
  return std::nullopt;
}

std::optional<Fault> CylinderCellsSpec::fault() const {
  using enum ElementKind;
  if (kind == hex8 || kind == hex20 || kind == tet4 || kind == tet10) return std::nullopt;
  return Fault{"kind", "a cylinder cannot be meshed with " + std::string(info(kind).name),
               "allowed: hex8, hex20, tet4, tet10"};
}

std::optional<Fault> ArchCellsSpec::fault() const {
  if (!(outer > inner)) return Fault{"outer", "is not above `inner`", "the larger radius"};
  if (info(kind).dimension == 1)
    return Fault{"kind", "an arch cannot be meshed with " + std::string(info(kind).name),
                 "plane elements, or elements in space"};
  return std::nullopt;
}

std::optional<Fault> BallCellsSpec::fault() const {
  if (info(kind).dimension == 3 && kind != ElementKind::wedge6) return std::nullopt;
  return Fault{"kind", "a ball cannot be meshed with " + std::string(info(kind).name),
               "allowed: hex8, hex20, tet4, tet10, pyramid5"};
}

std::optional<Fault> FemLoadSpec::fault() const {
  for (const auto& [key, given] : {std::pair{"traction", traction}, std::pair{"force", force}})
    if (given && *given == std::array{0.0, 0.0, 0.0})
      return Fault{key, "is zero", "leave the load out"};
  return std::nullopt;
}

std::optional<Fault> FemModesSpec::fault() const {
  if (keep.empty() && count < 1) return Fault{"count", "0 is out of range", "allowed: >= 1"};
  if (!keep.empty() && direction != FemModesSpec{}.direction)
    return Fault{"direction", "is for `at`", "leave it out: nodes of `keep` move along all axes"};
  return std::nullopt;
}

std::optional<Fault> FemSurfaceSpec::fault() const {
  if (material.empty()) return Fault{"material", "is an empty name", "leave it out"};
  return std::nullopt;
}

}  // namespace saltus
