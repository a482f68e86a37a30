#include "saltus/assembly/loop_work.h"

#include <algorithm>
#include <cmath>

#include "saltus/state/failure_words.h"

namespace saltus {

LoopWork::LoopWork(const Model& model, std::span<const int> groups) {
  for (const int g : groups)
    if (const int n = model.groups()[static_cast<std::size_t>(g)].dynamics->velocities(); n > 0)
      members_.push_back({g, Vector::Zero(n), Vector::Zero(n)});
}

//     |r . (v0 + v1)/2| <= most (T0 + T1),   r = G^T L
void LoopWork::find(const IslandJoints& joints, const IslandStep& step, double most,
                    StepReport& report) {
  const JointSystem& system = joints.system();
  if (!report.converged || !report.finite || !system.loops() || joints.jumps()) return;
  if (std::ranges::any_of(system.moved(), [](char moved) { return moved != 0; })) return;
  double work = 0.0, kinetic = 0.0;
  for (Member& m : members_) {
    if (!joints.impulse(m.group, m.r)) continue;
    const auto g = static_cast<std::size_t>(m.group);
    const Trial& trial = step.trials[g];
    const Dynamics& body = *step.model.groups()[g].dynamics;
    work += 0.5 * (m.r.dot(trial.start->v) + m.r.dot(trial.v));
    for (const Vector* v : {&trial.start->v, &trial.v}) {
      body.multiply({1.0, 0.0, 0.0}, trial.t0, trial.start->q, *v, *v, m.y);
      kinetic += 0.5 * v->dot(m.y);
    }
  }
  constexpr double kRoundOff = 1e-12;  // of bodies at rest
  if (std::abs(work) <= std::max(most * kinetic, kRoundOff * step.energy)) return;
  report.converged = false;
  report.group = members_.front().group;
  report.failure = failure::kJointWork;
}

}  // namespace saltus
