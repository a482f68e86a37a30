#include "saltus/advice/detune_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "saltus/bodies/modal.h"

namespace saltus {
namespace {

/// The motion of free modes from q = 1, v = 0, step by step.
class FreeModes {
 public:
  FreeModes(const Modal& body, const Scheme& scheme, double h)
      : body_(body), scheme_(scheme), prepared_(scheme.prepare(body, h)) {
    const auto n = static_cast<Eigen::Index>(body.positions());
    state_ = {Vector::Ones(n), Vector::Zero(n), {}};
    scheme.start(body, prepared_.get(), 0.0, h, state_);
    trial_.h = h;
    trial_.prepared = prepared_.get();
    for (Vector* x : {&trial_.q, &trial_.v, &trial_.v_free, &trial_.r}) x->setZero(n);
  }
  const Vector& step() {
    end_ = state_;
    trial_.start = &state_;
    trial_.stage = trial_.pass = 0;
    trial_.r.setZero();
    scheme_.begin(body_, trial_);
    const auto stages = static_cast<int>(scheme_.stages().size());
    if (stages > 1 || !scheme_.free_motion(body_))
      for (int stage = 0; stage < stages; ++stage) {
        if (stage > 0) {
          trial_.stage = stage;
          trial_.pass = 0;
          scheme_.begin(body_, trial_);
        }
        trial_.pass = 1;
        scheme_.linearise(body_, trial_);
        scheme_.correct(body_, trial_);
      }
    scheme_.finish(body_, trial_, end_);
    std::swap(state_, end_);
    trial_.t0 += trial_.h;
    return state_.q;
  }

 private:
  const Modal& body_;
  const Scheme& scheme_;
  std::unique_ptr<Prepared> prepared_;
  GroupState state_, end_;
  Trial trial_;
};

}  // namespace

// Free motion of a mode satisfies q2 = T q1 - D q0 with the trace and determinant of the step;
// spurious roots of multistep schemes have decayed after some steps. Its phase per step: cos(phi) =
// T/(2 sqrt(D)).
Vector frequencies_of(const ModalData& modes, const Scheme& scheme, double h) {
  constexpr int kDown = 24;
  const Modal body(modes.mass, modes.omega, modes.sigma, nullptr);
  FreeModes motion(body, scheme, h);
  for (int k = 0; k < kDown; ++k) motion.step();
  std::array<Vector, 4> q;
  for (Vector& at : q) at = motion.step();
  Vector omega = Vector::Zero(modes.omega.size());
  for (Eigen::Index j = 0; j < omega.size(); ++j) {
    const double a = q[0][j], b = q[1][j], c = q[2][j], d = q[3][j];
    const double det = b * b - a * c;
    const double T = (b * c - a * d) / det, D = (c * c - b * d) / det;
    const double cosine = 0.5 * T / std::sqrt(D);
    if (D > 0.0 && std::abs(cosine) < 1.0) omega[j] = std::acos(cosine) / h;
  }
  return omega;
}

std::optional<std::string> detune_advice(const ModalData& modes, const Scheme& scheme, double h,
                                         const std::string& body) {
  constexpr double kHeard = 3.0;  // [cents]
  constexpr double kLow = 2.0 * std::numbers::pi * 20.0,
                   kHigh = 2.0 * std::numbers::pi * 20e3;  // [rad/s]
  constexpr std::size_t kModes = 20;
  std::vector<Eigen::Index> heard;
  for (Eigen::Index j = 0; j < modes.omega.size(); ++j)
    if (const double omega = modes.omega[j]; omega >= kLow && omega <= kHigh &&
                                             modes.sigma[j] < 0.05 * omega &&
                                             h * omega < std::numbers::pi)
      heard.push_back(j);
  std::ranges::stable_sort(heard, {}, [&](Eigen::Index j) { return modes.omega[j]; });
  if (heard.size() > kModes) heard.resize(kModes);
  if (heard.empty()) return std::nullopt;
  ModalData some;
  const auto n = static_cast<Eigen::Index>(heard.size());
  for (Vector* x : {&some.mass, &some.omega, &some.sigma}) x->resize(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const Eigen::Index j = heard[static_cast<std::size_t>(k)];
    some.mass[k] = modes.mass[j];
    some.omega[k] = modes.omega[j];
    some.sigma[k] = modes.sigma[j];
  }
  const auto cents_at = [&](double step) {
    const Vector sounds = frequencies_of(some, scheme, step);
    Vector cents(n);
    for (Eigen::Index k = 0; k < n; ++k) {
      const double free = std::sqrt(some.omega[k] * some.omega[k] - some.sigma[k] * some.sigma[k]);
      cents[k] = sounds[k] > 0.0 ? 1200.0 * std::log2(sounds[k] / free) : -1200.0;
    }
    return cents;
  };
  const Vector cents = cents_at(h);
  Eigen::Index first = -1, worst = 0;
  for (Eigen::Index k = 0; k < n; ++k) {
    if (std::abs(cents[k]) > std::abs(cents[worst])) worst = k;
    if (first < 0 && std::abs(cents[k]) > kHeard) first = k;
  }
  if (first < 0) return std::nullopt;
  const auto said = [&](Eigen::Index k) {
    return fmt::format("mode {} at {:.0f} Hz {:.2g} cents {}",
                       heard[static_cast<std::size_t>(k)] + 1,
                       some.omega[k] / (2.0 * std::numbers::pi), std::abs(cents[k]),
                       cents[k] < 0.0 ? "flat" : "sharp");
  };
  double step = h;
  for (int turn = 0; turn < 4; ++turn)  // the error is of second order
    step *= std::min(1.0, 0.998 * std::sqrt(kHeard / cents_at(step).cwiseAbs().maxCoeff()));
  return fmt::format(
      "{} detunes '{}' at this step: {}{}; use modal-exact where the contact laws allow it, or a "
      "rate of at least {:.0f} kHz",
      scheme.name(), body, said(first), worst == first ? "" : ", " + said(worst),
      std::ceil(1e-3 / step));
}

}  // namespace saltus
