#include "saltus/sim/reaction_forces.h"

#include "saltus/assembly/island_joints.h"

namespace saltus {

ReactionForces::ReactionForces(const Model& model)
    : model_(model), is_static_(model.options().mode == TimeMode::statics) {
  for (const Group& group : model.groups()) {
    values_.push_back(Vector::Zero(group.dynamics->prescribed()));
    any_ = any_ || group.dynamics->prescribed() > 0;
  }
}

void ReactionForces::start(const State& state, PreparedSchemes prepared) {
  for (std::size_t g = 0; g < values_.size(); ++g) {
    if (values_[g].size() == 0) continue;
    const Dynamics& body = *model_.groups()[g].dynamics;
    const GroupState& at = state.groups[g];
    v_.resize(body.velocities());
    a_.resize(body.velocities());
    model_.groups()[g].scheme->velocity(body, prepared[g].get(), state.t, state.h, at, v_);
    body.force(state.t, at.q, v_, a_);
    Factor M;
    body.factorise({1.0, 0.0, 0.0}, state.t, at.q, v_, M);
    solve(M, a_);
    if (is_static_) a_.setZero();
    body.reactions(state.t, at.q, v_, a_, values_[g]);
  }
}

// Uses the mean acceleration of the step, at the middle of the interval over which the velocity of
// the scheme changed; in statics the equilibrium at the end.
void ReactionForces::update(double h, const State& state, std::span<const GroupState> ends,
                            std::span<const ContactMemory> contacts, Islands islands) {
  for (std::size_t g = 0; g < values_.size(); ++g) {
    if (values_[g].size() == 0) continue;
    const Group& group = model_.groups()[g];
    const GroupState &at0 = state.groups[g], &at1 = ends[g];
    // Half-step velocities are centred on t0.
    const double back = state.event_state.active ? 0.0 : 1.0 - group.scheme->velocity_at();
    q_ = at0.q;
    if (back == 0.0) q_ = 0.5 * (at0.q + at1.q);
    v_ = 0.5 * (at0.v + at1.v);
    a_ = (at1.v - at0.v) / h;
    double t = state.t + (0.5 - back) * h;
    if (is_static_) {
      q_ = at1.q;
      v_.setZero();
      a_.setZero();
      t = state.t + h;
    }
    group.dynamics->reactions(t, q_, v_, a_, values_[g]);
    add_pairs(g, t, h, contacts);
    for (const PointImpulse& on : impulses_) add_impulse(g, t, h, on);
    for (const auto& island : islands)
      if (!state.event_state.active && island && island->joints())
        for (const PointImpulse& on : island->joints()->loads().on_prescribed())
          add_impulse(g, t, h, on);
  }
}

// Adds contact impulses of the step as forces on the points of this group.
void ReactionForces::add_pairs(std::size_t g, double t, double h,
                               std::span<const ContactMemory> contacts) {
  const Dynamics& body = *model_.groups()[g].dynamics;
  auto pair = model_.pairs().begin();
  for (const ContactMemory& contact : contacts) {
    while (pair != model_.pairs().end() && pair->key < contact.key) ++pair;
    if (pair == model_.pairs().end()) break;  // the remaining contacts are between surfaces
    for (const auto& [side, sign] : {std::pair(&pair->a, 1.0), std::pair(&pair->b, -1.0)}) {
      if (side->group != static_cast<int>(g)) continue;
      f_.setZero(3);
      for (int a = 0; a < pair->rows(); ++a)
        f_ += sign / h * contact.impulse[a] * pair->direction(a);
      body.point_reactions(t, q_, std::span(&side->ref, 1), f_, values_[g]);
    }
  }
}

void ReactionForces::add_impulse(std::size_t g, double t, double h, const PointImpulse& on) {
  if (on.group != static_cast<int>(g)) return;
  f_ = on.impulse / h;
  model_.groups()[g].dynamics->point_reactions(t, q_, std::span(&on.at, 1), f_, values_[g]);
}

}  // namespace saltus
