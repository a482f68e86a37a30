// Nonsmooth generalised-alpha with contact at velocity level. rho is the spectral radius at
// infinite frequency, dv the velocity jump due to the impulse, a' the smooth acceleration of the
// step; forces are evaluated with both:
//
//     alpha_m = (2 rho - 1)/(rho + 1),  alpha_f = rho/(rho + 1),  gamma = 1/2 + alpha_f - alpha_m,
//         beta = (gamma + 1/2)^2/4
//     M dv = r,    M w' = F(t1, q1, v1),
//         (1 - alpha_m) a' + alpha_m a0 = (1 - alpha_f) w' + alpha_f w0
//     v1 = v0 + h [ (1 - gamma) a0 + gamma a' ] + dv
//     q1 = q0 (+) ( h v0 + h^2 [ (1/2 - beta) a0 + beta a' ] + (h/2) dv )
//
// With c = (1 - alpha_m)/(1 - alpha_f), S = c M + h gamma C + h^2 beta K and a' eliminated,
//
//     A^-1 = S^-1 ( c M + h^2 (beta - gamma/2) K ) M^-1
//
// A tends to M and is symmetric where C is Rayleigh damping; (h/2) dv keeps a body at rest in
// place, also against its own elastic forces. For rigid bodies K is left out of both S and A, so
// that A^-1 = c S^-1 has one block per body. The memory is a', w', without the impulse; at the
// start a = w = M^-1 F, and after a change of the step a' - M^-1 F is scaled with its length. Order
// 2 on smooth motion without a limit on the step, also with rotations, where a and w belong to
// Omega in the body frame. The numerical damping has no formula for a single step: it is booked as
// `unexplained`.
// Source: J. Chung, G. M. Hulbert 1993, Q.-z. Chen et al. 2013, on rotations O. Bruls, A. Cardona,
// M. Arnold 2012; theory in docs/theory/generalized-alpha.md.
#include "saltus/schemes/generalized_alpha.h"

#include <algorithm>
#include <cmath>

#include "saltus/schemes/implicit.h"

namespace saltus {
namespace {

/// A^-1 of the header comment: x <- S^-1 (c M + k K) M^-1 x, with M, K of `body` at (t, q, v).
class AlphaOperator final : public Operator {
 public:
  Factor S;
  const Factor* M = nullptr;
  const Dynamics* body = nullptr;
  Combination middle;
  double t = 0.0;
  Vector q, v;

  void solve(Eigen::Ref<Matrix> X) const override {
    for (Eigen::Index j = 0; j < X.cols(); ++j) {
      x_ = X.col(j);
      saltus::solve(*M, x_);
      body->multiply(middle, t, q, v, x_, y_);
      saltus::solve(S, y_);
      X.col(j) = y_;
    }
  }
  bool symmetric() const override { return symmetric_; }
  SolveRecord record() const override { return saltus::record(S); }
  void forget() override { saltus::forget(S); }

  /// Tests the symmetry of A^-1 numerically: y . A^-1 x = x . A^-1 y for two unstructured vectors.
  void probe() {
    const Eigen::Index n = body->velocities();
    if (one_.size() != n) {
      one_.resize(n);
      two_.resize(n);
      for (Eigen::Index i = 0; i < n; ++i) {
        one_[i] = std::sin(1.0 + 2.399963 * static_cast<double>(i));
        two_[i] = std::cos(0.7 + 3.883222 * static_cast<double>(i));
      }
    }
    probe_.resize(n, 2);
    probe_ << one_, two_;
    y_.resize(n);
    solve(probe_);
    const double a = two_.dot(probe_.col(0)), b = one_.dot(probe_.col(1));
    symmetric_ = std::abs(a - b) <= 1e-13 * two_.norm() * probe_.col(0).norm();
  }

 private:
  mutable Vector x_, y_;  // used by one group of one simulation only
  Vector one_, two_;      ///< test vectors of probe()
  Matrix probe_;
  bool symmetric_ = true;
};

class GeneralizedAlpha final : public ImplicitScheme {
 public:
  explicit GeneralizedAlpha(const GeneralizedAlphaOptions& o)
      : ImplicitScheme({o.newton_tolerance, o.newton_iterations}, false),
        alpha_m_((2.0 * o.rho_infinity - 1.0) / (o.rho_infinity + 1.0)),
        alpha_f_(o.rho_infinity / (o.rho_infinity + 1.0)),
        gamma_(0.5 + alpha_f_ - alpha_m_),
        beta_(0.25 * (gamma_ + 0.5) * (gamma_ + 0.5)),
        c_((1.0 - alpha_m_) / (1.0 - alpha_f_)) {}
  std::string_view name() const override { return GeneralizedAlphaOptions::name; }
  double gain() const override { return 0.5; }
  std::unique_ptr<Prepared> prepare(const Dynamics& body, double) const override {
    return std::make_unique<MassFactor>(body);
  }
  void start(const Dynamics& body, const Prepared* prepared, double t, double h,
             GroupState& state) const override;
  void change_step(const Dynamics& body, const Prepared* prepared, double t, double before,
                   double h, GroupState& state) const override;
  void finish(const Dynamics& body, Trial& x, GroupState& end) const override;
  void work(const Dynamics& body, Trial& x, const GroupState& end, StepWork& out) const override;

 protected:
  enum Own { a1 = own, w1, dv };
  int own_vectors() const override { return 3; }
  void predict(const Dynamics& body, Trial& x) const override;
  void place_end(const Dynamics& body, Trial& x) const override;
  void free_velocity(const Dynamics& body, Trial& x) const override;
  void residual(const Dynamics& body, Trial& x, Vector& res) const override;
  Combination matrix(double h) const override { return {c_, h * gamma_, h * h * beta_}; }
  double travel(const Trial& x) const override { return x.h * beta_ / gamma_; }

 private:
  void weigh(Trial& x) const;  // computes w' from a'
  void add_start(Trial& x) const;
  static bool rigid(const Dynamics& body) { return has(body.traits(), Trait::rigid); }
  static const Factor& mass(const Trial& x) {
    const auto* kept = static_cast<const MassFactor*>(x.prepared);
    return kept->constant ? kept->M : x.M;
  }
  double alpha_m_, alpha_f_, gamma_, beta_, c_;
};

void GeneralizedAlpha::start(const Dynamics& body, const Prepared* prepared, double t, double,
                             GroupState& state) const {
  start_accelerations(body, prepared, t, state);
}

void GeneralizedAlpha::change_step(const Dynamics& body, const Prepared* prepared, double t,
                                   double before, double h, GroupState& state) const {
  scale_accelerations(body, prepared, t, h / before, state);
}

// a' = a0, dv = 0
void GeneralizedAlpha::predict(const Dynamics& body, Trial& x) const {
  const double h = x.h;
  const Vector& a0 = x.start->memory[0];
  x.work[a1] = a0;
  x.work[dv].setZero();
  weigh(x);
  x.v = x.start->v + h * a0;
  if (has(body.traits(), Trait::rotations)) {
    x.work[increment] = h * x.start->v + 0.5 * h * h * a0;
    body.retract(x.start->q, x.work[increment], x.q);
  } else {
    x.q = x.start->q + h * x.start->v + 0.5 * h * h * a0;
  }
}

void GeneralizedAlpha::weigh(Trial& x) const {
  x.work[w1] = ((1.0 - alpha_m_) * x.work[a1] + alpha_m_ * x.start->memory[0] -
                alpha_f_ * x.start->memory[1]) /
               (1.0 - alpha_f_);
}

// M w' - F(t1, q1, v1) - (C + (h/2) K) dv: the residual without the contribution of the jump to the
// linearised forces, with C and K of S [N]
void GeneralizedAlpha::residual(const Dynamics& body, Trial& x, Vector& res) const {
  x.work[q_at] = x.q;
  x.work[v_at] = x.v;
  x.t_at = x.t0 + x.h;
  body.multiply({1.0, 0.0, 0.0}, x.t_at, x.work[q_at], x.work[v_at], x.work[w1], res);
  body.force(x.t_at, x.work[q_at], x.work[v_at], x.work[force]);
  res -= x.work[force];
  if (x.pass == 0) return;  // dv = 0
  body.multiply({0.0, 1.0, rigid(body) ? 0.0 : 0.5 * x.h}, x.t_at, x.work[q_at], x.work[v_at],
                x.work[dv], x.work[force]);
  res -= x.work[force];
}

// v_free = v0 + h [ (1 - gamma) a0 + gamma (a' - S^-1 residual) ]
void GeneralizedAlpha::free_velocity(const Dynamics& body, Trial& x) const {
  residual(body, x, x.v_free);
  safeguard(body, x, x.v_free);
  if (rigid(body)) {
    body.factorise({c_, x.h * gamma_, 0.0}, x.t_at, x.work[q_at], x.work[v_at], x.A);
    solve(x.A, x.v_free);
    for (auto& block : std::get<Blocks6>(x.A.form).inverse) block *= c_;
    return add_start(x);
  }
  if (!x.factorised) {
    auto* held = std::get_if<std::unique_ptr<Operator>>(&x.A.form);
    if (!held || !dynamic_cast<AlphaOperator*>(held->get())) {
      x.A.form = std::make_unique<AlphaOperator>();
      held = std::get_if<std::unique_ptr<Operator>>(&x.A.form);
    }
    auto& A = static_cast<AlphaOperator&>(**held);
    const bool affine = has(body.traits(), Trait::affine);
    A.t = x.t_at;
    A.q = x.work[q_at];
    A.v = x.work[v_at];
    body.factorise(matrix(x.h), A.t, A.q, A.v, A.S);
    if (!static_cast<const MassFactor*>(x.prepared)->constant)
      body.factorise({1.0, 0.0, 0.0}, A.t, A.q, A.v, x.M);
    A.M = &mass(x);
    A.body = &body;
    A.middle = {c_, 0.0, x.h * x.h * (beta_ - 0.5 * gamma_)};
    A.probe();
    x.factorised = affine;
  }
  const auto& A = static_cast<const AlphaOperator&>(*std::get<std::unique_ptr<Operator>>(x.A.form));
  solve(A.S, x.v_free);
  add_start(x);
}

// v_free from S^-1 residual, which it contains.
void GeneralizedAlpha::add_start(Trial& x) const {
  x.v_free =
      x.start->v + x.h * ((1.0 - gamma_) * x.start->memory[0] + gamma_ * (x.work[a1] - x.v_free));
}

// Computes dv, a', w' and q1 from the velocity x.v.
void GeneralizedAlpha::place_end(const Dynamics& body, Trial& x) const {
  const double h = x.h;
  const Vector &a0 = x.start->memory[0], &v0 = x.start->v;
  if (x.pass > 0) {
    x.work[dv] = x.r;
    solve(mass(x), x.work[dv]);
  }
  x.work[a1] = (x.v - v0 - x.work[dv]) / (h * gamma_) - ((1.0 - gamma_) / gamma_) * a0;
  weigh(x);
  if (has(body.traits(), Trait::rotations)) {
    x.work[increment] =
        h * v0 + h * h * ((0.5 - beta_) * a0 + beta_ * x.work[a1]) + 0.5 * h * x.work[dv];
    body.retract(x.start->q, x.work[increment], x.q);
  } else {
    x.q = x.start->q + h * v0 + h * h * ((0.5 - beta_) * a0 + beta_ * x.work[a1]) +
          0.5 * h * x.work[dv];
  }
}

void GeneralizedAlpha::finish(const Dynamics& body, Trial& x, GroupState& end) const {
  end.memory.resize(2);
  end.memory[0] = x.work[a1];
  end.memory[1] = x.work[w1];
  ImplicitScheme::finish(body, x, end);
}

// E1 - E0 = h F . v_m + r . v_m + truncation error,  v_m = (v0 + v1)/2, h F by the trapezoidal rule
void GeneralizedAlpha::work(const Dynamics& body, Trial& x, const GroupState& end,
                            StepWork& out) const {
  x.work[change] = 0.5 * (x.start->v + end.v);
  std::fill(out.by_source.begin(), out.by_source.end(), 0.0);
  book_sources(body, x.t0, x.t0, x.start->q, x.start->v, x.work[change], 0.5 * x.h, out.by_source);
  book_sources(body, x.t0 + x.h, x.t0, end.q, end.v, x.work[change], 0.5 * x.h, out.by_source);
  out.energy = body.energy(held_at(body, x, x.t0 + x.h), end.q, end.v);
}

}  // namespace

std::unique_ptr<Scheme> make_generalized_alpha(const GeneralizedAlphaOptions& options) {
  return std::make_unique<GeneralizedAlpha>(options);
}

}  // namespace saltus
