// The midpoint step of many rigid bodies at once, on registers of 1, 2, 4 or 8 of them. A body has
// the same bits whatever its company and the width. Internal to rig_mid.cpp.
#pragma once
#include <vector>

#include "saltus/dynamics/dynamics.h"

namespace saltus::rig_mid {

/// Mass and inertia by components, bodies side by side, filled up to a multiple of eight.
struct Columns {
  explicit Columns(const RigidData& data);
  enum Entry { xx, yy, zz, xy, xz, yz, m_x, m_y, m_z, free_x, free_y, free_z, spread, entries };
  const double* operator[](int entry) const { return value.data() + entry * stride; }

  std::ptrdiff_t bodies = 0, stride = 0;
  std::vector<double> value;  ///< J, 1/m by axes, 1 or 0 where a spin is locked, |J| |J^-1|
};

/// One step; vectors as the group has them.
struct Step {
  double h = 0.0;
  const double *q0 = nullptr, *v0 = nullptr;
  const double *load = nullptr, *r = nullptr;  ///< (f, T) at mid-step and impulses
  double *q1 = nullptr, *v1 = nullptr, *q_mid = nullptr, *v_mid = nullptr;
};

/// v1 and v_mid = (v0 + v1)/2 under the given load, q1 and q_mid. False where Newton's method found
/// no end for some body.
bool advance(const Columns& bodies, const Step& step);
/// v_mid, q1 and q_mid of a given v1.
void place(const Columns& bodies, const Step& step);

/// The same on registers of a width that this machine has; for tests.
bool advance(const Columns& bodies, const Step& step, int width);

}  // namespace saltus::rig_mid
