#include <Eigen/Geometry>
#include <cmath>
#include <cstring>

#include "cases.h"

namespace saltus::contract {

Vector3 point_at(const Dynamics& body, View q, const PointRef& point, double t) {
  Vector x(3);
  body.points(t, q, {&point, 1}, x);
  return x;
}

double rate_of(const Dynamics& body, View q, View v, const PointRef& point, const Vector3& normal) {
  PointRows J;
  body.point_rows(q, q, {&point, 1}, J);
  Vector3 rate = Vector3::Zero();
  for (int k = J.offset[0]; k < J.offset[1]; ++k)
    for (int row = 0; row < 3; ++row)
      for (int j = 0; j < J.width; ++j)
        rate[row] += J.value[static_cast<std::size_t>(J.width * (3 * k + row) + j)] *
                     v[J.column[static_cast<std::size_t>(k)] + j];
  return normal.dot(rate);
}

Vector increment(const Dynamics& body, View a, View b) {
  if (!has(body.traits(), Trait::rotations)) return b - a;
  Vector w(6);
  w.head<3>() = b.head<3>() - a.head<3>();
  const Eigen::Quaterniond turn = Eigen::Quaterniond(a[3], a[4], a[5], a[6]).conjugate() *
                                  Eigen::Quaterniond(b[3], b[4], b[5], b[6]);
  w.tail<3>() = 2.0 * turn.vec();
  return w;
}

Vector multiply(const Dynamics& body, Combination s, View q, View v, View x, double t) {
  Vector y(body.velocities());
  body.multiply(s, t, q, v, x, y);
  return y;
}

double energy_scale(const State& state) {
  return state.energy.kinetic + std::abs(state.energy.potential);
}

namespace {

bool same(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

template <class Array>
bool same_all(const Array& a, const Array& b) {
  const auto bytes = sizeof(*a.data()) * static_cast<std::size_t>(a.size());
  return a.size() == b.size() && (bytes == 0 || std::memcmp(a.data(), b.data(), bytes) == 0);
}

bool same_group(const GroupState& a, const GroupState& b) {
  if (!same_all(a.q, b.q) || !same_all(a.v, b.v) || a.memory.size() != b.memory.size())
    return false;
  for (std::size_t i = 0; i < a.memory.size(); ++i)
    if (!same_all(a.memory[i], b.memory[i])) return false;
  return true;
}

}  // namespace

bool identical(const State& a, const State& b) {
  bool equal = same(a.t, b.t) && a.step == b.step && same(a.h, b.h) &&
               a.groups.size() == b.groups.size() && a.contacts.size() == b.contacts.size() &&
               same(a.energy.kinetic, b.energy.kinetic) &&
               same(a.energy.potential, b.energy.potential) &&
               same(a.energy_start, b.energy_start) && same_all(a.ledger, b.ledger);
  for (std::size_t i = 0; equal && i < a.groups.size(); ++i)
    equal = same_group(a.groups[i], b.groups[i]);
  for (std::size_t i = 0; equal && i < a.contacts.size(); ++i)
    equal = a.contacts[i].key == b.contacts[i].key &&
            same_all(a.contacts[i].impulse, b.contacts[i].impulse) &&
            same_all(a.contacts[i].moment, b.contacts[i].moment);
  return equal;
}

Driven drive(const Dynamics& body, const Scheme& scheme, const GroupState& physical, double h,
             View r) {
  Driven step;
  step.prepared = scheme.prepare(body, h);
  step.start = physical;
  scheme.start(body, step.prepared.get(), 0.0, h, step.start);
  step.end = step.start;
  step.trial = std::make_unique<Trial>();
  Trial& trial = *step.trial;
  trial.h = h;
  trial.prepared = step.prepared.get();
  trial.q.resize(body.positions());
  trial.v.resize(body.velocities());
  trial.v_free.resize(body.velocities());
  trial.r = Vector::Zero(body.velocities());
  trial.start = &step.start;
  const Vector nothing = Vector::Zero(body.velocities());
  const int stages = static_cast<int>(scheme.stages().size());
  for (trial.stage = 0; trial.stage < stages; ++trial.stage) {
    trial.pass = 0;
    trial.r.setZero();
    scheme.begin(body, trial);
    double before = 0.0, outstanding = 0.0;
    do {
      ++trial.pass;
      scheme.linearise(body, trial);
      if (trial.stage + 1 == stages)
        trial.r = r;
      else
        trial.r = nothing;
      before = outstanding;
      outstanding = scheme.correct(body, trial);
      ++step.passes;
      if (trial.pass > 1 && outstanding > 1e-13)
        step.contraction = std::max(step.contraction, outstanding / before);
    } while (!scheme.one_pass(body) && outstanding > 1e-15 && trial.pass < 40);
  }
  --trial.stage;
  scheme.finish(body, trial, step.end);
  step.gain = trial.gain;
  trial.start = nullptr;  // of this function only
  return step;
}

}  // namespace saltus::contract
