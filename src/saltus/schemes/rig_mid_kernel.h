// The midpoint step of many rigid bodies at once, in SIMD packs of 1, 2, 4 or 8 bodies. The result
// for a body is bitwise independent of the width and of the other bodies. Internal to rig_mid.cpp.
#pragma once
#include <vector>

#include "saltus/dynamics/dynamics.h"

namespace saltus::rig_mid {

/// Mass and inertia by component, bodies contiguous, padded to a multiple of eight.
struct Columns {
  explicit Columns(const RigidData& data);
  enum Entry { xx, yy, zz, xy, xz, yz, m_x, m_y, m_z, free_x, free_y, free_z, spread, entries };
  const double* operator[](int entry) const { return value.data() + entry * stride; }

  std::ptrdiff_t bodies = 0, stride = 0;
  std::vector<double> value;  ///< J, 1/m per axis, 1 or 0: free or locked rotation, |J| |J^-1|
};

/// One step; the layout of the vectors is that of the group.
struct Step {
  double h = 0.0;
  const double *q0 = nullptr, *v0 = nullptr;
  const double *load = nullptr, *r = nullptr;  ///< (f, T) at mid-step and impulses
  double *q1 = nullptr, *v1 = nullptr, *q_mid = nullptr, *v_mid = nullptr;
};

/// Computes v1, v_mid = (v0 + v1)/2, q1 and q_mid under the given load. False if Newton's method
/// did not converge for some body.
bool advance(const Columns& bodies, const Step& step);
/// Computes v_mid, q1 and q_mid from a given v1.
void place(const Columns& bodies, const Step& step);

/// advance() with a pack width that this machine supports; for tests.
bool advance(const Columns& bodies, const Step& step, int width);

}  // namespace saltus::rig_mid
