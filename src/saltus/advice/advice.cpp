#include "saltus/advice/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "saltus/fem/critical_step.h"
#include "saltus/math/dense.h"
#include "saltus/model/scheme_fit.h"

namespace saltus {
namespace {

std::string counted_modes(int count, const char* what) {
  return fmt::format("{} {}mode{}", count, what, count == 1 ? "" : "s");
}

/// Spectral radius of a step of the theta scheme on one mode, (q, v) -> (q1, v1):
///     A v1 = A v - h omega^2 q - (h^2 theta omega^2 + 2 sigma h) v,
///         A = 1 + 2 sigma h theta + h^2 theta^2 omega^2
///     q1 = q + h (theta v1 + (1 - theta) v)
double growth(double omega, double sigma, double theta, double h) {
  const double A = 1.0 + 2.0 * sigma * h * theta + h * h * theta * theta * omega * omega;
  const double vq = -h * omega * omega / A;
  const double vv = 1.0 - (h * h * theta * omega * omega + 2.0 * sigma * h) / A;
  const double qq = 1.0 + h * theta * vq, qv = h * (theta * vv + 1.0 - theta);
  const double trace = qq + vv, determinant = qq * vv - qv * vq;
  const double discriminant = 0.25 * trace * trace - determinant;
  if (discriminant <= 0.0) return std::sqrt(std::max(determinant, 0.0));
  return 0.5 * std::abs(trace) + std::sqrt(discriminant);
}

/// Alternatives to a scheme that is unstable at this step, or at any.
std::string remedy(unsigned traits, bool at_any_step) {
  const std::string others = schemes_for(traits, any_step);
  std::string text = at_any_step ? "damping" : "a shorter step";
  if (!others.empty()) text += ", or a scheme without a limit: " + others;
  return text;
}

/// M^-1 K of a group at a state, and products with M.
class Pencil {
 public:
  Pencil(const Dynamics& body, const GroupState& state)
      : body_(body), state_(state), product_(body.velocities()) {
    body.factorise({1.0, 0.0, 0.0}, 0.0, state.q, state.v, mass_);
  }
  Vector apply(const Vector& x) const {
    Vector y(x.size());
    body_.multiply({0.0, 0.0, 1.0}, 0.0, state_.q, state_.v, x, y);
    solve(mass_, y);
    return y;
  }
  Vector mass(const Vector& x) const {
    Vector y(x.size());
    body_.multiply({1.0, 0.0, 0.0}, 0.0, state_.q, state_.v, x, y);
    return y;
  }
  double damping(const Vector& x) {
    body_.multiply({0.0, 1.0, 0.0}, 0.0, state_.q, state_.v, x, product_);
    return x.dot(product_);
  }

 private:
  const Dynamics& body_;
  const GroupState& state_;
  Factor mass_;
  Vector product_;
};

/// A start vector with a component along every mode, always the same.
Vector rough_start(Eigen::Index n) {
  Vector x(n);
  for (Eigen::Index i = 0; i < n; ++i)
    x[i] = (i % 2 == 0 ? 1.0 : -1.0) * (1.0 + 0.5 * std::sin(12.9898 * static_cast<double>(i + 1)));
  return x;
}

/// Largest eigenvalue of M^-1 K, K symmetric, and its vector: Lanczos in the inner product of M,
/// each vector orthogonalised against all previous ones.
double lanczos(Pencil& A, Vector& x, int steps) {
  const auto n = static_cast<int>(x.size());
  const int most = std::min(n, steps);
  std::vector<Vector> v, Mv;
  Vector alpha(most), beta = Vector::Zero(most);
  int m = 0;
  for (Vector w = x; m < most; ++m) {
    Vector Mw = A.mass(w);
    const double norm = std::sqrt(std::max(w.dot(Mw), 0.0));
    if (!(norm > 0.0) || (m > 0 && norm <= 1e-10 * std::abs(alpha[0]))) break;
    if (m > 0) beta[m - 1] = norm;
    v.push_back(w / norm);
    Mv.push_back(Mw / norm);
    w = A.apply(v.back());
    alpha[m] = w.dot(Mv.back());
    for (int twice = 0; twice < 2; ++twice)
      for (std::size_t i = 0; i < v.size(); ++i) w -= w.dot(Mv[i]) * v[i];
  }
  if (m == 0) return 0.0;
  Matrix T = Matrix::Zero(m, m);
  for (int i = 0; i < m; ++i) {
    T(i, i) = alpha[i];
    if (i + 1 < m) T(i, i + 1) = T(i + 1, i) = beta[i];
  }
  if (!T.allFinite()) return 0.0;
  const SymmetricPairs eigen = symmetric_pairs(T);
  x.setZero();
  for (int i = 0; i < m; ++i) x += eigen.vectors(i, m - 1) * v[static_cast<std::size_t>(i)];
  return eigen.values[m - 1];
}

/// Growth under M^-1 K in the norm of M, averaged over the later powers; for tangents that are not
/// symmetric.
double powers(Pencil& A, Vector& x, int steps) {
  double log_growth = 0.0;
  int counted = 0;
  x /= std::sqrt(x.dot(A.mass(x)));
  for (int k = 0; k < steps; ++k) {
    x = A.apply(x);
    const double norm = std::sqrt(std::max(x.dot(A.mass(x)), 0.0));
    if (!(norm > 0.0) || !std::isfinite(norm)) return 0.0;
    x /= norm;
    if (k < steps / 2) continue;
    log_growth += std::log(norm);
    ++counted;
  }
  return x.dot(A.mass(A.apply(x))) > 0.0 ? std::exp(log_growth / counted) : 0.0;
}

/// For a body with a bound on its motion: one step size up to which all motion is stable, and one
/// above which some motion grows.
std::optional<std::string> bounded_advice(const Dynamics& dynamics, const Scheme& scheme,
                                          const GroupState& start, const MotionBound& bound,
                                          double h, const std::string& body) {
  const double safe = critical_step(scheme, bound);
  if (std::isnan(safe))
    return fmt::format("the stiffness of '{}' is not finite at the start (element {})", body,
                       bound.at);
  if (h <= safe * (1.0 + 1e-6)) return std::nullopt;
  const std::string others = remedy(dynamics.traits(), safe == 0.0);
  double grows = safe;
  if (!bound.exact && has(dynamics.traits(), Trait::symmetric))
    grows = critical_step(scheme, motion_estimate(dynamics, 0.0, start.q, start.v));
  if (h > grows)
    return fmt::format(
        "h = {:.3g} s is above the stability limit of {} for '{}', {:.3g} s (its fastest motion "
        "has at most {:.3g} rad/s); steps up to {:.3g} s are safe; use {}",
        h, scheme.name(), body, grows, bound.omega, safe, others);
  return fmt::format(
      "h = {:.3g} s may be above the stability limit of {} for '{}': steps up to {:.3g} s are "
      "safe, those above {:.3g} s are not; use {}",
      h, scheme.name(), body, safe, grows, others);
}

}  // namespace

std::optional<std::string> step_advice(const ModalData& modes, unsigned traits,
                                       const Scheme& scheme, double h, const std::string& body) {
  if (any_step(scheme)) return std::nullopt;
  int growing = 0;
  double longest = std::numeric_limits<double>::infinity();
  for (int j = 0; j < modes.omega.size(); ++j) {
    const double omega = modes.omega[j];
    if (omega == 0.0) continue;
    const double limit = scheme.stability_limit(modes.sigma[j] / omega);
    if (h * omega > limit * (1.0 + 1e-9)) ++growing;
    longest = std::min(longest, limit / omega);
  }
  if (growing == 0) return std::nullopt;
  return fmt::format("{} makes {} of '{}' grow at h = {:.3g} s{}; use {}", scheme.name(),
                     counted_modes(growing, ""), body, h,
                     longest > 0.0 ? fmt::format(", the longest stable step is {:.3g} s", longest)
                                   : ", as at any step without damping",
                     remedy(traits, longest == 0.0));
}

FastestMode fastest_mode(const Dynamics& body, const GroupState& state) {
  FastestMode mode;
  if (body.velocities() == 0) return mode;
  Pencil A(body, state);
  Vector x = rough_start(body.velocities());
  const double lambda =
      has(body.traits(), Trait::symmetric) ? lanczos(A, x, 60) : powers(A, x, 200);
  if (!(lambda > 0.0) || !std::isfinite(lambda)) return mode;
  mode.omega = std::sqrt(lambda);
  mode.xi = A.damping(x) / (2.0 * mode.omega * x.dot(A.mass(x)));
  return mode;
}

std::optional<StepLimit> step_limit(const Dynamics& body, const Scheme& scheme,
                                    const GroupState& start) {
  if (any_step(scheme) || !has(body.traits(), Trait::tangents) || body.velocities() == 0)
    return std::nullopt;
  StepLimit limit;
  if (const auto bound = motion_bound(body, 0.0, start.q))
    limit.safe = critical_step(scheme, *bound);
  if (has(body.traits(), Trait::symmetric)) {
    limit.about = critical_step(scheme, motion_estimate(body, 0.0, start.q, start.v));
  } else {
    const FastestMode mode = fastest_mode(body, start);
    limit.about = scheme.stability_limit(std::max(mode.xi, 0.0)) / mode.omega;
  }
  if (!std::isfinite(limit.safe) || !std::isfinite(limit.about)) return std::nullopt;
  return limit;
}

// With r = h/limit, a scheme keeps the energy of the fastest motion times 1 - r^2: what excites it,
// a contact for example, can give it that energy divided by 1 - r^2.
std::optional<std::string> step_fault(const Dynamics& dynamics, const Scheme& scheme,
                                      const GroupState& start, double h, const std::string& body) {
  constexpr double kNear = 0.99, kSafe = 0.9;
  if (any_step(scheme) || !has(dynamics.traits(), Trait::symmetric)) return std::nullopt;
  const auto bound = motion_bound(dynamics, 0.0, start.q);
  if (!bound) return std::nullopt;
  const double safe = critical_step(scheme, *bound);
  if (!(safe > 0.0) || !(h >= kNear * safe)) return std::nullopt;
  const double grows =
      bound->exact ? safe : critical_step(scheme, motion_estimate(dynamics, 0.0, start.q, start.v));
  if (!(h >= kNear * grows)) return std::nullopt;
  const std::string others = schemes_for(dynamics.traits(), any_step);
  return fmt::format(
      "{:.4g} s is not below {} of the critical step of {} for '{}', {:.4g} s: near and beyond it "
      "the fastest motion grows; use steps up to {:.2g} s{}",
      h, kNear, scheme.name(), body, grows, kSafe * safe,
      others.empty() ? "" : ", or a scheme without a limit: " + others);
}

std::optional<std::string> step_advice(const Dynamics& dynamics, const Scheme& scheme,
                                       const GroupState& start, double h, const std::string& body) {
  if (any_step(scheme) || !has(dynamics.traits(), Trait::tangents)) return std::nullopt;
  const auto bound = motion_bound(dynamics, 0.0, start.q);
  if (bound && critical_step(scheme, *bound) != 0.0)
    return bounded_advice(dynamics, scheme, start, *bound, h, body);
  const FastestMode mode = fastest_mode(dynamics, start);
  if (mode.omega == 0.0) return std::nullopt;
  const double limit = scheme.stability_limit(std::max(mode.xi, 0.0));
  if (!(h * mode.omega > limit * (1.0 + 1e-6))) return std::nullopt;
  const std::string others = remedy(dynamics.traits(), limit == 0.0);
  if (limit == 0.0)
    return fmt::format(
        "{} makes motion without damping grow, as that of '{}' at about {:.3g} rad/s, whatever the "
        "step; use {}",
        scheme.name(), body, mode.omega, others);
  return fmt::format(
      "h = {:.3g} s is above the stability limit of {} for '{}', about {:.3g} s (its fastest "
      "motion "
      "has about {:.3g} rad/s, damping ratio {:.2g}); use {}",
      h, scheme.name(), body, limit / mode.omega, mode.omega, mode.xi, others);
}

std::optional<std::string> rest_advice(double gamma, double beta, const std::string& body) {
  if (std::abs(beta - 0.5 * gamma) <= 1e-12) return std::nullopt;
  return fmt::format(
      "newmark with beta = {:g} and gamma = {:g} lets '{}' {} when it rests on an obstacle; use "
      "beta = gamma/2 = {:g}",
      beta, gamma, body, beta < 0.5 * gamma ? "sink" : "climb", 0.5 * gamma);
}

std::optional<std::string> contact_advice(const ModalData& modes, double h,
                                          const std::string& body) {
  int driven = 0, deaf = 0, worst = 0;
  double most = 0.0;
  for (int j = 0; j < modes.omega.size(); ++j) {
    const double z = 0.5 * modes.omega[j] * h, s = modes.sigma[j] * h;
    // weakly damped modes only: others, which lose a thousandth per step, do not accumulate the
    // excitation
    if (z == 0.0 || s >= 1e-3) continue;
    const double factor = std::abs(std::tan(z)) / z;
    if (factor > 20.0) ++driven;
    if (z > 1.0 && factor < 1e-6) ++deaf;
    if (factor > most) {
      most = factor;
      worst = j + 1;
    }
  }
  if (driven > 0)
    return fmt::format(
        "contact excites {} of '{}' {} times too strongly (mode {} lies at {:.4f} of the Nyquist "
        "frequency); use another rate, fewer modes or damping that grows with frequency",
        counted_modes(driven, "weakly damped "), body,
        most > 1e6 ? std::string("more than a million") : fmt::format("{:.0f}", most), worst,
        modes.omega[worst - 1] * h / std::numbers::pi);
  if (deaf > 0)
    return fmt::format(
        "contact has no effect on {} of '{}', whose period divides the step; use another rate",
        counted_modes(deaf, "weakly damped "), body);
  return std::nullopt;
}

std::optional<std::string> stability_advice(const ModalData& modes, double theta, double h,
                                            const std::string& body) {
  int growing = 0;
  for (int j = 0; j < modes.omega.size(); ++j)
    if (growth(modes.omega[j], modes.sigma[j], theta, h) > 1.0 + 1e-9) ++growing;
  if (growing == 0) return std::nullopt;
  return fmt::format(
      "moreau-jean with theta = {} makes {} of '{}' grow at h = {:.3g} s; use theta >= 0.5", theta,
      counted_modes(growing, ""), body, h);
}

std::optional<std::string> spin_advice(double spin, double h, bool exact, const std::string& body) {
  constexpr double kTurn = 2.0 * std::numbers::pi, kMostExact = 100.0;
  if (!(spin * h > (exact ? kMostExact : kTurn))) return std::nullopt;
  return fmt::format(
      "'{}' rotates {:.3g} times per step at the start ({:.3g} rad/s, step {:.3g} s), which "
      "contacts, joints and stored rows do not resolve; use a step below {:.1g} s, which is a "
      "tenth of a turn",
      body, spin * h / kTurn, spin, h, 0.1 * kTurn / spin);
}

std::optional<std::string> pluck_advice(double at, double length, int modes,
                                        const std::string& body) {
  const double spacing = length / (modes + 1);
  const double moved =
      std::clamp(std::round(at / spacing), 1.0, static_cast<double>(modes)) * spacing;
  if (std::abs(moved - at) <= 0.01 * length) return std::nullopt;
  return fmt::format(
      "the pluck of '{}' at {:.4g} m acts at {:.4g} m, the nearest point of {} modes", body, at,
      moved, modes);
}

}  // namespace saltus
