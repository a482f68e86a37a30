#include "saltus/assembly/contact_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/base/index_internal.h"
#include "saltus/linear_algebra/blocks_internal.h"

namespace saltus {
namespace {

constexpr double kTravelShare = 7e-3;  // relative to the kinetic energy of the body
constexpr double kTravelOfAll = 2e-3;  // relative to that of all bodies
// (sum x)^2/(sum x^2): spread over so many equal steps, not over a few impacts.
constexpr double kTravelSteps = 8.0;

}  // namespace

ContactWatch::ContactWatch(const Model& model, const ContactList& list) : model_(model) {
  for (std::size_t m = 0; m < list.members().size(); ++m) {
    const int group = list.members()[m].group;
    const Dynamics& body = *model.groups()[at(group)].dynamics;
    first_.push_back(-1);
    if (!body.rigid() || body.velocities() == 0) continue;
    first_.back() = static_cast<int>(bodies_.size());
    for (int b = 0; b < body.bodies(); ++b) {
      bodies_.emplace_back();
      of_.push_back({group, b});
    }
  }
  touched_.reserve(bodies_.size());
}

ContactWatch::BodyWatch* ContactWatch::body_of(const ContactList& list,
                                               const IslandContact::Side& side, int& index) {
  index = -1;
  if (side.member < 0 || first_[at(side.member)] < 0) return nullptr;
  index = first_[at(side.member)] + list.members()[at(side.member)].at[at(side.point)].body;
  return &bodies_[at(index)];
}

// Relative to v_c, the velocity of the centre of mass of the two, or of the support:
//     T = 1/2 m |v - v_c|^2 + 1/2 omega . J omega,
// and the part along and about the surface with normal n:
//     T - 1/2 m (n . (v - v_c))^2.
std::array<ContactWatch::Moves, 2> ContactWatch::kinetic(const IslandStep& step,
                                                         const ContactList& list,
                                                         const IslandContact& c,
                                                         const int (&number)[2]) const {
  std::array<Moves, 2> most{};
  for (const bool end : {false, true}) {
    const auto v = [&](int s) {
      const auto [group, body] = of_[at(number[s])];
      return (end ? step.ends[at(group)].v : step.trials[at(group)].start->v).segment<6>(6 * body);
    };
    const auto mass = [&](int s) {
      const auto [group, body] = of_[at(number[s])];
      return model_.groups()[at(group)].dynamics->rigid()->mass[at(body)];
    };
    Vector3 centre = Vector3::Zero();
    if (number[0] >= 0 && number[1] >= 0) {
      const double a = mass(0), b = mass(1);
      centre = (a * v(0).head<3>() + b * v(1).head<3>()) / (a + b);
    } else {
      const IslandContact::Side& held = c.side[number[0] >= 0 ? 1 : 0];
      if (held.member >= 0) {
        const ContactList::Member& m = list.members()[at(held.member)];
        const Vector& drift = end ? m.drift1 : m.drift0;
        if (drift.size() > 0) centre = drift.segment<3>(3 * held.point);
      }
    }
    for (int s = 0; s < 2; ++s) {
      if (number[s] < 0) continue;
      const auto [group, body] = of_[at(number[s])];
      const Matrix3& J = model_.groups()[at(group)].dynamics->rigid()->inertia[at(body)];
      const Vector3 x = v(s).head<3>() - centre, omega = v(s).tail<3>();
      const double T = 0.5 * (mass(s) * x.squaredNorm() + omega.dot(J * omega));
      const double n = x.dot(c.direction[0]);
      most[at(s)].all = std::max(most[at(s)].all, T);
      most[at(s)].along = std::max(most[at(s)].along, T - 0.5 * mass(s) * n * n);
    }
  }
  return most;
}

void ContactWatch::look(IslandStep& step, const ContactList& list, std::span<const int> admitted,
                        const Vector& p, const Vector& rate, const Vector& u) {
  if (bodies_.empty() || !step.counts) return;
  const double t0 = step.trials.front().t0;
  if (t0 < until_ - 1e-6 * step.h) return;
  until_ = t0 + step.h;
  kinetic_ = std::max(kinetic_, step.kinetic);
  touched_.clear();
  const auto touch = [&](BodyWatch* body, int index, double impulse) {
    if (!body) return;
    if (!body->now) {
      body->now = true;
      body->load = body->moves = 0.0;
      // after a flight the next contact is an impact
      if (t0 - body->at > 3.5 * step.h) body->last = 0.0;
      touched_.push_back(index);
    }
    body->load += impulse;
  };
  moves_.resize(admitted.size());
  in_blocks(admitted.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const IslandContact& c = list[at(admitted[k])];
      if (at(admitted[k]) < list.named() || !(p[c.first_row] > 0.0)) continue;
      int number[2];
      for (std::size_t s = 0; s < 2; ++s) body_of(list, c.side[s], number[s]);
      moves_[k] = kinetic(step, list, c, number);
    }
  });
  // the loads of all contacts, then their losses
  for (const bool losses : {false, true})
    for (std::size_t k = 0; k < admitted.size(); ++k) {
      const int i = admitted[k];
      const IslandContact& c = list[at(i)];
      const std::array<Moves, 2>& T = moves_[k];
      const double P = p[c.first_row];
      if (at(i) < list.named() || !(P > 0.0) || list.law(at(i)).bilateral()) continue;
      int number[2];
      BodyWatch* const body[2] = {body_of(list, c.side[0], number[0]),
                                  body_of(list, c.side[1], number[1])};
      if (!losses) {
        for (int s = 0; s < 2; ++s) {
          touch(body[s], number[s], P);
          if (body[s]) body[s]->moves = std::max(body[s]->moves, T[at(s)].all);
        }
        continue;
      }
      const ContactLaw& law = list.law(at(i));
      if (!law.set_valued() || (law.activated() && law.facts().activation->closing_only)) continue;
      const double loss = -0.5 * P * (rate[c.first_row] + u[c.first_row]);
      if (!(loss > 0.0)) continue;
      taken_ += loss;
      BodyWatch* loser = nullptr;  // the one of the two with more kinetic energy
      double most = -1.0, last = 0.0, along = 0.0;
      for (int s = 0; s < 2; ++s) {
        if (!body[s] || !body[s]->now) continue;
        last = std::max(last, body[s]->last);
        if (T[at(s)].all > most) most = T[at(s)].all, loser = body[s];
        along = std::max(along, T[at(s)].along);
      }
      if (loser) loser->taken += loss;
      if (loser && last > 0.0) {
        const double share = std::min(loss, along) * std::min(1.0, last / P);
        loser->lost += share;
        loser->squares += share * share;
      }
    }
  look_at_bodies(step);
}

void ContactWatch::look_at_bodies(IslandStep& step) {
  for (const int number : touched_) {
    BodyWatch& one = bodies_[at(number)];
    const auto [group, body] = of_[at(number)];
    one.now = false;
    one.last = one.load;
    one.at = until_;
    one.kinetic = std::max(one.kinetic, one.moves);
    if (!(one.lost > kTravelShare * (one.kinetic + one.taken)) ||
        !(one.lost > kTravelOfAll * (kinetic_ + taken_)) ||
        !(one.lost * one.lost > kTravelSteps * one.squares))
      continue;
    const RigidData& data = *model_.groups()[at(group)].dynamics->rigid();
    // A body slower than the speed that its load gives it in a few steps counts as at rest.
    if (!(data.mass[at(body)] * one.kinetic > 50.0 * one.last * one.last)) continue;
    step.notices.add(Notice::Kind::travels, group, body, [&] {
      const Group& of = model_.groups()[at(group)];
      return fmt::format(
          "the contacts of '{}' travel while they carry its load (on a rim, over edges or facets) "
          "faster than the steps resolve, which dissipates energy like impacts; use a shorter "
          "step, "
          "or event-driven integration (`time.mode: events`)",
          of.bodies.empty() ? of.name : of.bodies[at(body)]);
    });
  }
}

}  // namespace saltus
