// Models of one group, for programs that test a scheme on a body.
#pragma once
#include <memory>

#include "saltus/contact/laws/laws.h"
#include "saltus/schemes/registry.h"
#include "saltus/sim/simulation.h"
#include "saltus/solvers/registry.h"

namespace saltus::test {

/// A body and where it starts, physical q and v.
struct MovingBody {
  std::shared_ptr<const Dynamics> dynamics;
  Vector q, v;
};

/// True where the scheme may move the body.
inline bool legal(const Scheme& scheme, const Dynamics& body) {
  return (scheme.needs() & ~body.traits()) == 0 && (scheme.refuses() & body.traits()) == 0;
}

inline ModelParts one_group(const MovingBody& body, const SchemeChoice& scheme, double h) {
  ModelParts parts;
  parts.groups.push_back({"body", "body", body.dynamics, make_scheme(scheme)});
  GroupState state;
  state.q = body.q;
  state.v = body.v;
  parts.initial.push_back(state);
  parts.solver = find_solver("auto")->make();
  parts.options.h = h;
  return parts;
}

/// Degree of freedom `dof` of group 0 may not pass below the plane through `place`; its points move along `normal`.
inline void add_stop(ModelParts& parts, const PointRef& point, const Vector3& place,
                     const Vector3& normal, const AnyLaw& law) {
  parts.laws.push_back(law);
  parts.pairs.push_back({parts.pairs.size() + 1,
                         {0, point},
                         {-1, {0, 0, place}},
                         normal,
                         static_cast<int>(parts.laws.size()) - 1});
}

inline Vector velocity_of(const Simulation& sim, int group = 0) {
  Vector v(sim.model().groups()[static_cast<std::size_t>(group)].dynamics->velocities());
  sim.velocity(group, v);
  return v;
}

}  // namespace saltus::test
