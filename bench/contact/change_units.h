// The same contact problem in other units.
#pragma once
#include <memory>
#include <vector>

#include "saltus/base/error.h"
#include "saltus/contact/problem_data.h"

namespace saltus_bench {

/// Factors on the numbers of masses, lengths and times, e.g. kg to g: mass = 1000.
struct Units {
  double mass = 1.0, length = 1.0, time = 1.0;
};

/// Velocities get length/time, angular velocities of rolling contacts 1/time, mu_R and sigma get length; with D = 1 on the rows of
/// velocities and 1/length on those of angular velocities  W' = D W D/mass,  b' = D b length/time. Impulses of the new
/// problem are p' = D^-1 p mass length/time. W must be held by blocks; so is W'.
inline saltus::ContactProblemData change_units(const saltus::ContactProblemData& problem,
                                               const Units& units) {
  const saltus::BlockMatrix* held = problem.W->blocks();
  saltus::expects(held != nullptr, "change_units: W must be held by blocks");
  saltus::ContactProblemData out = problem;
  std::vector<double> D(static_cast<std::size_t>(problem.rows()), 1.0);
  for (saltus::Law& law : out.laws) {
    if (law.kind == saltus::LawKind::rolling) {
      for (int i = law.first + law.forces(); i < law.first + law.size; ++i)
        D[static_cast<std::size_t>(i)] = 1.0 / units.length;
      law.rolling *= units.length;
      law.spinning *= units.length;
    }
    law.bound *= units.mass * units.length / units.time;
  }
  for (int i = 0; i < problem.rows(); ++i)
    out.b[i] *= D[static_cast<std::size_t>(i)] * units.length / units.time;

  saltus::BlockMatrix W = *held;
  for (int c = 0; c < W.contacts(); ++c)
    for (int k = W.offset[static_cast<std::size_t>(c)];
         k < W.offset[static_cast<std::size_t>(c) + 1]; ++k) {
      const int d = W.column[static_cast<std::size_t>(k)];
      for (int i = 0; i < W.size(c); ++i)
        for (int j = 0; j < W.size(d); ++j)
          W.value[W.start[static_cast<std::size_t>(k)] +
                  static_cast<std::size_t>(i * W.size(d) + j)] *=
              D[static_cast<std::size_t>(W.first[static_cast<std::size_t>(c)] + i)] *
              D[static_cast<std::size_t>(W.first[static_cast<std::size_t>(d)] + j)] / units.mass;
    }
  out.W = std::make_shared<saltus::BlockDelassus>(std::move(W), problem.W->symmetric());
  return out;
}

}  // namespace saltus_bench
