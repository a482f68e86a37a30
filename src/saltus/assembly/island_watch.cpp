#include "saltus/assembly/island_watch.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "saltus/assembly/contradiction.h"
#include "saltus/assembly/notice_text.h"
#include "saltus/model/joint_summary.h"
#include "saltus/state/failure_words.h"

namespace saltus {

IslandWatch::IslandWatch(const Model& model, ContactList& list, const IslandProblem& problem)
    : model_(model), list_(list), problem_(problem), contacts_(model, list) {
  if (problem.needs().damping) find_mechanisms();
  for (const int i : list.laws()) directs_ = directs_ || model.law(i).facts().friction.directed();
}

// The bodies of each mechanism, each listed once.
void IslandWatch::find_mechanisms() {
  mechanism_ = mechanisms(model_);
  for (std::size_t i = 0; i < mechanism_.size(); ++i)
    for (const JointSide* side : {&model_.joints()[i].a, &model_.joints()[i].b})
      if (side->group >= 0)
        joined_.push_back(
            {static_cast<int>(mechanism_[i]), side->group,
             model_.groups()[size(side->group)].dynamics->rigid() ? side->ref.body : 0});
  std::sort(joined_.begin(), joined_.end());
  joined_.erase(std::unique(joined_.begin(), joined_.end()), joined_.end());
}

void IslandWatch::find_passed(IslandStep& step, StepReport& report) {
  const auto acted = [&]() -> std::span<const std::array<int, 2>> {
    acted_.clear();
    for (std::size_t i = list_.named(); i < list_.count(); ++i)
      if (problem_.normal(i) != 0.0) acted_.push_back(list_.bodies_of(i));
    std::sort(acted_.begin(), acted_.end());
    return acted_;
  };
  list_.find_passed(step.trials, acted, [&](const SurfacePassages::Passed& passed) {
    if (step.divides) {
      if (passed.start < report.missed.start)
        report.missed = {passed.start, passed.share, passed.turns};
      return;
    }
    if (passed.inside) return;
    step.notices.add(Notice::Kind::crossed, passed.a, passed.b,
                     [&] { return passed_text(model_, passed, step.h); });
  });
}

void IslandWatch::tell_points(IslandStep& step) {
  for (const int k : problem_.admitted()) {
    if (size(k) < list_.named() || problem_.normal(size(k)) == 0.0) continue;
    const auto [a, b] = list_.bodies_of(size(k));
    step.notices.add(Notice::Kind::points, a, b, [&] { return points_text(model_, a, b); });
    return;
  }
}

void IslandWatch::find_contradiction(Stop* stop, StepReport& report) const {
  if (stop_requested(stop)) return;  // the problem may have been solvable
  const auto see = [&](int k) {
    SeenContact contact;
    list_.see(size(problem_.admitted()[size(k)]), 0.0, contact);
    return contact;
  };
  report.detail = contradiction(
      model_, {problem_.W(), problem_.b(), problem_.laws(), problem_.rows()}, see, stop);
  if (!report.detail.empty()) report.failure = failure::kContradiction;
}

void IslandWatch::look(IslandStep& step, bool rates) {
  if (problem_.needs().damping && rates) find_overdamped(step);
  if (problem_.needs().activates) {
    find_across(step);
    find_open(step);
  }
  if (directs_) find_undirected(step);
  const IslandProblem::Motion& x = problem_.motion;
  contacts_.look(step, list_, problem_.admitted(), problem_.impulses(), x.u0, x.u);
}

// Kinetic energy at the start of the step [J] of the two bodies of a contact; for a law on a joint,
// of its mechanism; for a deformable body, of its group.
double IslandWatch::kinetic_of(const IslandStep& step, std::size_t i) const {
  double sum = 0.0;
  const auto add = [&](int g, int body) {
    const Dynamics& of = *model_.groups()[size(g)].dynamics;
    if (of.velocities() == 0) return;
    const GroupState& start = *step.trials[size(g)].start;
    if (const RigidData* const data = of.rigid()) {
      const Vector3 v = start.v.segment<3>(6 * body), omega = start.v.segment<3>(6 * body + 3);
      sum += 0.5 * (data->mass[size(body)] * v.squaredNorm() +
                    omega.dot(data->inertia[size(body)] * omega));
    } else {
      sum += of.energy(step.trials[size(g)].t0, start.q, start.v).kinetic;
    }
  };
  const IslandContact& c = list_[i];
  if (c.joint_law >= 0) {
    const auto joint = size(model_.joint_laws()[size(c.joint_law)].joint);
    const auto mechanism = static_cast<int>(mechanism_[joint]);
    for (auto one = std::lower_bound(joined_.begin(), joined_.end(), std::array{mechanism, 0, 0});
         one != joined_.end() && (*one)[0] == mechanism; ++one)
      add((*one)[1], (*one)[2]);
    return sum;
  }
  for (const IslandContact::Side& side : c.side)
    if (side.member >= 0) {
      const ContactList::Member& m = list_.members()[size(side.member)];
      add(m.group, m.at[size(side.point)].body);
    }
  return sum;
}

// A dashpot c evaluated at mid-step on a row of effective mass 1/W gives
//     u1 = -(z/2 - 1)/(z/2 + 1) u0,   z = h c W,
// which has the opposite sign for z > 2. A reversal of less than a ten-thousandth of the energy of
// the bodies, or of their mechanism, does not matter. The energy of the whole system, potential
// energy included, counts only as a scale of round-off.
void IslandWatch::find_overdamped(IslandStep& step) {
  constexpr double kMost = 2.0, kTurned = 0.02, kEnergyShare = 1e-4, kRoundOff = 1e-12;
  for (std::size_t k = 0; k < problem_.admitted().size(); ++k) {
    const auto i = size(problem_.admitted()[k]);
    const LawFacts& law = list_.law(i).facts();
    const auto first = static_cast<Eigen::Index>(problem_.laws()[k].first);
    if (!law.damps_in_middle || problem_.p()[first] == 0.0) continue;
    const int row = list_[i].first_row;
    const double W = problem_.diagonal(first), z = step.h * law.damping * W;
    const double u0 = problem_.motion.u0[row], u1 = problem_.motion.u[row];
    if (!(z > kMost) || !(u0 * u1 < 0.0) || !(std::abs(u1) > kTurned * std::abs(u0)) ||
        !(0.5 * u0 * u0 >
          std::max(kEnergyShare * kinetic_of(step, i), kRoundOff * step.energy) * W))
      continue;
    step.notices.add(Notice::Kind::overdamped, list_[i].joint_law, list_[i].law, [&] {
      return overdamped_text(model_, list_[i].joint_law, law.damping, z, step.h);
    });
  }
}

// A velocity law admits a contact by its position without contact forces: over a long step that may
// be far beyond a surface which the body never reaches. A body that ends above the surface by more
// than its size and more than it moved is held in the air.
void IslandWatch::find_across(IslandStep& step) {
  for (std::size_t k = 0; k < problem_.admitted().size(); ++k) {
    const auto i = size(problem_.admitted()[k]);
    const ContactLaw& law = list_.law(i);
    const int row = list_[i].first_row;
    const double gap = problem_.motion.y[problem_.admitted()[k]], P = problem_.normal(i);
    if (!(P > 0.0) || !law.activated() || !(gap > 0.0) || law.facts().cohesion > 0.0) continue;
    const double fastest =
        std::max(std::abs(problem_.motion.u0[row]), std::abs(problem_.motion.u[row]));
    if (!(gap > 2.0 * step.h * fastest) || i < list_.named() || !(gap > list_.size_of(i))) continue;
    const auto [a, b] = list_.bodies_of(i);
    // the point would fall with a = W P/h: sqrt(2 gap/a) is its time to the surface
    const double time =
        std::sqrt(2.0 * gap * step.h / (problem_.diagonal_of_row(problem_.laws()[k].first) * P));
    step.notices.add(Notice::Kind::across, a, b,
                     [&] { return across_text(model_, a, b, gap, step.h, time); });
  }
}

// The largest of its rates and of the speeds of its points on rigid bodies [m/s].
double IslandWatch::speed_of(const IslandStep& step, std::size_t i) const {
  const IslandContact& c = list_[i];
  double speed = problem_.motion.u.segment(c.first_row, 1 + c.tangents).norm();
  if (c.joint_law >= 0) return speed;
  for (const IslandContact::Side& side : c.side) {
    if (side.member < 0) continue;
    const ContactList::Member& m = list_.members()[size(side.member)];
    const GroupState& start = *step.trials[size(m.group)].start;
    const Group& group = model_.groups()[size(m.group)];
    if (!group.dynamics->rigid() || start.v.size() == 0) continue;
    const int body = m.at[size(side.point)].body;
    Vector3 x;
    group.dynamics->points(step.trials[size(m.group)].t0 + step.h, step.ends[size(m.group)].q,
                           std::span(&m.at[size(side.point)], 1), x);
    const Vector3 arm = x - start.q.segment<3>(7 * body);
    speed = std::max(speed, start.v.segment<3>(6 * body).norm() +
                                arm.norm() * start.v.segment<3>(6 * body + 3).norm());
  }
  return speed;
}

void IslandWatch::find_open(IslandStep& step) {
  constexpr std::size_t kRoom = 1000;  // few of many contacts are open
  open_.begin(std::min(list_.count(), kRoom));
  for (std::size_t k = 0; k < problem_.admitted().size(); ++k) {
    const auto i = size(problem_.admitted()[k]);
    const ContactLaw& law = list_.law(i);
    const double gap = problem_.motion.y[problem_.admitted()[k]], P = problem_.normal(i),
                 W = problem_.diagonal_of_row(problem_.laws()[k].first);
    if (!(P > 0.0) || !(gap > 0.0) || !law.activated() || !problem_.history().rests(i)) continue;
    // separation velocities, like closing velocities, are accurate only to the tolerance
    const double slack =
                     std::max(i < list_.named() ? 0.0 : list_.slack(), step.h * problem_.closing()),
                 motion = step.h * (speed_of(step, i) + W * P);
    if (!open_.add(list_[i].key, gap, motion, law.facts().closes_gaps, slack)) continue;
    SeenContact seen;
    list_.see(i, gap, seen);
    const auto name = [&] {
      if (list_[i].joint_law >= 0)
        return "stops of " + model_.joint_laws()[size(list_[i].joint_law)].name;
      return "contacts of " + pair_name(model_, seen.view, "with");
    };
    step.notices.add(Notice::Kind::open, seen.view.a.group, seen.view.b.group,
                     [&] { return open_text(name(), gap, law); });
  }
  open_.end();
}

void IslandWatch::find_undirected(IslandStep& step) {
  for (const int k : problem_.admitted())
    if (const IslandContact& c = list_[size(k)]; c.lost_axis && problem_.normal(size(k)) > 0.0)
      step.notices.add(Notice::Kind::undirected, c.law, -1,
                       [&] { return undirected_text(model_, c.law); });
}

// After more than half a turn in a step, |h (u0 + u1)/2| > pi, the angles at its ends fit a shorter
// rotation as well.
void IslandWatch::expect_counted(IslandStep& step, StepReport& report) {
  u_.setZero(list_.rows());
  for (const ContactList::Member& m : list_.members())
    m.H.multiply_add(step.ends[size(m.group)].v, u_);
  list_.add_drift(u_);
  for (std::size_t i = 0; i < list_.named(); ++i) {
    const int row = list_[i].first_row;
    if (!list_[i].counted ||
        !(std::abs(0.5 * step.h * (problem_.motion.u0[row] + u_[row])) > std::numbers::pi))
      continue;
    report.finite = report.converged = false;
    report.group = list_.members().front().group;
    report.failure = kFastTurn;
    report.joint_law = list_[i].joint_law;
    return;
  }
}

}  // namespace saltus
