#include "saltus/sim/probe_values.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "saltus/contact/joint_system.h"
#include "saltus/contact/rows.h"
#include "saltus/spec/joint_spec.h"

namespace saltus {

ProbeValues::ProbeValues(const Model& model, JointSystem& joints, const State& state)
    : model_(model), joints_(joints) {
  for (std::size_t i = 0; i < model.probes().size(); ++i) {
    const Probe& probe = model.probes()[i];
    if (probe.quantity != Probe::Quantity::joint ||
        !is_angle(model.joints()[static_cast<std::size_t>(probe.joint)].kind, probe.coordinate))
      continue;
    angle_probes_.push_back(static_cast<int>(i));
    angle_of_.push_back({probe.joint, probe.coordinate});
  }
  angles_.resize(static_cast<Eigen::Index>(angle_of_.size()));
  measure_angles(state);
}

void ProbeValues::measure_angles(const State& state) {
  if (angle_of_.empty()) return;
  joints_.coordinates(
      state.t, [&](int g) -> const Vector& { return state.groups[static_cast<std::size_t>(g)].q; },
      angle_of_, angles_);
}

void ProbeValues::notice_wraps(const State& state, Notices& notices) {
  if (angle_of_.empty()) return;
  angles_before_.swap(angles_);
  angles_.resize(angles_before_.size());
  measure_angles(state);
  for (Eigen::Index i = 0; i < angles_.size(); ++i) {
    if (!(std::abs(angles_[i] - angles_before_[i]) > std::numbers::pi)) continue;
    const int index = angle_probes_[static_cast<std::size_t>(i)];
    notices.add(Notice::Kind::wrapped, index, 0, [&] {
      const Probe& probe = model_.probes()[static_cast<std::size_t>(index)];
      const Joint& joint = model_.joints()[static_cast<std::size_t>(probe.joint)];
      return fmt::format(
          "output '{}' jumps by 2 pi when joint '{}' passes half a turn, because it gives the "
          "angle from -pi to pi; integrate an output with `quantity: velocity` to count turns",
          probe.name, coordinate_text(joint.name, joint.kind, probe.coordinate));
    });
  }
}

// c, and G_c v + d
std::array<double, 2> ProbeValues::joint_coordinate(int joint, int coordinate, const State& state,
                                                    PreparedSchemes prepared) {
  joints_.make_rows(
      state.t, [&](int g) -> const Vector& { return state.groups[static_cast<std::size_t>(g)].q; });
  double rate = 0.0;
  for (std::size_t g = 0; g < state.groups.size(); ++g) {
    row_.clear(1);
    rate += joints_.add_coordinate(joint, coordinate, 1.0, static_cast<int>(g), 0, row_)[0];
    const Group& group = model_.groups()[g];
    v_.resize(group.dynamics->velocities());
    group.scheme->velocity(*group.dynamics, prepared[g].get(), state.t, state.h, state.groups[g],
                           v_);
    Eigen::Matrix<double, 1, 1> u;
    u.setZero();
    row_.multiply_add(v_, u);
    rate += u[0];
  }
  return {joints_.coordinate(joint, coordinate), rate};
}

// n . x(q) - rest, or n . (J v + d)
double ProbeValues::point(const Probe& probe, double t, const GroupState& state) {
  const Dynamics& body = *model_.groups()[static_cast<std::size_t>(probe.group)].dynamics;
  const std::array at{probe.point};
  Vector3 x;
  if (probe.quantity != Probe::Quantity::velocity) {
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

double ProbeValues::value(const Probe& probe, const State& state, PreparedSchemes prepared,
                          const std::vector<Vector>& reactions) {
  using Quantity = Probe::Quantity;
  if (probe.quantity == Quantity::joint || probe.quantity == Quantity::joint_rate)
    return joint_coordinate(probe.joint, probe.coordinate, state,
                            prepared)[probe.quantity == Quantity::joint ? 0 : 1];
  const GroupState& at = state.groups[static_cast<std::size_t>(probe.group)];
  const bool reaction = probe.quantity == Quantity::reaction;
  const Vector& r = reactions[static_cast<std::size_t>(probe.group)];
  if (!probe.table) return reaction ? r[probe.reaction] : point(probe, state.t, at);
  Eigen::Matrix<double, 1, 1> y;
  probe.table->apply(reaction                               ? r
                     : probe.quantity == Quantity::velocity ? at.v
                                                            : at.q,
                     scratch_, y);
  return y[0];
}

}  // namespace saltus
