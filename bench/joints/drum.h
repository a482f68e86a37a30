// A chain of links that lies on a drum: every link on four feet, so that 125 of them have 500 contacts with friction. Links
// hang together by hinges, or lie at the same places without them.
#pragma once
#include <fmt/format.h>

#include <cmath>
#include <string>

namespace saltus_bench {

struct Drum {
  int links = 125;     ///< of each layer
  int layers = 1;      ///< chains that lie on each other
  bool joints = true;  ///< the hinges, or the same links without
  double friction = 0.8;
  double sway = 0.0;     ///< half the angle by which the drum turns to and fro in 0.5 s [rad]
  double radius = 12.0;  ///< of the drum [m]
  std::string solver = "auto", level = "position";
  double drop = 0.0;  ///< by which the chain hangs above the drum at t = 0 [m]
  static constexpr double pitch = 0.1, foot = 0.01, half = 0.01;  ///< [m]

  double step_angle() const { return pitch / radius; }
  /// Distance of the middle of the links of a layer from the axis [m].
  double height(int layer) const {
    return radius + drop + (layer + 1) * 2.0 * foot + (2 * layer + 1) * half;
  }
  std::string text(double end) const;
};

/// As a scene: body frames are at the axis of the drum, links turned about it.
inline std::string Drum::text(double end) const {
  const double first = -0.5 * (links - 1) * step_angle();
  std::string out = fmt::format(R"(saltus: 1
time: {{end: {}, step: 1 ms}}
gravity: [0, 0, -9.81]
contact: {{instant: middle}}
solver: {{kind: {}}}
bodies:
  - name: drum
    kind: rigid
    rigid:
      shape: {{cylinder: {{radius: {}, length: 2}}, rotation: {{axis: [1, 0, 0], angle: 90 deg}}, material: wood}}
)",
                                end, solver, radius);
  out +=
      sway > 0.0
          ? fmt::format(
                "      motion: {{axis: [0, 1, 0], angle: {{harmonic: {{amplitude: {}, frequency: 2 "
                "Hz}}}}}}\n",
                sway)
          : "      fixed: true\n";
  for (int k = 0; k < layers; ++k) {
    const double z = height(k);
    out += fmt::format(R"(  - name: link{}
    kind: rigid
    scheme: rig-mid
    rigid:
      density: 7800
      rotation: {{axis: [0, 1, 0], angle: {:.17g}}}
      copies: {{count: [{}, 1, 1], turn: {{axis: [0, 1, 0], angle: {:.17g}}}}}
      shapes:
        - {{box: {{size: [0.09, 0.3, {}]}}, position: [0, 0, {:.17g}], material: steel}}
)",
                       k, first, links, step_angle(), 2.0 * half, z);
    for (const double x : {-0.03, 0.03})
      for (const double y : {-0.12, 0.12}) {
        const double reach = radius + drop + foot;
        const double low = k == 0 ? std::sqrt(reach * reach - x * x) : height(k - 1) + half + foot;
        out += fmt::format(
            "        - {{sphere: {{radius: {}}}, position: [{}, {}, {:.17g}], material: foot}}\n",
            foot, x, y, low);
      }
  }
  out += fmt::format(R"(surfaces:
  - {{materials: [foot, wood], law: {{kind: newton-impact, friction: {0}}}}}
  - {{materials: [foot, steel], law: {{kind: newton-impact, friction: {0}}}}}
)",
                     friction);
  if (!joints) return out;
  out += fmt::format("joint: {{level: {}}}\njoints:\n", level);
  for (int k = 0; k < layers; ++k)
    for (int i = 1; i < links; ++i) {
      const double angle = first + (i - 0.5) * step_angle(), r = height(k);
      out += fmt::format(
          "  - {{name: pin {0}.{2}, kind: revolute, between: [link{0}.{1}, link{0}.{2}], at: "
          "[{3:.17g}, 0, {4:.17g}], axis: [0, 1, 0]}}\n",
          k, i - 1, i, r * std::sin(angle), r * std::cos(angle));
    }
  return out;
}

}  // namespace saltus_bench
