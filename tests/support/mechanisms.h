// The mechanisms of tests/golden/benchmarks, every body with all its coordinates.
#pragma once
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "joint_scene.h"

namespace saltus::test {

/// B14: a top whose mass centre is at (0, 1, 0) of the body from the ball joint in the origin.
inline JointScene heavy_top_on_ball() {
  JointScene scene;
  const Vector3 arm(0.0, 1.0, 0.0), W(0.0, 150.0, -4.61538);
  scene.add(15.0, Vector3(0.234375, 0.46875, 0.234375).asDiagonal(), arm, Quaternion::Identity(),
            W.cross(arm), W);
  scene.join(JointKind::ball, -1, 0, Vector3::Zero());
  return scene;
}

/// B17b: bars of 1 m and 1 kg in the plane z = 0, y up: n + 1 upright ones on the ground at (i, 0), n couplers on their
/// tops. Bodies 0 .. n stand. The tops move with `speed` along x.
inline JointScene four_bars(int n, double speed) {
  JointScene scene;
  scene.gravity = Vector3(0.0, -9.81, 0.0);
  const auto foot = [](int i) { return Vector3(i, 0.0, 0.0); };
  const auto top = [](int i) { return Vector3(i, 1.0, 0.0); };
  for (int i = 0; i <= n; ++i) {
    const int bar = scene.rod(1.0, foot(i), top(i), 0.0, kPlane);
    scene.turn(bar, Vector3(0.0, 0.0, -speed), foot(i));
    scene.join(JointKind::revolute, -1, bar, foot(i));
  }
  for (int i = 0; i < n; ++i) {
    const int coupler = scene.rod(1.0, top(i), top(i + 1), 0.0, kPlane);
    scene.shift(coupler, Vector3(speed, 0.0, 0.0));
    scene.join(JointKind::revolute, i, coupler, top(i));
    scene.join(JointKind::revolute, coupler, i + 1, top(i + 1));
  }
  return scene;
}

/// B17c: Andrews' squeezer in the plane z = 0. In the generalised model the bodies turn by
///     beta,  beta + Theta,  gamma,  Phi + delta,  delta,  Omega + epsilon,  epsilon
/// and the constraints say where the point P that the bodies 2, 3, 4 and 6 share is; the entries of its mass matrix are squares
/// of the distances of the mass centres from the pins.
struct Squeezer {
  JointScene scene;
  std::array<double, 7> start{};  ///< beta, Theta, gamma, Phi, delta, Omega, epsilon [rad]

  /// The same from the angles by which the bodies have turned [rad].
  std::array<double, 7> angles(const std::array<double, 7>& turned) const {
    const auto& s = start;
    const double beta = s[0] + turned[0], gamma = s[2] + turned[2], delta = s[4] + turned[4],
                 epsilon = s[6] + turned[6];
    return {beta,  s[0] + s[1] + turned[1] - beta,    gamma,  s[3] + s[4] + turned[3] - delta,
            delta, s[5] + s[6] + turned[5] - epsilon, epsilon};
  }
};
inline Squeezer andrews_squeezer() {
  const double d = 28e-3, da = 115e-4, e = 2e-2, ea = 1421e-5, zf = 2e-2, fa = 1421e-5, zt = 4e-2,
               rr = 7e-3, ra = 92e-5, sa = 1874e-5, sb = 1043e-5, sc = 18e-3, sd = 2e-2,
               ta = 2308e-5, tb = 916e-5, u = 4e-2, ua = 1228e-5, ub = 449e-5;
  const std::array<double, 7> m{0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498},
      I{2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5};
  Squeezer s;
  s.start = {-0.0617138900142764496358948458001, 0.0,
             0.455279819163070380255912382449,   0.222668390165885884674473185609,
             0.487364979543842550225598953530,   -0.222668390165885884674473185609,
             1.23054744454982119249735015568};
  const auto& q = s.start;
  const Vector3 O = Vector3::Zero(), A(-0.06934, -0.00227, 0.0), B(-0.03635, 0.03273, 0.0),
                C(0.014, 0.072, 0.0);
  // along: at this angle from x; beside: across it, to its right
  const auto along = [](double a) { return Vector3(std::cos(a), std::sin(a), 0.0); };
  const auto beside = [](double a) { return Vector3(std::sin(a), -std::cos(a), 0.0); };
  const double two = q[0] + q[1], four = q[3] + q[4], six = q[5] + q[6];
  const Vector3 crank = rr * along(q[0]), P = crank - d * along(two);
  const Vector3 D = B + sd * along(q[2]) + sc * beside(q[2]);
  const Vector3 E = A + zt * along(q[4]), H = A + u * beside(q[6]);
  const std::array<Vector3, 7> centre{ra * along(q[0]),
                                      crank - da * along(two),
                                      B + sa * beside(q[2]) + sb * along(q[2]),
                                      E + (e - ea) * beside(four),
                                      A + ta * along(q[4]) + tb * beside(q[4]),
                                      H + (zf - fa) * along(six),
                                      A + ua * along(q[6]) + ub * beside(q[6])};
  JointScene& scene = s.scene;
  scene.gravity.setZero();
  for (std::size_t i = 0; i < 7; ++i)
    scene.add(m[i], I[i] * Matrix3::Identity(), centre[i], Quaternion::Identity(), Vector3::Zero(),
              Vector3::Zero(), kPlane);
  const JointKind pin = JointKind::revolute;
  scene.join(pin, -1, 0, O);
  scene.join(pin, 0, 1, crank);
  scene.join(pin, 1, 2, P);
  scene.join(pin, -1, 2, B);
  scene.join(pin, 2, 3, P);
  scene.join(pin, 2, 5, P);
  scene.join(pin, -1, 4, A);
  scene.join(pin, 4, 3, E);
  scene.join(pin, -1, 6, A);
  scene.join(pin, 6, 5, H);
  const int line = scene.join(JointKind::line, -1, 2, C, D, Vector3::UnitZ());
  scene.spring(line, 4530.0, 0.0, 0.07785);
  scene.system.loads.push_back(
      {0, true, true, Vector3::UnitZ(), Vector3::Zero(), Signal::constant(0.033)});
  return s;
}

/// B17d: Bricard's mechanism: six links along the edges x, y, z, -x, -y, -z of a unit cube, which close; the last one is the
/// world. The axis of a joint is across both its links, so that neighbouring axes are at right angles.
/// order: in which the joints are written down, of the numbers 0 .. 5.
inline JointScene bricard(const std::vector<int>& order = {0, 1, 2, 3, 4, 5}) {
  JointScene scene;
  scene.gravity = Vector3(0.0, -9.81, 0.0);
  const std::array<Vector3, 6> P{Vector3(0, 0, 0), Vector3(1, 0, 0), Vector3(1, 1, 0),
                                 Vector3(1, 1, 1), Vector3(0, 1, 1), Vector3(0, 0, 1)};
  for (std::size_t i = 0; i < 5; ++i) scene.rod(1.0, P[i], P[i + 1], 0.1);
  for (const int i : order) {
    const auto k = static_cast<std::size_t>(i);
    const Vector3 before = P[k] - P[(k + 5) % 6], after = P[(k + 1) % 6] - P[k];
    const int j = scene.join(JointKind::revolute, i - 1, i < 5 ? i : -1, P[k], before.cross(after));
    scene.joints[static_cast<std::size_t>(j)].name = std::string("P").append(std::to_string(i));
  }
  return scene;
}

/// B17e: a shaft that turns about z, from the top of which two rods of 1 m hang on revolutes, with a point mass each at
/// their ends; stiff springs with dashpots hold a slider on the shaft from their middles. 30 degrees, `speed` [rad/s].
/// Bodies: shaft, slider, rods; then the masses.
struct Governor {
  JointScene scene;
  int shaft = 0, slider = 0;
  std::array<int, 2> arm{}, ball{};
};
inline Governor flyball_governor(double speed) {
  Governor g;
  JointScene& scene = g.scene;
  const double density = 3000.0, rod = density * 1e-4, cube = density * 1e-3,
               alpha = std::numbers::pi / 6.0;
  const Vector3 top(0.0, 0.0, 0.0), omega(0.0, 0.0, speed);
  g.shaft = scene.rod(rod, Vector3(0.0, 0.0, -1.0), top, 0.01);
  const Vector3 place(0.0, 0.0, -std::cos(alpha));
  g.slider = scene.add(cube, cube * 0.01 / 6.0 * Matrix3::Identity(), place);
  scene.join(JointKind::revolute, -1, g.shaft, top);
  scene.join(JointKind::prismatic, g.shaft, g.slider, place);
  for (const int i : {0, 1}) {
    const double side = i == 0 ? 1.0 : -1.0;
    const Vector3 end(side * std::sin(alpha), 0.0, -std::cos(alpha));
    const auto k = static_cast<std::size_t>(i);
    g.arm[k] = scene.rod(rod, top, end, 0.01);
    scene.join(JointKind::revolute, g.shaft, g.arm[k], top, Vector3::UnitY());
    const int line =
        scene.join(JointKind::line, g.slider, g.arm[k], place, 0.5 * end, Vector3::UnitZ());
    scene.spring(line, 8e5, 4e4, 0.5);
    scene.turn(g.arm[k], omega, Vector3::Zero());
    g.ball[k] = scene.point(5.0, end, omega.cross(end));
    scene.join(JointKind::ball, g.arm[k], g.ball[k], end);
  }
  scene.turn(g.shaft, omega, Vector3::Zero());
  scene.turn(g.slider, omega, Vector3::Zero());
  return g;
}

}  // namespace saltus::test
