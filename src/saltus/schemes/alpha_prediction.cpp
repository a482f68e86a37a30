#include "saltus/schemes/alpha_prediction.h"

#include <algorithm>
#include <cmath>

#include "saltus/schemes/implicit.h"

namespace saltus {
namespace {

/// Factors of M and, for affine groups, of S.
struct AlphaFactors final : MassFactor {
  explicit AlphaFactors(const Dynamics& body) : MassFactor(body) {}
  Factor S;
};

}  // namespace

AlphaScheme::AlphaScheme(double rho, double tolerance, int iterations)
    : alpha_m_((2.0 * rho - 1.0) / (rho + 1.0)),
      alpha_f_(rho / (rho + 1.0)),
      gamma_(0.5 + alpha_f_ - alpha_m_),
      beta_(0.25 * (gamma_ + 0.5) * (gamma_ + 0.5)),
      tolerance_(tolerance),
      iterations_(iterations) {}

Combination AlphaScheme::matrix(double h) const {
  return {(1.0 - alpha_m_) / (1.0 - alpha_f_), h * gamma_, h * h * beta_};
}

std::unique_ptr<Prepared> AlphaScheme::prepare(const Dynamics& body, double h) const {
  auto factors = std::make_unique<AlphaFactors>(body);
  if (has(body.traits(), Trait::affine)) {
    const Vector q = Vector::Zero(body.positions()), v = Vector::Zero(body.velocities());
    body.factorise(matrix(h), 0.0, q, v, factors->S);
  }
  return factors;
}

void AlphaScheme::start(const Dynamics& body, const Prepared* prepared, double t, double,
                        GroupState& state) const {
  start_accelerations(body, prepared, t, state);
}

void AlphaScheme::change_step(const Dynamics& body, const Prepared* prepared, double t,
                              double before, double h, GroupState& state) const {
  scale_accelerations(body, prepared, t, h / before, state);
}

// q~, v~ and w' from the current a'
void AlphaScheme::place_smooth(const Dynamics& body, Trial& x) const {
  const double h = x.h;
  const Vector &a0 = x.start->memory[0], &w0 = x.start->memory[1], &a = x.work[a1];
  if (has(body.traits(), Trait::rotations)) {
    x.work[moved] = h * x.start->v + h * h * ((0.5 - beta_) * a0 + beta_ * a);
    x.work[smooth_q].resize(body.positions());
    body.retract(x.start->q, x.work[moved], x.work[smooth_q]);
  } else {
    x.work[smooth_q] = x.start->q + h * x.start->v + h * h * ((0.5 - beta_) * a0 + beta_ * a);
  }
  x.work[smooth_v] = x.start->v + h * ((1.0 - gamma_) * a0 + gamma_ * a);
  x.work[w1] = ((1.0 - alpha_m_) * a + alpha_m_ * a0 - alpha_f_ * w0) / (1.0 - alpha_f_);
}

// a' <- a' - S^-1 (M(q~) w' - F(t1, q~, v~)); work[rest] stores the amount subtracted
void AlphaScheme::improve(const Dynamics& body, Trial& x, const Factor* S) const {
  const Vector &q = x.work[smooth_q], &v = x.work[smooth_v];
  x.t_at = x.t0 + x.h;
  body.multiply({1.0, 0.0, 0.0}, x.t_at, q, v, x.work[w1], x.work[rest]);
  body.force(x.t_at, q, v, x.work[change]);
  x.work[rest] -= x.work[change];
  if (!S) body.factorise(matrix(x.h), x.t_at, q, v, x.M);
  solve(S ? *S : x.M, x.work[rest]);
  x.work[a1] -= x.work[rest];
  place_smooth(body, x);
}

void AlphaScheme::predict(const Dynamics& body, Trial& x) const {
  x.failure = {};
  x.work[a1] = x.start->memory[0];
  place_smooth(body, x);
  if (has(body.traits(), Trait::affine))
    return improve(body, x, &static_cast<const AlphaFactors*>(x.prepared)->S);
  const Vector &q = x.work[smooth_q], &v = x.work[smooth_v];
  RoundOff::begin(x.work[history]);
  for (int i = 0; i < iterations_; ++i) {
    improve(body, x, nullptr);
    x.q = q;
    x.v = v;
    Vector &dv = x.work[change], &answer = x.work[rest];
    dv = x.h * gamma_ * x.work[rest];
    answer = x.h * x.work[a1];
    const double outstanding =
        outstanding_change(body, x, dv, answer, x.work[product], x.work[scale]);
    if (outstanding <= tolerance_ ||
        RoundOff::reached(body, x, outstanding, dv, x.M, q, v, x.work[history], x.work[product],
                          answer, x.work[scale]))
      return;
    if (!std::isfinite(outstanding)) break;
  }
  x.failure = "the smooth prediction of generalised-alpha did not converge";
}

void AlphaScheme::finish(const Dynamics& body, Trial& x, GroupState& end) const {
  end.memory.resize(2);
  end.memory[0] = x.work[a1];
  end.memory[1] = x.work[w1];
  ExplicitScheme::finish(body, x, end);
}

void AlphaScheme::book_smooth(const Dynamics& body, const Trial& x, View q1, View v1, View v_m,
                              std::span<double> by_source) const {
  std::fill(by_source.begin(), by_source.end(), 0.0);
  book_sources(body, x.t0, x.t0, x.start->q, x.start->v, v_m, 0.5 * x.h, by_source);
  book_sources(body, x.t0 + x.h, x.t0, q1, v1, v_m, 0.5 * x.h, by_source);
}

}  // namespace saltus
