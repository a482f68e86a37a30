#include "saltus/bodies/rigid.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "body_checks.h"
#include "saltus/base/error.h"

using namespace saltus;
using namespace saltus::test;

namespace {

Matrix3 inertia_about(const Vector3& principal, const Vector3& turn) {
  const Matrix3 R = exp_rotation(turn).toRotationMatrix();
  return R * principal.asDiagonal() * R.transpose();
}

RigidLoad load(int body, bool torque, bool in_body, const Vector3& direction, const Vector3& at) {
  return {body, torque, in_body, direction, at, Signal::harmonic(1.5, 3.0, 0.4, 0.2)};
}

/// Two bodies, everything that acts.
RigidSystem pair() {
  RigidSystem s;
  s.bodies.push_back({1.3, inertia_about({0.2, 0.3, 0.4}, {0.3, -1.0, 0.2}), {}});
  s.bodies.push_back({0.6, inertia_about({0.05, 0.03, 0.07}, {1.0, 0.4, -0.7}), {}});
  s.gravity = Vector3(0.2, -0.1, -9.81);
  s.drag = 0.3;
  s.spin_drag = 0.02;
  const Vector3 at(0.1, -0.2, 0.3), along(0.5, 1.0, -0.7);
  s.loads = {load(0, false, false, along, at), load(0, false, true, along, at),
             load(1, true, false, along, at), load(1, true, true, along, at),
             load(1, false, false, along, Vector3::Zero())};
  return s;
}

Vector positions() {
  Vector q(14);
  q << 0.1, -0.3, 0.8, 0.7, 0.1, -0.5, 0.5, 1.0, 0.4, -0.2, 0.1, 0.7, 0.7, -0.1;
  q.segment<4>(3).normalize();
  q.segment<4>(10).normalize();
  return q;
}
Vector velocities() {
  Vector v(12);
  v << 0.3, -0.1, -1.2, 2.0, -1.5, 3.0, -0.4, 0.9, 0.2, 1.0, 0.5, -2.5;
  return v;
}
const Vector kPlace = positions(), kRate = velocities();

Vector moved(const Dynamics& body, const Vector& q, const Vector& w) {
  Vector out(body.positions());
  body.retract(q, w, out);
  return out;
}

Vector load_of(const Dynamics& body, double t, const Vector& q, const Vector& v) {
  Vector f(body.velocities());
  body.load(t, q, v, f);
  return f;
}

Vector rows_times(const PointRows& J, const Vector& v) {
  Vector y = Vector::Zero(3 * static_cast<Eigen::Index>(J.offset.size() - 1));
  for (std::size_t i = 0; i + 1 < J.offset.size(); ++i)
    for (int k = J.offset[i]; k < J.offset[i + 1]; ++k)
      for (int a = 0; a < 3; ++a)
        for (int j = 0; j < J.width; ++j)
          y[3 * static_cast<Eigen::Index>(i) + a] +=
              J.value[static_cast<std::size_t>((3 * k + a) * J.width + j)] *
              v[J.column[static_cast<std::size_t>(k)] + j];
  return y;
}

Vector points_of(const Dynamics& body, const Vector& q, const std::vector<PointRef>& at) {
  Vector x(3 * static_cast<Eigen::Index>(at.size()));
  body.points(0.0, q, at, x);
  return x;
}

const std::vector<PointRef> kPoints{
    {1, 0, Vector3(0.1, -0.4, 0.2)}, {0, 0, Vector3(0.3, 0.0, -0.1)}, {1, 0, Vector3::Zero()}};

std::string fault(RigidSystem s) {
  try {
    const Rigid body(std::move(s));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE(
    "C and K of a rigid body are the slopes of its force, constant loads that turn with it "
    "included") {
  RigidSystem system = pair();
  for (RigidLoad& l : system.loads) l.signal = Signal::constant(1.2);
  const Rigid body(system);
  const double t = 0.3;
  const Vector zero = Vector::Zero(12);
  const Matrix K = matrix(body, {0.0, 0.0, 1.0}, kPlace, kRate),
               C = matrix(body, {0.0, 1.0, 0.0}, kPlace, kRate);
  const Matrix slope_q =
      slope([&](const Vector& w) { return force(body, t, moved(body, kPlace, w), kRate); }, zero);
  const Matrix slope_v = slope([&](const Vector& v) { return force(body, t, kPlace, v); }, kRate);
  CHECK(largest(K) > 0.1);
  CHECK(largest(K + slope_q) <= 1e-8);
  CHECK(largest(C + slope_v) <= 1e-8);
  const Matrix M = matrix(body, {1.0, 0.0, 0.0}, kPlace, kRate);
  CHECK(M.block(3, 3, 3, 3) == body.system().bodies[0].inertia);
  CHECK(M(7, 7) == 0.6);
}

TEST_CASE("the force without the gyroscopic moment is the load") {
  const Rigid body(pair());
  const Vector gyroscopic = force(body, 0.3, kPlace, kRate) - load_of(body, 0.3, kPlace, kRate);
  for (int i : {0, 1}) {
    const Vector3 Omega = kRate.segment<3>(6 * i + 3);
    const Vector3 moment = -Omega.cross(body.rigid()->inertia[static_cast<std::size_t>(i)] * Omega);
    CHECK((gyroscopic.segment<3>(6 * i + 3) - moment).norm() <= 1e-15);
    CHECK(gyroscopic.segment<3>(6 * i).norm() == 0.0);
  }
}

TEST_CASE("factors of rigid bodies solve what multiply multiplies; what is locked stays 0") {
  RigidSystem system = pair();
  for (bool locks : {false, true}) {
    if (locks) {
      system.bodies[0].locked = {false, true, false, true, false, true};
      system.bodies[1].locked = {false, false, true, false, false, true};
    }
    const Rigid body(system);
    force(body, 0.3, kPlace, kRate);
    for (const Combination s :
         {Combination{1.0, 0.1, 0.02}, Combination{1.0, 0.0, 0.3}, Combination{2.0, 0.0, 0.0}}) {
      Factor A;
      body.factorise(s, 0.0, kPlace, kRate, A);
      REQUIRE(std::holds_alternative<Blocks6>(A.form));
      Matrix inverse = Matrix::Identity(12, 12);
      solve(A, inverse);
      Matrix full = matrix(body, s, kPlace, kRate);
      for (int i = 0; i < 12; ++i)
        if (system.bodies[static_cast<std::size_t>(i / 6)]
                .locked[static_cast<std::size_t>(i % 6)]) {
          CHECK(inverse.row(i).isZero(0.0));
          CHECK(inverse.col(i).isZero(0.0));
          full.row(i).setZero();
          full.col(i).setZero();
          full(i, i) = 1.0;
          inverse(i, i) = 1.0;
        }
      CHECK(largest(full * inverse - Matrix::Identity(12, 12)) <= 1e-13);
    }
    const RigidData& data = *body.rigid();
    CHECK(data.mass_inverse[0][1] == (locks ? 0.0 : 1.0 / 1.3));
    if (locks)
      CHECK(data.inertia_inverse[0](1, 1) == doctest::Approx(1.0 / data.inertia[0](1, 1)));
    else
      CHECK(largest(data.inertia_inverse[0] * data.inertia[0] - Matrix3::Identity()) <= 1e-14);
  }
}

TEST_CASE("increments move like velocities: q (+) (w + e w') = (q (+) w) (+) e v") {
  const Rigid body(pair());
  const double e = 1e-6;
  for (double size : {0.0, 1e-4, 0.3, 1.2}) {
    const Vector w = size * Vector::LinSpaced(12, -1.0, 1.4);
    Vector rate(12);
    body.increment_rate(w, kRate, rate);
    const Vector ahead = e * kRate, back = -e * kRate, up = w + e * rate, down = w - e * rate;
    const Vector by_v = moved(body, moved(body, kPlace, w), ahead) -
                        moved(body, moved(body, kPlace, w), back),
                 by_w = moved(body, kPlace, up) - moved(body, kPlace, down);
    CHECK(largest(by_v - by_w) / (2.0 * e) <= 1e-8);
  }
}

TEST_CASE("retract keeps quaternions of length 1 over 1e5 turns") {
  const Rigid body(pair());
  Vector q = kPlace, next(14);
  const Vector w = 0.3 * kRate;
  for (int k = 0; k < 100000; ++k) {
    body.retract(q, w, next);
    q.swap(next);
  }
  CHECK(std::abs(q.segment<4>(3).norm() - 1.0) <= 4e-16);
  CHECK(std::abs(q.segment<4>(10).norm() - 1.0) <= 4e-16);
}

TEST_CASE("rows give the velocity of points and of turning, on the axes that are asked for") {
  const Rigid body(pair());
  const double e = 1e-6;
  const Vector ahead = e * kRate, back = -e * kRate;
  PointRows J;
  body.point_rows(kPlace, kPlace, kPoints, J);
  CHECK(J.width == 6);
  const Vector by_points = (points_of(body, moved(body, kPlace, ahead), kPoints) -
                            points_of(body, moved(body, kPlace, back), kPoints)) /
                           (2.0 * e);
  CHECK(largest(rows_times(J, kRate) - by_points) <= 1e-8);
  body.spin_rows(kPlace, kPlace, kPoints, J);
  std::array<Pose, 2> frame;
  body.frames(0.0, kPlace, frame);
  for (std::size_t i = 0; i < 3; ++i) {
    const int b = kPoints[i].body;
    const Vector3 omega = frame[static_cast<std::size_t>(b)].R * kRate.segment<3>(6 * b + 3);
    CHECK((rows_times(J, kRate).segment<3>(3 * static_cast<int>(i)) - omega).norm() <= 1e-15);
    CHECK((frame[static_cast<std::size_t>(b)] * kPoints[i].local -
           points_of(body, kPlace, kPoints).segment<3>(3 * static_cast<int>(i)))
              .norm() <= 1e-15);
  }
  // Axes of another instant: the arms stay, the angular velocity is that of the other axes.
  const Vector w = 0.2 * kRate, axes = moved(body, kPlace, w);
  std::array<Pose, 2> other;
  body.frames(0.0, axes, other);
  body.point_rows(kPlace, axes, kPoints, J);
  const Vector pulled = rows_times(J, kRate);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto b = static_cast<std::size_t>(kPoints[i].body);
    const Vector3 omega = other[b].R * kRate.segment<3>(6 * kPoints[i].body + 3),
                  arm = frame[b].R * kPoints[i].local;
    CHECK((pulled.segment<3>(3 * static_cast<int>(i)) - kRate.segment<3>(6 * kPoints[i].body) -
           omega.cross(arm))
              .norm() <= 1e-14);
  }
}

TEST_CASE("sources account for the power of the force, and the energy follows from them") {
  const Rigid body(pair());
  REQUIRE(body.sources().size() == 4);
  const double t = 0.3, e = 1e-5;
  const Vector w = Vector::LinSpaced(12, 1.0, -2.0);
  CHECK(powers(body, t, kPlace, kRate, w).sum() ==
        doctest::Approx(force(body, t, kPlace, kRate).dot(w)).epsilon(1e-13));
  // a short step of second order each way
  double E[2];
  const Vector a = acceleration(body, t, kPlace, kRate);
  for (int side : {0, 1}) {
    const double h = side == 0 ? -e : e;
    const Vector v = kRate + h * a, turn = h * (kRate + 0.5 * h * a);
    E[side] = body.energy(t + h, moved(body, kPlace, turn), v).total();
  }
  CHECK((E[1] - E[0]) / (2.0 * e) == doctest::Approx(input(body, t, kPlace, kRate)).epsilon(1e-6));
  Vector weight(12);
  body.potential_force(t, kPlace, weight);
  CHECK(weight.dot(w) == doctest::Approx(powers(body, t, kPlace, kRate, w)[0]).epsilon(1e-14));
}

TEST_CASE("balls have no gyroscopic moment, not even of round-off, and symmetric tangents") {
  RigidSystem balls;
  balls.bodies.assign(2, {0.7, 0.123 * Matrix3::Identity(), {}});
  balls.gravity = Vector3(0.0, 0.0, -9.81);
  const Rigid body(balls);
  CHECK(trait_names(body.traits()) ==
        "tangents, rotations, symmetric, second-order, constant-mass, potential, rigid, separable");
  CHECK(force(body, 0.0, kPlace, kRate).segment<3>(3).isZero(0.0));
  CHECK(body.sources().size() == 1);
  RigidSystem pushed = balls;
  pushed.loads.push_back(load(1, false, false, Vector3::UnitX(), Vector3::UnitY()));
  CHECK_FALSE(has(Rigid(pushed).traits(), Trait::symmetric));
  pushed.loads[0].at.setZero();
  CHECK(has(Rigid(pushed).traits(), Trait::symmetric));
  CHECK_FALSE(has(Rigid(pair()).traits(), Trait::symmetric));
}

TEST_CASE("what no rigid body can be is refused with its number") {
  const double inf = std::numeric_limits<double>::infinity();
  const auto with = [](auto change) {
    RigidSystem s = pair();
    change(s);
    return fault(std::move(s));
  };
  using S = RigidSystem;
  for (double m : {0.0, -1.0, inf, std::nan("")})
    CHECK(with([&](S& s) { s.bodies[1].mass = m; }).find("body 1: the mass") != std::string::npos);
  CHECK(with([](S& s) { s.bodies[0].inertia(1, 1) = std::nan(""); }).find("body 0: the inertia") !=
        std::string::npos);
  CHECK(with([](S& s) { s.bodies[0].inertia(0, 1) += 0.1; }).find("symmetric") !=
        std::string::npos);
  CHECK(with([](S& s) {
          s.bodies[1].inertia = Vector3(1.0, -0.1, 1.0).asDiagonal();
        }).find("body 1: the inertia must be positive definite") != std::string::npos);
  CHECK(with([](S& s) {
          s.bodies[1].inertia = Vector3(1.0, 1.0, 2.1).asDiagonal();
        }).find("body 1: no distribution of mass") != std::string::npos);
  CHECK(with([](S& s) { s.bodies[1].inertia = Vector3(1.0, 1.0, 2.0).asDiagonal(); }).empty());
  CHECK(with([](S& s) {
          s.loads[3].body = 2;
        }).find("load 3: body 2 does not exist; there are 2") != std::string::npos);
  CHECK(with([](S& s) { s.bodies.clear(); }).find("at least one body") != std::string::npos);
  CHECK(with([](S& s) { s.drag = -1.0; }).find("drag") != std::string::npos);
}
