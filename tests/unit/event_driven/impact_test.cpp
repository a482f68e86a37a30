// Impacts of several contacts at one instant: closed forms of the laws, and what every order of impacts owes.
#include "saltus/event_driven/impact.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "saltus/base/error.h"
#include "saltus/solvers/solvers.h"

using namespace saltus;
namespace {

using enum ImpactOrder;
using Kind = ImpactForm;
constexpr std::array kOrders{simultaneous, sequential, energetic};

/// Bodies of diagonal mass, contacts by their rows: v+ = v + M^-1 H^T P.
struct Scene {
  Vector mass, v;
  Matrix H;
  std::vector<ImpactContact> contacts;

  void row(std::vector<double> entries) {
    H.conservativeResize(H.rows() + 1, mass.size());
    H.row(H.rows() - 1) = Eigen::Map<Vector>(entries.data(), mass.size()).transpose();
  }
  double energy(const Vector& at) const { return 0.5 * at.dot(mass.cwiseProduct(at)); }
};

struct After {
  Vector v, u, P;
  ImpactReport report;
};

After strike(const Scene& s, ImpactOrder order, Limits limits = {}) {
  const auto solver = make_automatic();
  std::vector<int> ids(static_cast<std::size_t>(s.H.rows()));
  std::iota(ids.begin(), ids.end(), 0);
  const Matrix W = s.H * s.mass.cwiseInverse().asDiagonal() * s.H.transpose();
  const Vector u = s.H * s.v;
  After a{s.v, u, Vector::Zero(u.size()), {}};
  a.report = solve_impact({W, u, s.contacts, ids}, order, *solver, limits, a.P);
  a.u += W * a.P;
  a.v += s.mass.cwiseInverse().cwiseProduct(s.H.transpose() * a.P);
  return a;
}

/// Balls in a line that touch: u_i = v_{i+1} - v_i.
Scene chain(std::vector<double> mass, std::vector<double> v, std::vector<double> e,
            Kind law = Kind::newton) {
  Scene s;
  const auto n = static_cast<Eigen::Index>(mass.size());
  s.mass = Eigen::Map<Vector>(mass.data(), n);
  s.v = Eigen::Map<Vector>(v.data(), n);
  for (int i = 0; i + 1 < n; ++i) {
    std::vector<double> row(mass.size());
    row[static_cast<std::size_t>(i)] = -1.0;
    row[static_cast<std::size_t>(i) + 1] = 1.0;
    s.row(row);
    s.contacts.push_back(
        {.form = law, .first = i, .restitution = e[static_cast<std::size_t>(i) % e.size()]});
  }
  return s;
}
Scene cradle(int balls, double e, Kind law = Kind::newton) {
  std::vector<double> mass(static_cast<std::size_t>(balls), 1.0), v(mass.size());
  v[0] = 1.0;
  return chain(mass, v, {e}, law);
}

/// Upright block on the ground at its corners -b, b; v = (x, y, angle), angle positive from x to y. Rows N, T of the corner
/// at -b, then of that at b.
Scene block(double b, double h, double mu, double e) {
  Scene s;
  s.mass = Vector3(1.0, 1.0, (b * b + h * h) / 3.0);
  for (const double x : {-b, b}) {
    s.contacts.push_back(
        {.first = static_cast<int>(s.H.rows()), .tangents = 1, .restitution = e, .friction = mu});
    s.row({0.0, 1.0, x});
    s.row({1.0, 0.0, h});
  }
  return s;
}
/// It turns about the corner at -b with angular speed w, and the other one comes down: v = w x r.
Scene rocking(double b, double h, double mu, double e, double w = -1.0) {
  Scene s = block(b, h, mu, e);
  s.v = Vector3(-w * h, w * b, w);  // of the centre, which is (b, h) from the corner
  return s;
}

/// A sphere on the plane z = 0: v = (x, y, z, spins), rows N and two tangents turned by `turn`.
Scene sphere(const Vector& v, double mu, double e, double e_T, double turn = 0.0) {
  constexpr double r = 0.1;
  const double J = 0.4 * r * r;
  Scene s;
  s.mass.resize(6);
  s.mass << 1.0, 1.0, 1.0, J, J, J;
  s.v = v;
  s.row({0.0, 0.0, 1.0, 0.0, 0.0, 0.0});
  // the lowest point: v + omega x (0, 0, -r) = (x - r omega_y, y + r omega_x)
  const double c = std::cos(turn), d = std::sin(turn);
  s.row({c, d, 0.0, r * d, -r * c, 0.0});
  s.row({-d, c, 0.0, r * c, r * d, 0.0});
  s.contacts.push_back({.tangents = 2, .restitution = e, .tangential = e_T, .friction = mu});
  return s;
}

TEST_CASE("three balls under Newton's law together: -1/3, 2/3, 2/3") {
  const After a = strike(cradle(3, 1.0), simultaneous);
  CHECK(a.report.converged);
  CHECK(a.report.phases == 1);
  CHECK((a.v - Vector3(-1.0, 2.0, 2.0) / 3.0).norm() < 1e-14);
  CHECK((a.P - Eigen::Vector2d(4.0, 2.0) / 3.0).norm() < 1e-14);
}

TEST_CASE("balls that strike one after the other pass the whole velocity on, to the last bit") {
  for (int n = 2; n <= 12; ++n) {
    CAPTURE(n);
    const After a = strike(cradle(n, 1.0), sequential);
    CHECK(a.report.converged);
    CHECK(a.report.phases == n - 1);
    CHECK(a.v == Vector::Unit(n, n - 1));
  }
}

TEST_CASE("one contact alone is the same under every law and order") {
  for (const ImpactOrder order : kOrders)
    for (const Kind law : {Kind::newton, Kind::poisson})
      for (const double e : {0.0, 0.01, 0.3, 1.0}) {
        const After a = strike(chain({2.0, 3.0}, {1.0, -0.5}, {e}, law), order);
        CAPTURE(e);
        CHECK(a.report.converged);
        CHECK(std::abs(a.u[0] - 1.5 * e) < 1e-11);
        CHECK(std::abs(a.P[0] - 1.2 * 1.5 * (1.0 + e)) < 1e-11);
      }
}

TEST_CASE("Poisson's law gives every contact back a share of its own compression") {
  // compression: v = 1/3 each, P_c = (2/3, 1/3); P = (1 + e) P_c
  for (const double e : {0.0, 0.4, 1.0}) {
    const After a = strike(cradle(3, e, Kind::poisson), simultaneous);
    CHECK(a.report.phases == 2);
    CHECK((a.P - (1.0 + e) * Eigen::Vector2d(2.0, 1.0) / 3.0).norm() < 1e-14);
  }
  // A block falls flat with its left corner first by a hair: Newton's law asks each corner for its own speed back, Poisson's
  // for its own impulse.
  Scene s = block(0.1, 0.5, 0.0, 1.0);
  s.v = Vector3(0.0, -1.0, 1.0);  // corners at -1.1 and -0.9
  CHECK((strike(s, simultaneous).u(std::vector{0, 2}) - Eigen::Vector2d(1.1, 0.9)).norm() < 1e-13);
  for (ImpactContact& c : s.contacts) c.form = Kind::poisson;
  const After a = strike(s, simultaneous);
  CHECK(a.v.isApprox(-s.v, 1e-13));  // P = 2 P_c where both are compressed: the same here
}

TEST_CASE("impulses that grow together end three balls as a chain of Hertz springs does") {
  const After a = strike(cradle(3, 1.0), energetic);
  CHECK(a.report.converged);
  CHECK((a.v - Vector3(-0.070952, 0.076403, 0.994549)).cwiseAbs().maxCoeff() < 1e-6);
  CHECK(std::abs(a.v.sum() - 1.0) < 1e-14);
  CHECK(std::abs(a.v.squaredNorm() - 1.0) < 1e-11);
}

TEST_CASE("a sphere that strikes a plane obliquely sticks or slides as Coulomb's law says") {
  Vector v(6);
  v << 1.0, 0.0, -2.0, 0.0, 0.0, 0.0;
  for (const ImpactOrder order : kOrders) {
    CAPTURE(static_cast<int>(order));
    const After a = strike(sphere(v, 0.1, 0.5, 0.0), order);  // sticks
    CHECK(a.P[0] == doctest::Approx(3.0).epsilon(1e-11));
    CHECK(a.P[1] == doctest::Approx(-2.0 / 7.0).epsilon(1e-11));
    CHECK(a.v[0] == doctest::Approx(5.0 / 7.0).epsilon(1e-11));
    CHECK(a.v[4] == doctest::Approx(50.0 / 7.0).epsilon(1e-11));
    CHECK(std::abs(a.P[2]) < 1e-14);
    const After b = strike(sphere(v, 0.02, 0.5, 0.0), order);  // slides
    CHECK(b.P[1] == doctest::Approx(-0.06).epsilon(1e-11));
    CHECK(b.u[1] == doctest::Approx(1.0 - 3.5 * 0.06).epsilon(1e-11));
  }
  // a rough ball turns its slip round: u+_T = -e_T u-_T
  for (const ImpactOrder order : {simultaneous, sequential})
    CHECK(strike(sphere(v, 0.4, 0.5, 0.6), order).u[1] == doctest::Approx(-0.6).epsilon(1e-12));
}

TEST_CASE("a turn of the tangents turns their impulses and changes nothing else") {
  Vector v(6);
  v << 1.0, -0.4, -2.0, 3.0, 5.0, 2.0;
  for (const ImpactOrder order : kOrders)
    for (const double mu : {0.05, 0.8}) {
      const After a = strike(sphere(v, mu, 0.7, 0.0), order);
      for (const double turn : {0.3, 2.0, 3.1}) {
        CAPTURE(turn);
        const After b = strike(sphere(v, mu, 0.7, 0.0, turn), order);
        CHECK((a.v - b.v).cwiseAbs().maxCoeff() < 1e-10);
        CHECK(std::abs(a.P.tail(2).norm() - b.P.tail(2).norm()) < 1e-11);
      }
    }
}

TEST_CASE("a rocking block goes over to its other corner with the ratio of Housner") {
  const double ratio = 1.0 - 1.5 * std::pow(std::sin(std::atan(0.2)), 2);  // 0.942307...
  for (const ImpactOrder order : kOrders) {
    const After a = strike(rocking(0.1, 0.5, 10.0, 0.0), order);
    CHECK(a.report.converged);
    CHECK(-a.v[2] == doctest::Approx(ratio).epsilon(1e-11));
    CHECK(a.P[0] == doctest::Approx(0.0));  // the corner that it leaves opens
    CHECK(a.u[0] == doctest::Approx(0.2 * ratio));
    CHECK(std::abs(a.u[2]) + std::abs(a.u[3]) < 1e-11);
  }
  // A squat one, h < b/sqrt(2), would have to be pulled at that corner: it lies down.
  CHECK(strike(rocking(0.5, 0.2, 10.0, 0.0), simultaneous).v.norm() < 1e-12);
}

TEST_CASE("smooth discs part at right angles") {
  const double s = 0.5, c = std::sqrt(0.75);  // line of centres
  Scene discs;
  discs.mass = Vector::Ones(4);
  discs.v = Eigen::Vector4d(1.0, 0.0, 0.0, 0.0);
  discs.row({-c, -s, c, s});
  discs.contacts.push_back({.restitution = 1.0});
  for (const ImpactOrder order : kOrders) {
    const After a = strike(discs, order);
    CHECK((a.v - Eigen::Vector4d(0.25, -0.5 * c, 0.75, 0.5 * c)).norm() < 1e-11);
    CHECK(a.P[0] == doctest::Approx(c).epsilon(1e-11));
  }
}

/// A contact in the plane with friction by the lines of Routh: u(P_N) consists of straight pieces, the tangential one of
/// which ends where the slip does; the end is where the work of expansion is e^2 of that of compression.
Eigen::Vector2d routh(const Eigen::Matrix2d& W, const Eigen::Vector2d& u0, double mu, double e) {
  Eigen::Vector2d u = u0, P(0.0, 0.0);
  double given = 0.0, taken = 0.0;
  const double first = u0[1] > 0.0 ? 1.0 : -1.0;
  double ratio = -mu * first;  // dP_T/dP_N
  const double sticks = -W(1, 0) / W(1, 1);
  double left = (u[1] / -(W(1, 0) + W(1, 1) * ratio));  // P_N until the slip ends
  if (!(left > 0.0)) left = 1e300;
  for (;;) {
    const double rate = W(0, 0) + W(0, 1) * ratio;
    double step = left;
    if (u[0] < 0.0) {  // to the end of the slip or of the compression
      if (rate > 0.0) step = std::min(step, -u[0] / rate);
      taken -= u[0] * step + 0.5 * rate * step * step;
    } else {  // or to the end: given + u step + rate step^2/2 = e^2 taken
      const double missing = e * e * taken - given;
      const double end = 2.0 * missing / (u[0] + std::sqrt(u[0] * u[0] + 2.0 * rate * missing));
      if (end <= step) return P + end * Eigen::Vector2d(1.0, ratio);
      given += u[0] * step + 0.5 * rate * step * step;
    }
    P += step * Eigen::Vector2d(1.0, ratio);
    u += step * W * Eigen::Vector2d(1.0, ratio);
    left -= step;
    if (left > 0.0) {
      u[0] = 0.0;
      continue;
    }
    left = 1e300;
    u[1] = 0.0;
    ratio = std::abs(sticks) <= mu ? sticks : sticks > 0.0 ? mu : -mu;
  }
}

TEST_CASE("a rod that strikes with friction follows the lines of Routh") {
  // dP_N ends the slip in the compression, in the expansion or never; sticks behind it or turns back
  for (const double tilt : {-1.0, -0.4, 0.0, 0.6, 1.2})
    for (const double mu : {0.05, 0.2, 0.6})
      for (const double slip : {-1.5, 0.2, 1.0})
        for (const double e : {0.3, 1.0}) {
          Scene s;  // a rod of half length 1 that strikes with its lower end
          s.mass = Vector3(1.0, 1.0, 1.0 / 3.0);
          s.row({0.0, 1.0, std::sin(tilt)});
          s.row({1.0, 0.0, std::cos(tilt)});
          s.v = Vector3(slip, -1.0, 0.0);
          s.contacts.push_back({.tangents = 1, .restitution = e, .friction = mu});
          const Matrix W = s.H * s.mass.cwiseInverse().asDiagonal() * s.H.transpose();
          CAPTURE(tilt);
          CAPTURE(mu);
          CAPTURE(slip);
          CAPTURE(e);
          const After a = strike(s, energetic);
          CHECK(a.report.converged);
          CHECK((a.P - routh(W, s.H * s.v, mu, e)).norm() < 1e-9 * a.P.norm());
        }
}

/// Bodies with random rows, some of them twice (redundant contacts), relations that hold before the impact.
Scene crowd(unsigned seed, int tangents, bool held, double e) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  constexpr int n = 12;
  Scene s;
  s.mass.resize(n);
  s.v.resize(n);
  for (double& m : s.mass) m = std::exp(normal(random));
  for (double& x : s.v) x = normal(random);
  s.H.resize(0, n);
  const auto add = [&] {
    std::vector<double> entries(n);
    for (double& x : entries) x = normal(random);
    s.row(entries);
  };
  if (held) {
    add();
    const Vector w = s.mass.cwiseInverse().cwiseProduct(s.H.row(0).transpose());
    s.v -= w * (s.H.row(0).dot(s.v) / s.H.row(0).dot(w));
    s.row(std::vector<double>(s.H.row(0).begin(), s.H.row(0).end()));
    s.contacts = {{.form = Kind::held, .first = 0}, {.form = Kind::held, .first = 1}};
  }
  for (int i = 0; i < 3; ++i) {
    s.contacts.push_back({.first = static_cast<int>(s.H.rows()),
                          .tangents = tangents,
                          .restitution = e,
                          .friction = tangents > 0 ? uniform(random) : 0.0});
    for (int a = 0; a <= tangents; ++a) add();
  }
  ImpactContact twin = s.contacts.back();
  const Matrix rows = s.H.middleRows(twin.first, 1 + tangents);
  twin.first = static_cast<int>(s.H.rows());
  s.contacts.push_back(twin);
  for (const auto& r : rows.rowwise()) s.row(std::vector<double>(r.begin(), r.end()));
  return s;
}

TEST_CASE("behind an impact nothing closes, contacts press inside their cones, relations hold") {
  for (const ImpactOrder order : kOrders)
    for (const int tangents : {0, 1, 2})
      for (unsigned seed = 0; seed < 16; ++seed) {
        const double e = std::array{0.0, 0.2, 0.7, 1.0}[seed % 4];
        const Scene s = crowd(seed, tangents, seed % 8 >= 4, e);
        const After a = strike(s, order);
        CAPTURE(seed);
        CAPTURE(tangents);
        CAPTURE(static_cast<int>(order));
        REQUIRE(a.report.converged);
        for (const ImpactContact& c : s.contacts) {
          if (c.form == Kind::held) {
            CHECK(std::abs(a.u[c.first]) < 1e-9);
            continue;
          }
          CHECK(a.u[c.first] > -1e-9);
          CHECK(a.P[c.first] >= 0.0);
          if (c.tangents > 0)
            CHECK(a.P.segment(c.first + 1, c.tangents).norm() <= c.friction * a.P[c.first] + 1e-9);
        }
        // with one e and no friction no order feeds energy in; the energetic one not even with friction
        if (tangents == 0 || order == energetic)
          CHECK(s.energy(a.v) <= s.energy(s.v) * (1.0 + 1e-10));
        if (tangents == 0 && e == 1.0)
          CHECK(s.energy(a.v) == doctest::Approx(s.energy(s.v)).epsilon(1e-9));
      }
}

TEST_CASE(
    "Newton's law with different restitutions may feed energy in, the energetic law does not") {
  // the first contact is plastic, the second one elastic: it gives back what others pressed out of it
  const Scene s = chain({1.0, 1.0, 1.0}, {1.0, 0.0, -1.0}, {0.0, 1.0});
  double most[2] = {0.0, 0.0};
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 300; ++i) {
    Scene x = chain({std::exp(normal(random)), std::exp(normal(random)), std::exp(normal(random))},
                    {normal(random), normal(random), normal(random)}, {0.0, 1.0});
    for (int k = 0; k < 2; ++k) {
      const After a = strike(x, k == 0 ? simultaneous : energetic);
      most[k] = std::max(most[k], x.energy(a.v) / x.energy(x.v));
    }
  }
  CHECK(most[0] > 1.01);
  CHECK(most[1] < 1.0 + 1e-10);
  CHECK(s.energy(strike(s, energetic).v) <= s.energy(s.v));
}

TEST_CASE("momentum is kept in a chain of balls") {
  for (const ImpactOrder order : kOrders)
    for (const double e : {0.0, 0.15, 0.8}) {
      const Scene s = chain({1.0, 3.0, 0.2, 5.0}, {2.0, 1.0, 0.0, -3.0}, {e});
      const After a = strike(s, order);
      CHECK(a.report.converged);
      CHECK(s.mass.dot(a.v) == doctest::Approx(s.mass.dot(s.v)).epsilon(1e-13));
      CHECK(a.u.minCoeff() > -1e-10);
    }
}

TEST_CASE("balls without restitution end together however they are struck") {
  for (const ImpactOrder order : kOrders)
    for (const int n : {3, 5})
      CHECK((strike(cradle(n, 0.0), order).v - Vector::Constant(n, 1.0 / n)).norm() < 1e-9);
}

TEST_CASE("an impact does not know the units of mass and speed") {
  for (const ImpactOrder order : kOrders)
    for (const int power : {-40, 40}) {  // 1e-12 and 1e12, by which not a bit may change
      Scene s = crowd(6, 2, true, 0.4);
      const After a = strike(s, order);
      REQUIRE(a.P.norm() > 0.1);
      CAPTURE(static_cast<int>(order));
      CAPTURE(power);
      s.mass *= std::exp2(power);
      CHECK(strike(s, order).P * std::exp2(-power) == a.P);
      s.v *= std::exp2(power);
      CHECK(strike(s, order).P * std::exp2(-2 * power) == a.P);
    }
}

TEST_CASE(
    "a ball that leaves may be struck by the next one: the impact goes on until none closes") {
  // 1 at speed 1 strikes 2, which moves with 3, away from it at 0.1
  const After a = strike(chain({1.0, 1.0, 1.0}, {1.0, 0.0, 0.1}, {1.0}), simultaneous);
  CHECK(a.report.converged);
  CHECK(a.report.phases == 2);
  CHECK(a.u.minCoeff() > -1e-14);
  CHECK(a.v.squaredNorm() == doctest::Approx(1.01).epsilon(1e-13));
}

TEST_CASE("the order of equal impacts is told where it decides, and only there") {
  // struck from both sides the middle contacts of a cradle are equally due and change each other, yet all orders end alike
  const Scene both = chain({1.0, 1.0, 1.0, 1.0, 1.0}, {1.0, 0.0, 0.0, 0.0, -1.0}, {1.0});
  CHECK(strike(both, sequential).report.tied == std::array{-1, -1});
  // unequal masses in the middle make the order decide
  const Scene pinched = chain({1.0, 3.0, 1.0}, {1.0, 0.0, -1.0}, {0.7});
  const After a = strike(pinched, sequential);
  CHECK(a.report.tied == std::array{0, 1});
  CHECK(std::abs(a.v[0] + a.v[2]) > 1e-3);  // no mirror image
  CHECK(strike(pinched, simultaneous).report.tied == std::array{-1, -1});
  CHECK(strike(pinched, energetic).report.tied == std::array{-1, -1});
  // speeds that differ have an order, whatever the masses
  CHECK(strike(chain({1.0, 3.0, 1.0}, {1.0, 0.0, -1.001}, {0.7}), sequential).report.tied[0] == -1);
  // two balls land at once and have nothing in common
  Scene apart;
  apart.mass = Vector::Ones(2);
  apart.v = Vector::Constant(2, -1.0);
  for (int i = 0; i < 2; ++i) {
    apart.contacts.push_back({.first = i, .restitution = 0.5});
    apart.row({i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0});
  }
  CHECK(strike(apart, sequential).report.tied == std::array{-1, -1});
  // without restitution a rod that lands flat rests, by whichever end first
  Scene rod = block(1.0, 0.05, 0.0, 0.0);
  rod.v = Vector3(0.0, -1.0, 0.0);
  CHECK(strike(rod, sequential).report.tied == std::array{-1, -1});
}

TEST_CASE("an impact says what it cannot do") {
  const auto solver = make_automatic();
  Matrix W = Matrix::Zero(1, 1);  // a wall that closes on a wall
  Vector u = -Vector::Ones(1), P = Vector::Zero(1);
  std::vector<ImpactContact> contacts{{.restitution = 0.5}};
  const std::vector<int> ids{0};
  for (const ImpactOrder order : kOrders) {
    const ImpactReport report = solve_impact({W, u, contacts, ids}, order, *solver, {}, P);
    CHECK_FALSE(report.converged);
    CHECK_FALSE(report.failure.empty());
  }
  u.setZero();
  for (const ImpactOrder order : kOrders) {
    CHECK(solve_impact({W, u, contacts, ids}, order, *solver, {}, P).converged);
    CHECK(P[0] == 0.0);
  }
  contacts[0] = {.form = Kind::held, .tangents = 1};
  CHECK_THROWS_AS(solve_impact({W, u, contacts, ids}, simultaneous, *solver, {}, P), UsageError);
}

}  // namespace
