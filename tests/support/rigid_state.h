// The state of rigid bodies from their places and velocities.
#pragma once
#include <vector>

#include "saltus/dynamics/state.h"

namespace saltus::test {

/// Of things with a place x, Q in space, a velocity v in space and Omega in the body: q = (x, Q as w x y z), v = (v, Omega).
template <class Thing>
GroupState rigid_state(const std::vector<Thing>& things) {
  GroupState state;
  const auto n = static_cast<Eigen::Index>(things.size());
  state.q.resize(7 * n);
  state.v.resize(6 * n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Thing& thing = things[static_cast<std::size_t>(i)];
    state.q.template segment<7>(7 * i) << thing.x, thing.Q.w(), thing.Q.x(), thing.Q.y(),
        thing.Q.z();
    state.v.template segment<6>(6 * i) << thing.v, thing.Omega;
  }
  return state;
}

}  // namespace saltus::test
