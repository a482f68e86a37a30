// The woodpecker toy of Glocker in three coordinates (B09): it pecks down its pole by impacts, sticking and sliding.
#pragma once
#include "contacts.h"
#include "saltus/bodies/auto_model.h"

namespace saltus::test {

/// q = (y, phi_M, phi_S): height and angle of the sleeve, angle of the bird. Lengths in m, masses in kg.
struct Woodpecker {
  static constexpr int size = 3;
  static constexpr bool constant_mass = true, symmetric = true;
  static constexpr int points = 3;
  double rO = 0.0025, rM = 0.0031, hM = 0.0058, lM = 0.010, lG = 0.015, hS = 0.02, lS = 0.0201;
  double mM = 0.0003, mS = 0.0045, JM = 5e-9, JS = 7e-7, c = 0.0056, g = 9.81;

  auto kinetic(const auto&, const auto& v) const {
    const auto sleeve = v[0], joint = v[0] + lM * v[1], bird = joint + lG * v[2];
    return 0.5 * (mM * sleeve * sleeve + JM * v[1] * v[1] + mS * bird * bird + JS * v[2] * v[2]);
  }
  auto potential(const auto& q) const {
    const auto twist = q[1] - q[2];
    return 0.5 * c * twist * twist + g * ((mM + mS) * q[0] + mS * lM * q[1] + mS * lG * q[2]);
  }
  /// Beak and the two corners of the sleeve: x along the pole, z the gap.
  void point(int i, const auto& q, auto& x) const {
    x[1] = 0.0;
    if (i == 0) {
      x[0] = q[0] + lM * q[1] + (lG - lS) * q[2];
      x[2] = lM + lG - lS - rO - hS * q[2];
    } else {
      x[0] = q[0] + rM * q[1];
      x[2] = rM - rO + (i == 1 ? hM : -hM) * q[1];
    }
  }
};

/// Where the data set starts it, or with another angle of the sleeve; contact 1 is the beak's.
inline ModelParts woodpecker(double h, double phi_M = -0.1036) {
  const MovingBody body{std::make_shared<Lagrangian>(auto_model(Woodpecker{})),
                        Vector{{0.0, phi_M, -0.2788}}, Vector{{-0.3411, 0.0, -7.4583}}};
  ModelParts parts = one_group(body, MoreauJeanOptions{}, h);
  for (int i = 0; i < 3; ++i)
    add_pair(parts, {0, {0, i, Vector3::Zero()}}, world(), Vector3::UnitZ(),
             newton_law(i == 0 ? 0.5 : 0.0, 0.3), {Vector3::UnitX()});
  return parts;
}

}  // namespace saltus::test
