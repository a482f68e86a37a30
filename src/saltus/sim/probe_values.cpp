#include "saltus/sim/probe_values.h"

#include "saltus/assembly/joint_angles.h"
#include "saltus/contact/joint_system.h"
#include "saltus/contact/rows.h"

namespace saltus {

// c, and G_c v + d
std::array<double, 2> ProbeValues::coordinate(int joint, int coordinate, const State& state) {
  const Joint& of = model_.joints()[static_cast<std::size_t>(joint)];
  double rate = 0.0;
  const auto add = [&](int g) {
    if (g < 0) return;
    row_.clear(1);
    rate += joints_.add_coordinate(joint, coordinate, 1.0, g, 0, row_)[0];
    Eigen::Matrix<double, 1, 1> u;
    u.setZero();
    row_.multiply_add(v_[static_cast<std::size_t>(g)], u);
    rate += u[0];
  };
  add(std::min(of.a.group, of.b.group));
  if (of.a.group != of.b.group) add(std::max(of.a.group, of.b.group));
  const double c = joints_.coordinate(joint, coordinate);
  const JointAngle* const angle = model_.angle_of(joint, coordinate);
  return {angle ? nearest_turn(c, stored_angle(*angle, state.groups)) : c, rate};
}

/// Physical velocities of the groups.
void ProbeValues::measure_velocities(const State& state, PreparedSchemes prepared) {
  v_.resize(state.groups.size());
  for (std::size_t g = 0; g < state.groups.size(); ++g) {
    const Group& group = model_.groups()[g];
    v_[g].resize(group.dynamics->velocities());
    if (state.event_state.active)
      v_[g] = state.groups[g].v;
    else
      group.scheme->velocity(*group.dynamics, prepared[g].get(), state.t, state.h, state.groups[g],
                             v_[g]);
  }
}

std::array<double, 2> ProbeValues::joint_coordinate(int joint, int coordinate, const State& state,
                                                    PreparedSchemes prepared) {
  measure_velocities(state, prepared);
  joints_.make_rows(
      state.t, [&](int g) -> const Vector& { return state.groups[static_cast<std::size_t>(g)].q; });
  return this->coordinate(joint, coordinate, state);
}

// Angles alone need no rows.
void ProbeValues::joint_coordinates(const State& state, PreparedSchemes prepared,
                                    std::vector<double>& values, std::vector<double>& rates) {
  if (all_.empty())
    for (int j = 0; j < static_cast<int>(model_.joints().size()); ++j)
      for (int k = 0; k < independent_count(model_.joints()[static_cast<std::size_t>(j)].kind); ++k)
        all_.push_back({j, k});
  values.resize(all_.size());
  rates.resize(all_.size());
  measure_velocities(state, prepared);
  const auto q = [&](int g) -> const Vector& {
    return state.groups[static_cast<std::size_t>(g)].q;
  };
  if (model_.angles().size() == all_.size()) {
    const auto n = static_cast<Eigen::Index>(all_.size());
    joints_.coordinates(state.t, q, all_, Eigen::Map<Vector>(values.data(), n));
    joints_.angle_rates(
        state.t, q, [&](int g) -> const Vector& { return v_[static_cast<std::size_t>(g)]; }, all_,
        Eigen::Map<Vector>(rates.data(), n));
    for (std::size_t k = 0; k < all_.size(); ++k)
      values[k] = nearest_turn(values[k], stored_angle(model_.angles()[k], state.groups));
    return;
  }
  joints_.make_rows(state.t, q);
  for (std::size_t k = 0; k < all_.size(); ++k) {
    const auto [value, rate] = coordinate(all_[k][0], all_[k][1], state);
    values[k] = value;
    rates[k] = rate;
  }
}

// n . x(q) - rest, or n . (J v + d)
double ProbeValues::point(const Probe& probe, Probe::Quantity quantity, double t,
                          const GroupState& state) {
  const Dynamics& body = *model_.groups()[static_cast<std::size_t>(probe.group)].dynamics;
  const std::array at{probe.point};
  Vector3 x;
  if (quantity == Probe::Quantity::angular_velocity) {
    body.spin_rows(state.q, state.q, at, rows_);
    row_.clear(1);
    row_.add(0, 1.0, probe.direction, rows_, 0);
    Eigen::Matrix<double, 1, 1> u;
    u.setZero();
    row_.multiply_add(state.v, u);
    return u[0];
  }
  if (quantity != Probe::Quantity::velocity) {
    body.points(t, state.q, at, x);
    return probe.direction.dot(x) - probe.rest;
  }
  PointRows& J = rows_;
  body.point_drift(t, state.q, at, x);
  body.point_rows(state.q, state.q, at, J);
  double sum = probe.direction.dot(x);
  for (int k = J.offset[0]; k < J.offset[1]; ++k)
    for (int axis = 0; axis < 3; ++axis)
      for (int j = 0; j < J.width; ++j)
        sum += probe.direction[axis] *
               J.value[static_cast<std::size_t>((3 * k + axis) * J.width + j)] *
               state.v[J.column[static_cast<std::size_t>(k)] + j];
  return sum;
}

/// As in the energy balance: the scheme measures that of a whole group.
Energy ProbeValues::energy(const Probe& probe, const State& state, PreparedSchemes prepared) {
  const auto g = static_cast<std::size_t>(probe.group);
  const Group& group = model_.groups()[g];
  const GroupState& at = state.groups[g];
  if (probe.point.body < 0 && !state.event_state.active)
    return group.scheme->energy(*group.dynamics, prepared[g].get(), state.t, state.h, at);
  measure_velocities(state, prepared);
  return probe.point.body < 0
             ? group.dynamics->energy(state.t, at.q, v_[g])
             : group.dynamics->energy_of_body(probe.point.body, state.t, at.q, v_[g]);
}

Vector3 ProbeValues::push(const JointLaw& law, const State& state) {
  const auto& joint = model_.joints()[static_cast<std::size_t>(law.joint)];
  if (is_angle(joint.kind, law.coordinate)) return Vector3::Zero();
  joints_.make_rows(
      state.t, [&](int g) -> const Vector& { return state.groups[static_cast<std::size_t>(g)].q; });
  const auto [a, b] = joints_.frames(law.joint);
  return saltus::joint_coordinate(joint.kind, law.coordinate, a, b).direction;
}

double ProbeValues::value(const Probe& probe, Probe::Quantity quantity, const State& state,
                          PreparedSchemes prepared, const std::vector<Vector>& reactions) {
  using Quantity = Probe::Quantity;
  if (quantity == Quantity::joint || quantity == Quantity::joint_rate)
    return joint_coordinate(probe.joint, probe.coordinate, state,
                            prepared)[quantity == Quantity::joint ? 0 : 1];
  const GroupState& at = state.groups[static_cast<std::size_t>(probe.group)];
  if (quantity == Quantity::energy || quantity == Quantity::kinetic_energy) {
    const Energy E = energy(probe, state, prepared);
    return quantity == Quantity::energy ? E.total() : E.kinetic;
  }
  if (probe.field) {
    measure_velocities(state, prepared);
    return probe.field(state.t, at.q, v_[static_cast<std::size_t>(probe.group)]);
  }
  const bool reaction = quantity == Quantity::reaction;
  const Vector& r = reactions[static_cast<std::size_t>(probe.group)];
  if (!probe.table) return reaction ? r[probe.reaction] : point(probe, quantity, state.t, at);
  Eigen::Matrix<double, 1, 1> y;
  probe.table->apply(reaction ? r : quantity == Quantity::velocity ? at.v : at.q, scratch_, y);
  return y[0];
}

}  // namespace saltus
