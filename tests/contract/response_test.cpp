// The response law: the finished step depends on the impulse r as A^-1 (velocity) and gain h A^-1 (position) say. The
// momentum law: A is the mass when h goes to 0.
#include <doctest/doctest.h>

#include <algorithm>

#include "cases.h"

using namespace saltus;
using namespace saltus::contract;

namespace {

Vector impulse(const Body& body) {  // about half of what the body carries, in every component
  const Vector v = 0.5 * body.state.v;
  return multiply(*body.dynamics, {1, 0, 0}, body.state.q, body.state.v, v);
}

struct Mismatch {
  double velocity = 0.0, position = 0.0;  ///< relative to |A^-1| and h |A^-1|
};

Mismatch mismatch(const Pair& pair, double h) {
  const Dynamics& body = *pair.body.dynamics;
  const Scheme& scheme = *pair.scheme.scheme;
  const Vector r = impulse(pair.body);
  const Driven at = drive(body, scheme, pair.body.state, h, r);
  const Eigen::Index n = body.velocities();
  Matrix inverse = Matrix::Identity(n, n);
  solve(at.A(), inverse);
  Mismatch worst;
  for (Eigen::Index j = 0; j < n; ++j) {
    const double eps = 1e-4 * r.norm();
    Vector up = r, down = r;
    up[j] += eps;
    down[j] -= eps;
    const Driven a = drive(body, scheme, pair.body.state, h, down),
                 b = drive(body, scheme, pair.body.state, h, up);
    const Vector dv = (b.end.v - a.end.v) / (2.0 * eps),
                 dq = increment(body, a.end.q, b.end.q) / (2.0 * eps);
    const double size = inverse.col(j).norm();
    worst.velocity = std::max(worst.velocity, (dv - inverse.col(j)).norm() / size);
    worst.position =
        std::max(worst.position, (dq - at.gain * h * inverse.col(j)).norm() / (h * size));
  }
  return worst;
}

}  // namespace

TEST_CASE("an impulse changes the velocity by A^-1 r and the position by gain h A^-1 r") {
  for (const Pair& pair : legal_pairs()) {
    CAPTURE(pair.name());
    const Mismatch coarse = mismatch(pair, 1e-2), fine = mismatch(pair, 1e-3);
    CAPTURE(coarse.velocity);
    CAPTURE(coarse.position);
    CAPTURE(fine.velocity);
    CAPTURE(fine.position);
    if (!pair.body.curved()) {
      CHECK(coarse.velocity <= 1e-8);
      // what the impulse changes in the acceleration of generalised-alpha enters positions by beta, not by gamma/2
      const bool by_beta = pair.scheme.scheme->name() == "generalized-alpha";
      if (by_beta) CHECK(coarse.position <= 0.05);
      CHECK((by_beta ? fine.position : coarse.position) <=
            (by_beta ? std::max(0.25 * coarse.position, 1e-8) : 1e-8));
      continue;
    }
    // tangents leave out how M and the exponential of the rotation change along the step: O(h)
    CHECK(fine.velocity <= std::max(0.25 * coarse.velocity, 1e-8));
    CHECK(fine.position <= std::max(0.35 * coarse.position, 1e-8));
    CHECK(fine.velocity <= 0.01);
    CHECK(fine.position <= 0.01);
  }
}

TEST_CASE("the gain a scheme announces before any step is the gain of its steps") {
  for (const Pair& pair : legal_pairs()) {
    if (pair.decoupled()) continue;  // of positions 1, of velocities 0
    CAPTURE(pair.name());
    CHECK(drive(*pair.body.dynamics, *pair.scheme.scheme, pair.body.state, 1e-3, impulse(pair.body))
              .gain == pair.scheme.scheme->gain());
  }
}

TEST_CASE("the passes of an implicit step contract faster than one half") {
  for (const Pair& pair : legal_pairs()) {
    CAPTURE(pair.name());
    const Driven step =
        drive(*pair.body.dynamics, *pair.scheme.scheme, pair.body.state, 1e-2, impulse(pair.body));
    CAPTURE(step.passes);
    if (pair.body.curved()) {
      CHECK(step.contraction < 0.5);
      CHECK(step.passes < 20);
    } else {
      CHECK(step.passes == (pair.decoupled() ? 2 : 1));
    }
  }
}

TEST_CASE("in a vanishing step the momentum changes by the impulse: A tends to M") {
  for (const Pair& pair : legal_pairs()) {
    CAPTURE(pair.name());
    const Vector r = impulse(pair.body);
    const Driven step = drive(*pair.body.dynamics, *pair.scheme.scheme, pair.body.state, 1e-9, r);
    const Vector dv = step.end.v - step.start.v;
    const Vector change = multiply(*pair.body.dynamics, {1, 0, 0}, step.end.q, step.end.v, dv);
    CHECK((change - r).norm() <= 1e-6 * r.norm());
  }
}
