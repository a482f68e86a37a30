#include "saltus/schemes/explicit.h"

#include <algorithm>
#include <array>

#include "saltus/base/error.h"

namespace saltus {

void ExplicitScheme::use_mass(const Dynamics& body, Trial& x, double t, View q, View v) {
  if (x.factorised) return;
  body.factorise({1.0, 0.0, 0.0}, t, q, v, x.A);
  x.factorised = constant_mass(body);
}

void ExplicitScheme::use(const Dynamics& body, Trial& x, Combination s, double t, View q, View v) {
  if (x.factorised) return;
  body.factorise(s, t, q, v, x.A);
  x.factorised = has(body.traits(), Trait::affine);
}

void ExplicitScheme::undamped_force(const Dynamics& body, Trial& x, double t, View q, View v,
                                    Vector& f) {
  body.force(t, q, v, f);
  const Rayleigh R = body.rayleigh();
  if (R.mass == 0.0 && R.stiffness == 0.0) return;
  body.multiply({R.mass, 0.0, R.stiffness}, t, q, v, v, x.work[response]);
  f += x.work[response];
}

void ExplicitScheme::begin(const Dynamics& body, Trial& x) const {
  if (x.work.empty()) {
    x.work.assign(static_cast<std::size_t>(own + own_vectors(body)), Vector(body.velocities()));
    x.work[q_free].resize(body.positions());
    x.work[q_at].resize(body.positions());
  }
  flight(body, x);
}

// Stores the motion without contact in the first pass.
void ExplicitScheme::linearise(const Dynamics&, Trial& x) const {
  if (x.pass > 1) return;
  x.v_free = x.v;
  x.work[q_free] = x.q;
}

double ExplicitScheme::correct(const Dynamics& body, Trial& x) const {
  x.work[response] = x.r;
  solve_vector(x.A, x.work[response]);  // A^-1 r
  x.v = x.v_free + x.work[response];
  x.work[response] *= x.gain * x.h;
  body.retract(x.work[q_free], x.work[response], x.q);
  return 0.0;
}

void ExplicitScheme::finish(const Dynamics&, Trial& x, GroupState& end) const {
  end.q.swap(x.q);
  end.v.swap(x.v);
}

void ExplicitScheme::book(const Dynamics& body, Trial& x, const GroupState& end, double t, View q,
                          View v, const Vector& d, StepWork& out) {
  const double h = x.h;
  Vector& w = x.work[response];
  w = 0.5 * (x.start->v + end.v);
  std::array<double, 16> rate{};
  const auto sources = body.sources();
  expects(sources.size() <= rate.size(), "a kind has at most 16 sources");
  body.power(t, x.t0, q, v, w, std::span(rate).first(sources.size()));
  double potential = 0.0;
  bool any = false;
  for (std::size_t s = 0; s < sources.size(); ++s) {
    out.by_source[s] = sources[s].potential ? 0.0 : h * rate[s];
    if (sources[s].potential) potential += rate[s];
    any = any || sources[s].potential;
  }
  if (any && constant_mass(body))
    out.scheme += h * potential - 0.5 * (potential_power(body, x.t0, x.t0, x.start->q, x.start->v,
                                                         d, x.work[force]) +
                                         potential_power(body, x.t0 + h, held_at(body, x, x.t0 + h),
                                                         end.q, end.v, d, x.work[force]));
  out.energy = body.energy(held_at(body, x, x.t0 + x.h), end.q, end.v);
}

double potential_power(const Dynamics& body, double t, double held, View q, View v, View w,
                       Vector& f) {
  if (has(body.traits(), Trait::potential)) {
    body.potential_force(held, q, f);
    return f.dot(w);
  }
  std::array<double, 16> rate{};
  const auto sources = body.sources();
  body.power(t, held, q, v, w, std::span(rate).first(sources.size()));
  double sum = 0.0;
  for (std::size_t s = 0; s < sources.size(); ++s)
    if (sources[s].potential) sum += rate[s];
  return sum;
}

}  // namespace saltus
