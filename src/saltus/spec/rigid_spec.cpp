#include "saltus/spec/rigid_spec.h"

#include <algorithm>
#include <cmath>

namespace saltus {
namespace {

bool zero(const std::array<double, 3>& x) { return x == std::array{0.0, 0.0, 0.0}; }

/// Entries without meaning for a body that is fixed or has prescribed motion.
std::optional<Fault> unused_when_led(const RigidSpec& body) {
  const std::string why =
      body.fixed ? "has no meaning for a fixed body" : "has no meaning for a body with `motion`";
  struct Row {
    const char* key;
    bool given;
  };
  for (const Row& row :
       {Row{"velocity", !zero(body.velocity)}, Row{"spin", !zero(body.spin)},
        Row{"locked", !body.locked.empty()}, Row{"gravity", body.gravity.has_value()},
        Row{"drag", body.drag != 0.0}, Row{"spin_drag", body.spin_drag != 0.0}})
    if (row.given) return Fault{row.key, why, "leave it out"};
  return std::nullopt;
}

}  // namespace

std::optional<Fault> MotionSpec::fault() const {
  if (!axis) return std::nullopt;
  const double length = std::hypot((*axis)[0], (*axis)[1], (*axis)[2]);
  if (length > 0.0 && std::isfinite(length)) return std::nullopt;
  return Fault{"axis", "has no direction", "for example [0, 1, 0]"};
}

std::optional<Fault> CopiesSpec::fault() const {
  if (!count.empty() && count.size() != 3)
    return Fault{"count", "has " + std::to_string(count.size()) + " entries",
                 "along x, y and z: [10, 1, 1]"};
  if (count.empty() && spacing != std::array{0.0, 0.0, 0.0})
    return Fault{"spacing", "is for copies by `count`", "leave it out"};
  double all = 1.0;
  for (std::size_t k = 0; k < count.size(); ++k) {
    all *= count[k];
    if (count[k] > 1 && spacing[k] == 0.0 && !turn)
      return Fault{"spacing", "is missing: all copies are at the same place",
                   "distance between neighbours along x, y and z, e.g. [0.1, 0, 0]"};
  }
  if (all > 1e6) return Fault{"count", "makes more than a million bodies", "fewer of them"};
  return std::nullopt;
}

std::optional<Fault> RigidSpec::fault() const {
  for (std::size_t i = 0; i < shapes.size() + (shape ? 1 : 0); ++i) {
    const ShapeSpec& one = shape ? *shape : shapes[i];
    if (!touches && one.surface_velocity)
      return Fault{(shape ? "shape" : "shapes[" + std::to_string(i) + "]") + ".surface_velocity",
                   "has no meaning with `touches: false`", "leave it out, or `touches`"};
  }
  if (fixed && motion)
    return Fault{"motion", "cannot be given together with `fixed: true`", "give one of them"};
  if (!free()) {
    if (auto found = unused_when_led(*this)) return found;
    if (!shape && shapes.empty())
      return Fault{"", "has no shape to detect contact with", "give `shape` or `shapes`"};
    return std::nullopt;
  }
  if (!inertia.empty() && inertia.size() != 3 && inertia.size() != 6)
    return Fault{"inertia", "has " + std::to_string(inertia.size()) + " entries",
                 "[xx, yy, zz] or [xx, yy, zz, xy, xz, yz]"};
  std::vector<const ShapeSpec*> all;
  if (shape) all.push_back(&*shape);
  for (const ShapeSpec& one : shapes) all.push_back(&one);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (mass && all[i]->density)
      return Fault{(shape ? "shape" : "shapes[" + std::to_string(i) + "]") + ".density",
                   "cannot be given together with `mass` of the body", "give one of them"};
  if (mass) {
    if (all.empty() && inertia.empty())
      return Fault{"inertia", "is missing", "a body without shapes needs mass and inertia"};
    return std::nullopt;
  }
  if (all.empty() && density)
    return Fault{"density", "needs a shape", "give `shape`, or `mass` and `inertia`"};
  if (!density &&
      (all.empty() || std::ranges::any_of(all, [](const ShapeSpec* one) { return !one->density; })))
    return Fault{"", "has no mass", "give `density` or `mass`; or `fixed: true`"};
  return std::nullopt;
}

std::optional<Fault> SurfaceLawSpec::fault() const {
  if (!materials.empty() && materials.size() != 2)
    return Fault{"materials", "has " + std::to_string(materials.size()) + " entries",
                 "the names of two materials, e.g. [stone, stone]"};
  if (!touches && law)
    return Fault{"law", "has no meaning with `touches: false`", "leave it out, or `touches`"};
  if (!touches) return std::nullopt;
  if (!law)
    return Fault{"law", "must be given",
                 "the contact law between the shapes, e.g. " + std::string(DefaultLaw::name) +
                     "; or `touches: false` where they pass through each other"};
  const bool directed = std::visit(
      []<class Options>(const Options& options) {
        if constexpr (requires { resolved(options.friction).directed(); })
          return resolved(options.friction).directed();
        else
          return false;
      },
      *law);
  if (directed && (materials.empty() || materials[0] == materials[1]))
    return Fault{"law.friction", "has an axis, but the body it is fixed to is not defined",
                 "give two different `materials`: the axis is fixed to bodies of the first one"};
  if (acts_at_any_gap(*law))
    return Fault{"law",
                 std::string(name_of(*law)) +
                     " acts at any gap, also between shapes that are far from each other",
                 "write it as an entry of `contacts`"};
  return std::nullopt;
}

}  // namespace saltus
