// The sets of impulses that laws admit, against what defines a projection and a dual cone.
#include "saltus/contact/cone.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "saltus/base/base.h"

using namespace saltus;

namespace {

constexpr double kTight = 1e-13;

const Law kFriction[] = {
    {.kind = LawKind::coulomb, .size = 1, .friction = 0.5},
    {.kind = LawKind::coulomb, .size = 2, .friction = 0.5},
    {.kind = LawKind::coulomb, .size = 3, .friction = 0.4},
    {.kind = LawKind::coulomb, .size = 3, .friction = 0.0},
    {.kind = LawKind::coulomb, .size = 3, .friction = 20.0},
    {.kind = LawKind::rolling, .size = 3, .friction = 0.5, .rolling = 0.1},
    {.kind = LawKind::rolling, .size = 4, .friction = 0.5, .spinning = 0.2},
    {.kind = LawKind::rolling, .size = 5, .friction = 0.5, .rolling = 0.1},
    {.kind = LawKind::rolling, .size = 6, .friction = 0.5, .rolling = 0.1, .spinning = 0.2}};
const Law kRows[] = {{.kind = LawKind::equality},
                     {.kind = LawKind::unilateral},
                     {.kind = LawKind::box, .bound = 0.7},
                     {.kind = LawKind::box, .bound = 0.0}};

/// Every set, and for those with moments two lengths.
std::vector<Cone> all_cones() {
  std::vector<Cone> out;
  for (const Law& law : kRows) out.emplace_back(law);
  for (const Law& law : kFriction) {
    out.emplace_back(law);
    if (law.kind == LawKind::rolling) out.emplace_back(law, 0.05);
  }
  return out;
}

Vector projected(const Cone& K, const Vector& x) {
  Vector y(x.size());
  K.project(x.data(), y.data());
  return y;
}

/// Numbers that lie inside, outside, beyond the dual cone, and on axes.
struct Numbers {
  std::mt19937_64 engine{7};
  std::normal_distribution<double> normal;
  Vector next(int size) {
    Vector x(size);
    for (double& v : x) v = engine() % 8 == 0 ? 0.0 : normal(engine);
    x[0] *= std::pow(10.0, static_cast<double>(engine() % 5) - 2.0);
    return x;
  }
};

/// A point of K, on its boundary about half of the time.
Vector some_point(const Cone& K, Numbers& numbers) {
  Vector p = numbers.next(K.size());
  if (K.kind == LawKind::equality) return p;
  if (K.kind == LawKind::box) return Vector::Constant(1, K.bound * std::sin(5.0 * p[0]));
  p[0] = std::abs(p[0]);
  for (int k = 0, i = 1; k < Cone::kParts; i += K.rows[k++]) {
    const double size = Cone::length(p.data() + i, K.rows[k]), radius = K.radius[k] * p[0];
    if (size > radius) p.segment(i, K.rows[k]) *= radius / size;
  }
  return p;
}

}  // namespace

TEST_CASE(
    "a projection lies in its set, no point of the set is nearer, and it is its own projection") {
  Numbers numbers;
  for (const Cone& K : all_cones())
    for (int k = 0; k < 2000; ++k) {
      const Vector x = numbers.next(K.size()), y = projected(K, x), q = some_point(K, numbers);
      REQUIRE(K.contains(y.data(), kTight * x.norm()));
      REQUIRE((x - y).dot(q - y) <= kTight * (x.norm() + q.norm()) * (x.norm() + q.norm()));
      REQUIRE((projected(K, y) - y).norm() <= kTight * x.norm());
    }
}

TEST_CASE(
    "what a cone takes from a vector is orthogonal to what it leaves, and lies in its polar cone") {
  Numbers numbers;
  for (const Cone& K : all_cones()) {
    if (K.kind == LawKind::box) continue;  // no cone
    for (int k = 0; k < 2000; ++k) {       // Moreau: x = Proj_K(x) - Proj_K*(-x)
      const Vector x = numbers.next(K.size()), y = projected(K, x), v = y - x;
      REQUIRE(K.dual_excess(v.data()) <= 30.0 * kTight * x.norm());
      REQUIRE(std::abs(v.dot(y)) <= kTight * x.squaredNorm());
    }
  }
}

TEST_CASE("the projection may overwrite its argument, and one row is projected as a number") {
  Numbers numbers;
  for (const Cone& K : all_cones())
    for (int k = 0; k < 100; ++k) {
      Vector x = numbers.next(K.size());
      const Vector y = projected(K, x);
      if (K.size() == 1 && K.kind != LawKind::coulomb) CHECK(K.project(x[0]) == y[0]);
      K.project(x.data(), x.data());
      CHECK(x == y);
    }
}

TEST_CASE("a set contains the points that its projection leaves where they are") {
  Numbers numbers;
  for (const Cone& K : all_cones())
    for (int k = 0; k < 2000; ++k) {
      const Vector x = numbers.next(K.size());
      const double moved = (projected(K, x) - x).norm(), excess = K.excess(x.data());
      if (std::abs(excess) <= kTight * x.norm()) continue;  // on the boundary
      REQUIRE(K.contains(x.data()) == (moved <= kTight * x.norm()));
      REQUIRE(K.contains(x.data(), std::abs(excess)));
      const Vector p = some_point(K, numbers);
      REQUIRE(K.contains(p.data(), kTight * (1.0 + p.norm())));
    }
}

TEST_CASE("the dual cone holds exactly what does no negative work on any impulse") {
  Numbers numbers;
  for (const Law& law : kFriction)
    for (int k = 0; k < 500; ++k) {
      const Cone K(law);
      const Vector v = numbers.next(K.size());
      // the impulse of the cone with p_N = 1 that opposes v most
      Vector p = Vector::Zero(K.size());
      p[0] = 1.0;
      for (int part = 0, i = 1; part < Cone::kParts; i += K.rows[part++])
        if (const double size = Cone::length(v.data() + i, K.rows[part]); size > 0.0)
          p.segment(i, K.rows[part]) = -K.radius[part] / size * v.segment(i, K.rows[part]);
      REQUIRE(K.contains(p.data(), kTight));
      REQUIRE(-p.dot(v) == doctest::Approx(K.dual_excess(v.data())).epsilon(1e-11).scale(1.0));
      const Vector q = some_point(K, numbers);
      const double excess = std::max(K.dual_excess(v.data()), 0.0);
      REQUIRE(v.dot(q) >= -q[0] * excess - kTight * v.norm() * q.norm());
    }
}

TEST_CASE(
    "u^ is in the dual cone where points part, orthogonal to the impulse, and its law a "
    "projection") {
  Numbers numbers;
  for (const Law& law : kFriction)
    for (int k = 0; k < 1000; ++k) {
      const Cone K(law);
      // open, or closed with every disc at its edge against the slip
      Vector p = Vector::Zero(K.size()), u = numbers.next(K.size());
      const bool open = numbers.engine() % 2 == 0;
      u[0] = open ? std::abs(u[0]) : 0.0;
      if (!open) {
        p[0] = 1.0;
        for (int part = 0, i = 1; part < Cone::kParts; i += K.rows[part++])
          if (const double slip = Cone::length(u.data() + i, K.rows[part]); slip > 0.0)
            p.segment(i, K.rows[part]) = -K.radius[part] / slip * u.segment(i, K.rows[part]);
      }
      Vector raised = u;
      raised[0] = K.raised(u[0], u.data());
      const double size = 1.0 + raised.norm();
      CHECK(K.closing(u.data()) <= 0.0);
      CHECK(K.dual_excess(raised.data()) <= kTight * size);
      CHECK(std::abs(K.dual_excess(raised.data()) - K.closing(u.data())) <= kTight * size);
      CHECK(std::abs(raised.dot(p)) <= kTight * size * size);
      for (const double rho : {0.01, 1.0, 100.0})
        CHECK((projected(K, p - rho * raised) - p).norm() <= kTight * (p.norm() + rho * size));
    }
  for (const Law& law : kRows) {  // rows: the excess of u itself
    const Cone K(law);
    const double parts = 0.3, meets = -0.3;
    CHECK(K.closing(&parts) == (law.kind == LawKind::unilateral ? -0.3 : 0.3));
    CHECK(K.closing(&meets) == 0.3);
    CHECK(K.dual_excess(&meets) == K.closing(&meets));
  }
}

TEST_CASE("the closed form for one disc and Newton's method for many agree to round-off") {
  Numbers numbers;
  for (const Law& law : kFriction) {
    if (law.kind != LawKind::coulomb) continue;
    const Cone K(law);
    for (int k = 0; k < 2000; ++k) {
      const Vector x = numbers.next(K.size());
      Vector y(K.size()), z(K.size());
      K.project_disc(x.data(), y.data());
      K.project_discs(x.data(), z.data());
      REQUIRE((y - z).norm() <= 1e-15 * (1.0 + law.friction) * x.norm());
    }
  }
}

TEST_CASE("what is not a number is in no set, and is not projected away") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Cone& K : all_cones())
    for (int i = 0; i < K.size(); ++i) {
      Vector x = Vector::Ones(K.size());
      x[i] = nan;
      CHECK_FALSE(K.contains(x.data(), 1e300));
      CHECK(projected(K, x).hasNaN());
    }
}
