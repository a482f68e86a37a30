#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "saltus/event_driven/embedded.h"

namespace saltus {
namespace {

using embedded::Stages;
using embedded::Weights;

constexpr int kStages = 6;
constexpr double kGamma = 0.25;
using Row = std::array<double, kStages>;
constexpr Row kC{0.0, 0.5, 83.0 / 250.0, 31.0 / 50.0, 17.0 / 20.0, 1.0};
// clang-format off
/// a_ij, j < i; a_ii = gamma except in the first stage. The last row is b.
constexpr std::array<Weights, kStages> kA{{
    {},
    {{0, kGamma}},
    {{0, 8611.0 / 62500.0}, {1, -1743.0 / 31250.0}},
    {{0, 5012029.0 / 34652500.0}, {1, -654441.0 / 2922500.0}, {2, 174375.0 / 388108.0}},
    {{0, 15267082809.0 / 155376265600.0}, {1, -71443401.0 / 120774400.0}, {2, 730878875.0 / 902184768.0},
     {3, 2285395.0 / 8070912.0}},
    {{0, 82889.0 / 524892.0}, {2, 15625.0 / 83664.0}, {3, 69875.0 / 102672.0}, {4, -2260.0 / 8211.0}},
}};
/// b minus the weights of the method of order 3.
constexpr Weights kError{{0, 82889.0 / 524892.0 - 4586570599.0 / 29645900160.0},
                         {2, 15625.0 / 83664.0 - 178811875.0 / 945068544.0},
                         {3, 69875.0 / 102672.0 - 814220225.0 / 1159782912.0},
                         {4, -2260.0 / 8211.0 + 3700637.0 / 11593932.0},
                         {5, kGamma - 61727.0 / 225920.0}};
// clang-format on

/// Weights of the velocities of the stages before i, for the polynomial through them at c_i, from
/// which Newton's method starts. Rates would be suitable for smooth motion, but overshoot by (omega
/// h)^2 if the start is off the slow motion of a stiff body.
constexpr std::array<Row, kStages> kStart = [] {
  std::array<Row, kStages> start{};
  for (std::size_t i = 1; i < kStages; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      start[i][j] = 1.0;
      for (std::size_t m = 0; m < i; ++m)
        if (m != j) start[i][j] *= (kC[i] - kC[m]) / (kC[j] - kC[m]);
    }
  return start;
}();

constexpr int kMostIterations = 12;
// relative to the velocity: the change at which Newton's method ends
constexpr double kGoal = 1e-13;
constexpr double kTolerated = 1e-9;  // change accepted if round-off ends convergence earlier
// Change accepted in [m/s]: balanced forces leave noise and no velocity for comparison.
constexpr double kRoundOff = 1e-12;

/// Solves v = v_bar + g a(t, w, v), w = w_bar + g rate(w, v) by simplified Newton steps.
class Newton {
 public:
  Newton(SmoothMotion& motion, OdeStep& step, Stages& stages)
      : motion_(motion), step_(step), stages_(stages), n_(motion.size()), g_(kGamma * step.h) {
    if (step.work.size() < 3) step.work.resize(3);
    step.work[2].resize((kStages + 3) * n_);
    work_ = step.work[2].data();
    std::copy_n(step.v0.data(), n_, v(0));
  }

  /// Computes stage i in w() and v(i). k_i is their difference from w_bar, v_bar (in stages.y())
  /// divided by g: rates evaluated there would contain the error of v times the stiffness.
  bool solve(int i) {
    const double *w_bar = stages_.y(), *v_bar = w_bar + n_;
    double *kw = stages_.k(i), *kv = kw + n_, *w = this->w(), *v = this->v(i), *x = w + n_,
           *r = x + n_;
    start(i);
    const double t = step_.t0 + kC[static_cast<std::size_t>(i)] * step_.h;
    double before = 0.0;
    for (int iteration = 0; iteration < kMostIterations; ++iteration) {
      const Eigen::Map<const Vector> W(w, n_), V(v, n_);
      motion_.rates(t, W, V, Eigen::Map<Vector>(kw, n_), Eigen::Map<Vector>(kv, n_));
      if (i == 1 && iteration == 0) motion_.linearise(t, W, V, g_);
      for (long j = 0; j < n_; ++j) x[j] = r[j] = v_bar[j] + g_ * kv[j] - v[j];
      motion_.correct(Eigen::Map<Vector>(x, n_));
      double change = 0.0, size = 0.0, finite = 0.0;
      for (long j = 0; j < n_; ++j) {
        const double rate = kw[j] - (w[j] - w_bar[j]) / g_;
        change = std::max({change, std::abs(x[j]), std::abs(rate)});
        v[j] += x[j];
        size = std::max({size, std::abs(v[j]), std::abs(step_.h * kv[j])});
        kv[j] += (x[j] - r[j]) / g_;
        kw[j] += x[j];
        w[j] = w_bar[j] + g_ * kw[j];
        finite += 0.0 * (v[j] + w[j]);
      }
      if (finite != 0.0) return false;
      // The next change is this one times the convergence rate. Until that rate is known, the
      // slowest rate of the earlier stages is used with a margin, except that of the first stage,
      // where the matrix is exact.
      const bool first = iteration == 0;
      const double fall = first ? 100.0 * fall_ : change / before;
      if (!first && i > 1) fall_ = std::exchange(fall_known_, true) ? std::max(fall_, fall) : fall;
      if (change <= kGoal * size || (fall < 0.5 && fall * change <= kGoal * size)) return true;
      const bool close = change <= std::max(kTolerated * size, kRoundOff);
      if (!first && fall > 0.5 && (close || (iteration > 1 && fall > 2.0))) return close;
      if (iteration == kMostIterations - 1) return close;
      before = change;
    }
    return false;
  }

  double* v(int i) { return work_ + i * n_; }
  double* w() { return v(kStages); }

 private:
  void start(int i) {
    const double* w_bar = stages_.y();
    double *w = this->w(), *v = this->v(i);
    const Row& weight = kStart[static_cast<std::size_t>(i)];
    for (long j = 0; j < n_; ++j) {
      double velocity = 0.0, rate = 0.0;
      for (int m = 0; m < i; ++m) {
        velocity += weight[static_cast<std::size_t>(m)] * this->v(m)[j];
        rate += weight[static_cast<std::size_t>(m)] * stages_.k(m)[j];
      }
      v[j] = velocity;
      w[j] = w_bar[j] + g_ * rate;
    }
  }

  SmoothMotion& motion_;
  OdeStep& step_;
  Stages& stages_;
  long n_;
  double g_;
  double fall_ = 1.0;  // slowest convergence rate of the stages after the first, once known
  bool fall_known_ = false;
  double* work_;  // v of the stages, w, Newton's step, its residual
};

class Esdirk final : public OdeMethod {
 public:
  std::string_view name() const override { return "esdirk"; }
  int order() const override { return 4; }
  int error_order() const override { return 4; }
  bool implicit() const override { return true; }
  int evaluations() const override { return 10; }

  bool step(SmoothMotion& motion, OdeStep& step) const override;
  double error(const OdeStep& step, View scale) const override {
    return std::sqrt(embedded::square_sum(step.error, scale) /
                     static_cast<double>(step.error.size()));
  }
  void interpolate(SmoothMotion& motion, OdeStep& step) const override;
};

bool Esdirk::step(SmoothMotion& motion, OdeStep& step) const {
  const int n = motion.size();
  Stages stages(step, n, kStages);
  Newton newton(motion, step, stages);
  for (int i = 1; i < kStages; ++i) {
    stages.place(kA[static_cast<std::size_t>(i)]);
    if (!newton.solve(i)) return false;
  }
  stages.sum(nullptr, kError, step.error.data());
  std::copy_n(newton.w(), n, stages.y());  // stiffly accurate: the last stage is the end
  std::copy_n(newton.v(kStages - 1), n, stages.y() + n);
  return stages.finish(kStages - 1);
}

// w: quartic through w and w' at both ends and w'' = v' at the start, where w = 0 (with rotations
// w'' differs at the end). v: cubic through v and v' at both ends, raised to the degree of w. Both
// have errors of h^4 or better, like the run.
void Esdirk::interpolate(SmoothMotion&, OdeStep& step) const {
  const double h = step.h;
  const long n = step.v0.size();
  step.w.resize(n, 5);
  step.v.resize(n, 5);
  for (long i = 0; i < n; ++i) {
    const double w1 = step.w1[i], v0 = step.v0[i], v1 = step.v1[i], dv0 = step.dv0[i];
    const double c1 = v0 + h * dv0 / 3.0, c2 = v1 - h * step.dv1[i] / 3.0;
    step.w(i, 0) = 0.0;
    step.w(i, 1) = h * v0 / 4.0;
    step.w(i, 2) = h * v0 / 2.0 + h * h * dv0 / 12.0;
    step.w(i, 3) = w1 - h * step.dw1[i] / 4.0;
    step.w(i, 4) = w1;
    step.v(i, 0) = v0;
    step.v(i, 1) = 0.25 * v0 + 0.75 * c1;
    step.v(i, 2) = 0.5 * (c1 + c2);
    step.v(i, 3) = 0.75 * c2 + 0.25 * v1;
    step.v(i, 4) = v1;
  }
}

}  // namespace

std::unique_ptr<OdeMethod> make_esdirk() { return std::make_unique<Esdirk>(); }

}  // namespace saltus
