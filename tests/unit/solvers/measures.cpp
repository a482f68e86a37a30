// The yardsticks beside the residual, on contacts whose p and u are known.
#include "saltus/contact/measures.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "saltus/contact/residual.h"
#include "tests/unit/solvers/problems.h"

using namespace saltus;
using namespace saltus::testing;
namespace {

/// measure() where p leaves the velocities u.
struct Measured {
  Matrix W;
  std::vector<Law> laws;
  ContactMeasures of(const Vector& u, const Vector& p) const {
    DenseDelassus delassus;
    delassus.W = W;
    const Vector b = u - W * p;
    const testing::Rows rows(static_cast<int>(b.size()));
    const ContactProblem problem{delassus, b, laws, rows.ids};
    const ContactMeasures m = measure(problem, p);
    CHECK(m.residual == residual(problem, p));
    return m;
  }
};

const Law kCoulomb{.kind = LawKind::coulomb, .size = 3, .friction = 0.5};

TEST_CASE("a solved contact has no penetration, no error of direction and no gap of duality") {
  const Measured x{Matrix::Identity(3, 3), {kCoulomb}};
  const auto slides = x.of(Vector{{0, 6, -8}}, Vector{{10, -3, 4}});
  CHECK(slides.sliding == 1);
  CHECK(slides.sticking + slides.open == 0);
  const auto sticks = x.of(Vector{{0, 0, 0}}, Vector{{10, -3, 3}});
  CHECK(sticks.sticking == 1);
  const auto open = x.of(Vector{{1, 6, -8}}, Vector{{0, 0, 0}});
  CHECK(open.open == 1);
  for (const ContactMeasures& m : {slides, sticks, open}) {
    CHECK(m.residual <= 1e-15);
    CHECK(m.siconos <= 1e-15);
    CHECK(m.fclib <= 1e-14);
    CHECK(m.penetration == 0.0);
    CHECK(m.cone <= 1e-15);
    CHECK(m.angle <= 1e-15);
    CHECK(m.gap <= 1e-14);
  }
}

TEST_CASE("each fault of an impulse shows in the measure of its name") {
  const Measured x{Matrix::Identity(3, 3), {kCoulomb}};
  // sinks in at 2 m/s under 3 N s: p . u^ = -6
  const auto sinks = x.of(Vector{{-2, 0, 0}}, Vector{{3, 0, 0}});
  CHECK(sinks.penetration == doctest::Approx(2.0));
  CHECK(sinks.gap == doctest::Approx(6.0));
  // 7 N s of friction where 0.5 * 10 are allowed
  CHECK(x.of(Vector{{0, 0, 0}}, Vector{{10, 7, 0}}).cone == doctest::Approx(2.0));
  CHECK(x.of(Vector{{0, 0, 0}}, Vector{{-4, 0, 0}}).cone == doctest::Approx(4.0));
  // 30 degrees off the slip: p . u^ = 10 * 0.5 * 2 - 5 * 2 cos 30
  const double angle = std::numbers::pi / 6.0;
  const auto turned =
      x.of(Vector{{0, -2, 0}}, Vector{{10, 5 * std::cos(angle), 5 * std::sin(angle)}});
  CHECK(turned.angle == doctest::Approx(angle).epsilon(1e-12));
  CHECK(turned.gap == doctest::Approx(10.0 * (1.0 - std::cos(angle))));
  // friction that drives
  CHECK(x.of(Vector{{0, 2, 0}}, Vector{{10, 5, 0}}).angle == doctest::Approx(std::numbers::pi));
  // separating contacts must not push: p . u^ = 3
  CHECK(x.of(Vector{{1, 0, 0}}, Vector{{3, 0, 0}}).gap == doctest::Approx(3.0));
}

TEST_CASE("a moment beyond its disc and a spin show in cone and gap") {
  const Measured x{Matrix::Identity(5, 5),
                   {{.kind = LawKind::rolling, .size = 5, .friction = 0.5, .rolling = 0.2}}};
  CHECK(x.of(Vector::Zero(5), Vector{{10, 1, 1, 0, 5}}).cone == doctest::Approx(3.0));
  // p . u^ = 10 * 0.2 * 7 + 2 * 7
  CHECK(x.of(Vector{{0, 0, 0, 0, 7}}, Vector{{10, 1, 1, 0, 2}}).gap == doctest::Approx(28.0));
  const auto spins = x.of(Vector{{0, 0, 0, 0, 7}}, Vector{{10, 1, 1, 0, -2}});
  CHECK(spins.gap <= 1e-14);
  CHECK(spins.sticking == 1);
}

TEST_CASE("a moment about the normal beyond its interval and what it drives show in cone and gap") {
  const Measured x{Matrix::Identity(4, 4),
                   {{.kind = LawKind::rolling, .size = 4, .friction = 0.5, .spinning = 0.2}}};
  CHECK(x.of(Vector::Zero(4), Vector{{10, 1, 1, -5}}).cone == doctest::Approx(3.0));
  // p . u^ = 10 * 0.2 * 7 + 2 * 7
  CHECK(x.of(Vector{{0, 0, 0, 7}}, Vector{{10, 1, 1, 2}}).gap == doctest::Approx(28.0));
  CHECK(x.of(Vector{{0, 0, 0, 7}}, Vector{{10, 1, 1, -2}}).gap <= 1e-14);
}

// F of one row is p - max(0, p - u) = min(p, u) with rho = 1.
TEST_CASE("the measures of Siconos and FCLIB are those of their definition") {
  const Measured x{Matrix::Identity(2, 2) * 4.0,
                   {{.first = 0}, {.kind = LawKind::equality, .first = 1}}};
  const Vector p{{3.0, 1.0}}, u{{2.0, -1.5}}, b = u - 4.0 * p;
  const double F = std::hypot(2.0, 1.5);
  const auto m = x.of(u, p);
  CHECK(m.siconos == doctest::Approx(F / b.norm()).epsilon(1e-14));
  CHECK(m.fclib == doctest::Approx(F / (1.0 + std::sqrt(b.norm()))).epsilon(1e-14));
  CHECK(m.siconos != doctest::Approx(m.residual));  // rho = 1 is not 1/4
  // rows of an equality have neither penetration nor a cone
  CHECK(x.of(Vector{{2.0, -9.0}}, Vector{{0.0, -5.0}}).penetration == 0.0);
  CHECK(x.of(Vector{{2.0, -9.0}}, Vector{{0.0, -5.0}}).cone == 0.0);
  // nothing but round-off: |F| itself
  const auto tiny = x.of(Vector{{1e-20, 0.0}}, Vector{{1e-20, 0.0}});
  CHECK(tiny.siconos == doctest::Approx(1e-20).epsilon(1e-12));
}

TEST_CASE("a measure rises with the worst contact and counts all") {
  const Measured x{
      Matrix::Identity(7, 7),
      {kCoulomb, {.kind = LawKind::coulomb, .first = 3, .size = 3, .friction = 0.5}, {.first = 6}}};
  const auto m = x.of(Vector{{-1, 0, 0, 0, 6, -8, 3}}, Vector{{2, 0.1, 0, 10, -3, 4, 0}});
  CHECK(m.penetration == doctest::Approx(1.0));
  CHECK(m.sticking == 1);
  CHECK(m.sliding == 1);
  CHECK(m.open == 1);
  CHECK(m.gap == doctest::Approx(2.0));
}

}  // namespace
