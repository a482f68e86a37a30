// Integrators of the time between events: orders, estimates, dense output, stiffness.
#include "saltus/event_driven/ode.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "saltus/base/error.h"
#include "saltus/event_driven/embedded.h"
#include "support/count_malloc.h"
#include "support/skip.h"

using namespace saltus;
namespace {

using Factory = std::unique_ptr<OdeMethod> (*)();

struct Expected {
  Factory make;
  std::string_view name;
  int order, estimate;
  double T;                 // [s] of Kepler's problem
  int steps;                // of the finer of two runs
  double first;             // [s] the finer of two first steps
  double dense_w, dense_v;  // powers of h of the error of dense output in one step
  int evaluations;          // of step(); 0: as many as Newton's method takes
};

const Expected kExpected[] = {
    {make_dormand_prince_5, "dormand-prince-5", 5, 5, 2.0, 160, 0.01, 5.0, 5.0, 6},
    {make_dormand_prince_8, "dormand-prince-8", 8, 8, 5.0, 50, 0.07, 8.0, 8.0, 12},
    {make_esdirk, "esdirk", 4, 4, 2.0, 160, 0.01, 5.0, 4.0, 0},
};

/// A motion that counts its evaluations and can be started again where a step has ended.
class Motion : public SmoothMotion {
 public:
  long calls = 0;
  virtual void restart(View w) = 0;
};

/// Kepler's problem, period 2 pi, eccentricity 0.3, t = -1 at the pericentre. Positions are q0 + w + bend w^3, component by component:
/// increments as those of rotations, whose rates are not the velocity.
class Kepler final : public Motion {
 public:
  static constexpr double kE = 0.3;
  explicit Kepler(double bend) : bend_(bend), q0_(place(0.0).head<2>()) {}

  static Eigen::Vector4d place(double time) {
    const double t = time + 1.0;
    double E = t;
    for (int i = 0; i < 50; ++i) E -= (E - kE * std::sin(E) - t) / (1.0 - kE * std::cos(E));
    const double b = std::sqrt(1.0 - kE * kE), rate = 1.0 / (1.0 - kE * std::cos(E));
    return {std::cos(E) - kE, b * std::sin(E), -rate * std::sin(E), rate * b * std::cos(E)};
  }
  Eigen::Vector2d q(View w) const { return q0_.array() + w.array() + bend_ * w.array().cube(); }
  void restart(View w) override { q0_ = q(w); }

  int size() const override { return 2; }
  void rates(double, View w, View v, Out dw, Out dv) override {
    ++calls;
    const Eigen::Vector2d x = q(w);
    const double r2 = x.squaredNorm();
    for (int i = 0; i < 2; ++i) {
      dw[i] = v[i] / (1.0 + 3.0 * bend_ * w[i] * w[i]);
      dv[i] = -x[i] / (r2 * std::sqrt(r2));
    }
  }
  void linearise(double, View w, View, double g) override {
    const Eigen::Vector2d x = q(w);
    const double r2 = x.squaredNorm(), r3 = r2 * std::sqrt(r2);
    const Eigen::Matrix2d K =
        Eigen::Matrix2d::Identity() / r3 - 3.0 * x * x.transpose() / (r3 * r2);
    const Eigen::Matrix2d A = Eigen::Matrix2d::Identity() + g * g * K;
    const double d = A(0, 0) * A(1, 1) - A(0, 1) * A(1, 0);
    inverse_ << A(1, 1) / d, -A(0, 1) / d, -A(1, 0) / d, A(0, 0) / d;
  }
  void correct(Out x) override {
    const Eigen::Vector2d r = x;
    x = inverse_ * r;
  }

 private:
  double bend_;
  Eigen::Vector2d q0_;
  Eigen::Matrix2d inverse_ = Eigen::Matrix2d::Identity();
};

/// One coordinate with M(q) q'' = F(t, q, v), and A = M + g C + g^2 K as given.
class Line final : public Motion {
 public:
  double q0 = 0.0;
  std::function<double(double t, double q, double v)> a;
  std::function<double(double t, double q, double v, double g)> gain =
      [](double, double, double, double) { return 1.0; };  ///< A^-1 M
  void restart(View w) override { q0 += w[0]; }
  int size() const override { return 1; }
  void rates(double t, View w, View v, Out dw, Out dv) override {
    ++calls;
    dw[0] = v[0];
    dv[0] = a(t, q0 + w[0], v[0]);
  }
  void linearise(double t, View w, View v, double g) override {
    gain_ = gain(t, q0 + w[0], v[0], g);
  }
  void correct(Out x) override { x[0] *= gain_; }

 private:
  double gain_ = 1.0;
};

/// Prepares a step over h from (t, v).
void begin(Motion& motion, OdeStep& step, double t, double h, const Vector& v) {
  step.t0 = t;
  step.h = h;
  step.v0 = v;
  Vector w = Vector::Zero(v.size()), dw(v.size());
  step.dv0.resize(v.size());
  motion.rates(t, w, step.v0, dw, step.dv0);
}

/// Steps of equal lengths over T; v at the end.
Vector run(const OdeMethod& method, Motion& motion, Vector v, double T, int steps) {
  OdeStep step;
  for (int i = 0; i < steps; ++i) {
    begin(motion, step, T * i / steps, T / steps, v);
    REQUIRE(method.step(motion, step));
    motion.restart(step.w1);
    v = step.v1;
  }
  return v;
}

double power(double coarse, double fine) { return std::log2(coarse / fine); }

struct FirstStep {
  double error, estimate, dense_w, dense_v;
};

FirstStep first_step(const OdeMethod& method, double h) {
  Kepler motion(0.2);
  const auto at = [](double t) { return Kepler::place(t); };
  OdeStep step;
  begin(motion, step, 0.0, h, at(0.0).tail<2>());
  REQUIRE(method.step(motion, step));
  method.interpolate(motion, step);
  FirstStep found{(motion.q(step.w1) - at(h).head<2>()).norm() + (step.v1 - at(h).tail<2>()).norm(),
                  method.error(step, Vector::Ones(4)), 0.0, 0.0};
  Vector w(2), v(2);
  for (const double theta : {0.2, 0.5, 0.8}) {
    dense_output(step, theta, w, v);
    found.dense_w = std::max(found.dense_w, (motion.q(w) - at(theta * h).head<2>()).norm());
    found.dense_v = std::max(found.dense_v, (v - at(theta * h).tail<2>()).norm());
  }
  return found;
}

TEST_CASE(
    "an integrator has the order it states, on positions that add up and on those that do not") {
  for (const Expected& of : kExpected)
    for (const double bend : {0.0, 0.2}) {
      const auto method = of.make();
      const auto error = [&](int steps) {
        Kepler motion(bend);
        const Vector v = run(*method, motion, Kepler::place(0.0).tail<2>(), of.T, steps);
        return (motion.q(Vector::Zero(2)) - Kepler::place(of.T).head<2>()).norm() +
               (v - Kepler::place(of.T).tail<2>()).norm();
      };
      CAPTURE(of.name);
      CAPTURE(bend);
      CHECK(method->name() == of.name);
      CHECK(method->order() == of.order);
      CHECK(method->error_order() == of.estimate);
      const double measured = power(error(of.steps / 2), error(of.steps));
      CHECK(std::abs(measured - of.order) < 0.25);
    }
}

TEST_CASE("the error of one step, its estimate and its dense output fall as they should") {
  for (const Expected& of : kExpected) {
    const auto method = of.make();
    const FirstStep coarse = first_step(*method, 2.0 * of.first),
                    fine = first_step(*method, of.first);
    CAPTURE(of.name);
    CHECK(std::abs(power(coarse.error, fine.error) - (of.order + 1)) < 0.25);
    CHECK(std::abs(power(coarse.estimate, fine.estimate) - of.estimate) < 0.25);
    CHECK(std::abs(power(coarse.dense_w, fine.dense_w) - of.dense_w) < 0.25);
    CHECK(std::abs(power(coarse.dense_v, fine.dense_v) - of.dense_v) < 0.25);
    CHECK(fine.estimate > fine.error);
  }
}

TEST_CASE("dense output begins and ends where the step does, to the last bit, with its rates") {
  for (const Expected& of : kExpected) {
    const auto method = of.make();
    Kepler motion(0.5);
    OdeStep step;
    begin(motion, step, 0.0, 0.2, Kepler::place(0.0).tail<2>());
    REQUIRE(method->step(motion, step));
    method->interpolate(motion, step);
    Vector w(2), v(2);
    dense_output(step, 0.0, w, v);
    CHECK(w == Vector::Zero(2));
    CHECK(v == step.v0);
    dense_output(step, 1.0, w, v);
    CHECK(w == step.w1);
    CHECK(v == step.v1);
    REQUIRE(step.w.cols() == step.v.cols());
    const auto n = step.w.cols() - 1;
    const double scale = static_cast<double>(n) / step.h;
    CHECK(((step.w.col(1) - step.w.col(0)) * scale - step.v0).norm() < 1e-13);
    CHECK(((step.v.col(1) - step.v.col(0)) * scale - step.dv0).norm() < 1e-13);
    CHECK(((step.w.col(n) - step.w.col(n - 1)) * scale - step.dw1).norm() < 1e-13);
    CHECK(((step.v.col(n) - step.v.col(n - 1)) * scale - step.dv1).norm() < 1e-13);
    // and the rates at the end are those of the motion
    Vector dw(2), dv(2);
    motion.rates(0.2, step.w1, step.v1, dw, dv);
    CHECK((dw - step.dw1).norm() < 1e-13);
    CHECK((dv - step.dv1).norm() < 1e-13);
  }
}

TEST_CASE("the table of order 8 meets the conditions of order") {
  using Table = embedded::DormandPrince8;
  const auto moment = [](const embedded::Weights& a, int k, const auto& factor) {
    double sum = 0.0;
    for (int i = 0; i < a.count; ++i) {
      const auto& [stage, weight] = a.term[static_cast<std::size_t>(i)];
      sum += weight * std::pow(Table::c[static_cast<std::size_t>(stage)], k) * factor(stage);
    }
    return sum;
  };
  const auto one = [](int) { return 1.0; };
  for (std::size_t i = 1; i < Table::a.size(); ++i) {
    CAPTURE(i);
    CHECK(std::abs(moment(Table::a[i], 0, one) - Table::c[i]) < 4e-14);
    if (i > 5)  // sum_j a_ij c_j^k = c_i^(k+1)/(k+1) up to k = 3
      for (int k = 1; k <= 3; ++k) {
        const double c = Table::c[i];
        CHECK(std::abs(moment(Table::a[i], k, one) - std::pow(c, k + 1) / (k + 1)) < 4e-14);
      }
  }
  const embedded::Weights& b = Table::a[12];
  for (int k = 0; k < 8; ++k) CHECK(std::abs(moment(b, k, one) - 1.0 / (k + 1)) < 1e-14);
  CHECK(std::abs(moment(b, 8, one) - 1.0 / 9.0) > 1e-7);  // it is not of order 9
  // trees with one branch: sum_ij b_i c_i^l a_ij c_j^k = 1/((k + 1)(k + l + 2))
  for (int l = 0; l < 4; ++l)
    for (int k = 1; k + l + 2 <= 8; ++k) {
      const double sum = moment(
          b, l, [&](int i) { return moment(Table::a[static_cast<std::size_t>(i)], k, one); });
      CHECK(std::abs(sum - 1.0 / ((k + 1) * (k + l + 2))) < 1e-14);
    }
  // both estimates vanish for polynomials of their orders, and not for the next
  for (int k = 0; k < 5; ++k) CHECK(std::abs(moment(Table::e5, k, one)) < 1e-14);
  CHECK(std::abs(moment(Table::e5, 5, one)) > 1e-5);
  for (int k = 0; k < 3; ++k) CHECK(std::abs(moment(Table::e3, k, one)) < 1e-14);
  CHECK(std::abs(moment(Table::e3, 3, one)) > 1e-4);
}

TEST_CASE("the error is the root mean square of what it is divided by") {
  OdeStep step;
  step.error = Vector{{3e-6, 0.0, 4e-6, 0.0}};
  step.error_low = Vector{{0.0, 0.0, 0.0, 1.2e-4}};
  const Vector scale{{1e-6, 1e-6, 2e-6, 1e-6}};
  const double e5 = 9.0 + 4.0, e3 = 120.0 * 120.0;
  CHECK(make_dormand_prince_5()->error(step, scale) == doctest::Approx(std::sqrt(e5 / 4.0)));
  CHECK(make_esdirk()->error(step, scale) == doctest::Approx(std::sqrt(e5 / 4.0)));
  CHECK(make_dormand_prince_8()->error(step, scale) ==
        doctest::Approx(e5 / std::sqrt((e5 + 0.01 * e3) * 4.0)));
  step.error.setZero();
  step.error_low.setZero();
  CHECK(make_dormand_prince_8()->error(step, scale) == 0.0);
  CHECK_THROWS_AS((void)make_esdirk()->error(step, Vector::Ones(2)), UsageError);
}

TEST_CASE("a step costs the evaluations of its table and takes nothing from the heap") {
  for (const Expected& of : kExpected) {
    const auto method = of.make();
    Kepler motion(0.5);
    OdeStep step;
    begin(motion, step, 0.0, 0.1, Kepler::place(0.0).tail<2>());
    REQUIRE(method->step(motion, step));
    method->interpolate(motion, step);
    motion.calls = 0;
    const Vector scale = Vector::Ones(4);
    Vector w(2), v(2);
    double error = 0.0;
    const long before = allocations;
    const bool good = method->step(motion, step);
    const long calls = motion.calls;
    method->interpolate(motion, step);
    error = method->error(step, scale);
    dense_output(step, 0.3, w, v);
    const long taken = allocations - before;
    CAPTURE(of.name);
    CHECK(good);
    CHECK(error > 0.0);
    if (SALTUS_COUNTS_MALLOC) CHECK(taken == 0);
    if (of.evaluations > 0) {
      CHECK(calls == of.evaluations);
      CHECK(motion.calls == method->evaluations());
    } else {
      CHECK(method->implicit());
      CHECK(motion.calls <= 25);  // five stages, five changes each at h = 0.1
    }
  }
}

TEST_CASE(
    "a linear stiff spring costs one Newton step a stage, once its matrix has shown to be right") {
  const double omega = 1e4;
  Line motion;
  motion.q0 = 1e-3;
  motion.a = [=](double, double q, double) { return -omega * omega * q; };
  motion.gain = [=](double, double, double, double g) {
    return 1.0 / (1.0 + g * g * omega * omega);
  };
  OdeStep step;
  begin(motion, step, 0.0, 1e-3, Vector::Zero(1));
  motion.calls = 0;
  REQUIRE(make_esdirk()->step(motion, step));
  CHECK(motion.calls <= 10);
}

/// q'' = -omega^2 (q - cos t) - 2 xi omega (v + sin t) - cos t, which cos t solves whatever omega is.
Line driven(double omega, double xi, double off) {
  Line motion;
  motion.q0 = 1.0 + off;
  motion.a = [=](double t, double q, double v) {
    return -omega * omega * (q - std::cos(t)) - 2.0 * xi * omega * (v + std::sin(t)) - std::cos(t);
  };
  motion.gain = [=](double, double, double, double g) {
    return 1.0 / (1.0 + 2.0 * xi * omega * g + omega * omega * g * g);
  };
  return motion;
}

TEST_CASE(
    "esdirk follows a slow motion with steps of a hundred thousand periods of its stiff spring") {
  const auto method = make_esdirk();
  for (const double xi : {0.0, 0.1, 1.0})
    for (const double omega : {1e4, 1e7}) {
      CAPTURE(xi);
      CAPTURE(omega);
      Line motion = driven(omega, xi, 0.0);
      const double h = 0.05;
      const Vector v = run(*method, motion, Vector::Zero(1), 2.0, static_cast<int>(2.0 / h));
      // stiff: positions of the order of the stages and better, velocities with one power less
      CHECK(std::abs(motion.q0 - std::cos(2.0)) < 1e-6);
      CHECK(std::abs(v[0] + std::sin(2.0)) < 1e-3);
    }
}

TEST_CASE("esdirk forgets a start off the slow motion within steps, and explicit methods explode") {
  const double omega = 1e6;
  for (const double xi : {0.0, 0.5}) {
    Line motion = driven(omega, xi, 0.01);
    const Vector v = run(*make_esdirk(), motion, Vector::Zero(1), 1.0, 20);
    CHECK(std::abs(motion.q0 - std::cos(1.0)) < 1e-6);
    CHECK(std::abs(v[0] + std::sin(1.0)) < 1e-3);
  }
  Line motion = driven(omega, 0.0, 0.01);
  OdeStep step;
  begin(motion, step, 0.0, 0.05, Vector::Zero(1));
  if (make_dormand_prince_8()->step(motion, step)) CHECK(std::abs(step.w1[0]) > 1e6);
}

/// (1 + q^2) q'' + q q'^2 + 0.2 v + 4 q = 0: a mass that depends on the place.
Line heavy() {
  Line motion;
  motion.q0 = 1.0;
  motion.a = [](double, double q, double v) {
    return -(q * v * v + 0.2 * v + 4.0 * q) / (1.0 + q * q);
  };
  motion.gain = [](double, double q, double v, double g) {
    const double M = 1.0 + q * q;
    return M / (M + g * (2.0 * q * v + 0.2) + g * g * 4.0);  // K without the forces of inertia
  };
  return motion;
}

TEST_CASE(
    "esdirk keeps its order where the mass depends on the place and the matrix is not exact") {
  const auto end = [](const OdeMethod& method, int steps) {
    Line motion = heavy();
    const Vector v = run(method, motion, Vector::Zero(1), 3.0, steps);
    return Eigen::Vector2d(motion.q0, v[0]);
  };
  const Eigen::Vector2d exact = end(*make_dormand_prince_8(), 400);
  const auto method = make_esdirk();
  const double coarse = (end(*method, 100) - exact).norm(),
               fine = (end(*method, 200) - exact).norm();
  CHECK(std::abs(power(coarse, fine) - 4.0) < 0.25);
  CHECK(fine < 1e-6);
}

TEST_CASE("forces that balance but for round-off keep a body at rest with esdirk") {
  Line motion;
  long calls = 0;
  motion.a = [&](double, double, double) { return static_cast<double>(++calls % 3 - 1) * 1e-12; };
  OdeStep step;
  begin(motion, step, 0.0, 1e-3, Vector::Zero(1));
  CHECK(make_esdirk()->step(motion, step));
  CHECK(std::abs(step.v1[0]) < 1e-14);
}

TEST_CASE("a step that is not finite, or that Newton's method cannot solve, is refused") {
  Line nowhere;
  nowhere.a = [](double t, double, double) {
    return t > 0.05 ? std::numeric_limits<double>::quiet_NaN() : 1.0;
  };
  Line runaway;  // v = g (1 + 100 v^2) + .. has no solution for large g
  runaway.a = [](double, double, double v) { return 1.0 + 100.0 * v * v; };
  for (const Expected& of : kExpected) {
    CAPTURE(of.name);
    OdeStep step;
    begin(nowhere, step, 0.0, 0.1, Vector::Zero(1));
    CHECK(!of.make()->step(nowhere, step));
    if (!of.make()->implicit()) continue;
    begin(runaway, step, 0.0, 4.0, Vector::Zero(1));
    CHECK(!of.make()->step(runaway, step));
    begin(runaway, step, 0.0, 0.01, Vector::Zero(1));
    CHECK(of.make()->step(runaway, step));
    CHECK(step.v1[0] == doctest::Approx(std::tan(0.1) / 10.0).epsilon(1e-6));
  }
}

}  // namespace
