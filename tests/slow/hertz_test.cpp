// A half sphere of finite elements pressed on a rigid plane, static and without friction, beside Hertz.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "saltus/fem/fem.h"
#include "support/one_group.h"

using namespace saltus;
using namespace saltus::test;

namespace {

constexpr double kPi = std::numbers::pi, kYoung = 1.0, kPoisson = 0.3, kRadius = 1.0;
constexpr double kModulus = kYoung / (1.0 - kPoisson * kPoisson);  // E*

double hertz_force(double a) { return 4.0 / 3.0 * kModulus * a * a * a / kRadius; }

/// How far the poles of a sphere come to its mid-plane under the force of Hertz' contact of radius a, a^2/R in a half
/// space. With theta the angle at the centre, rho = R sin theta, and u of the pressure of Hertz at both poles,
///     R (1 - cos theta) + u_z(theta) = delta where it touches,
/// on the mean with the weight rho/(a sqrt(a^2 - rho^2)) of a flat punch, by which a change of shape changes the force.
/// Elastic sphere under the pressure sum p_n P_n, D_n = n^2 + n + 1 + nu (2 n + 1) (A. I. Lur'e, Three-dimensional
/// problems of the theory of elasticity, 1964):
///     u inwards   p_n [n (n^2 + 2 n - 1 + 2 nu)/(n - 1) - (n + 1)(n - 2 + 4 nu)] R P_n/(4 G D_n)
///     u outwards along the surface   p_n (2 n - 4 - 4 nu n + 2 nu)/(n - 1) R P_n'(theta)/(4 G D_n)
/// The plane presses along z, not along the radius: the traction p rho/R along the surface adds
/// -(1 - 2 nu) p0 a^2/(24 G R) to the mean.
double approach(double a) {
  const double G = 0.5 * kYoung / (1.0 + kPoisson), nu = kPoisson, R = kRadius;
  const double peak = 1.5 * hertz_force(a) / (kPi * a * a);
  constexpr int kPlaces = 600;
  Vector x(kPlaces), load(kPlaces),
      punch(kPlaces);  // cos theta, p d(cos theta), weight; rho = a sin s
  for (int i = 0; i < kPlaces; ++i) {
    const double ds = 0.5 * kPi / kPlaces, s = (i + 0.5) * ds, rho = a * std::sin(s);
    x[i] = std::sqrt(1.0 - rho * rho / (R * R));
    load[i] = peak * std::cos(s) * rho * a * std::cos(s) / (R * R * x[i]) * ds;
    punch[i] = std::sin(s) * ds;
  }
  double mean =
      R * punch.dot(Vector::Ones(kPlaces) - x) - (1.0 - 2.0 * nu) * peak * a * a / (24.0 * G * R);
  Vector P = Vector::Ones(kPlaces), next = x;  // P_n, P_(n+1)
  const int terms = static_cast<int>(100.0 * R / a);
  for (int n = 0; n <= terms; ++n) {
    if (n % 2 == 0) {  // both poles
      const double p = (2.0 * n + 1.0) * load.dot(P),
                   A = p * R / (4.0 * G * (n * (n + 1.0) + 1.0 + nu * (2.0 * n + 1.0))),
                   in = n * (n * n + 2.0 * n - 1.0 + 2.0 * nu) / (n - 1.0) -
                        (n + 1.0) * (n - 2.0 + 4.0 * nu),
                   along = (2.0 * n - 4.0 - 4.0 * nu * n + 2.0 * nu) / (n - 1.0);
      // sin theta P_n'(theta) = -(n + 1)(x P_n - P_(n+1))
      mean += A * in * punch.dot(x.cwiseProduct(P)) -
              A * along * (n + 1.0) * punch.dot(x.cwiseProduct(P) - next);
    }
    const Vector after = ((2.0 * n + 3.0) * x.cwiseProduct(next) - (n + 1.0) * P) / (n + 2.0);
    P = next;
    next = after;
  }
  return mean;
}

/// The quarter x, y >= 0 of a mesh that the planes x = 0 and y = 0 cut between elements.
Mesh quarter(const Mesh& whole) {
  Mesh part;
  std::vector<int> number(static_cast<std::size_t>(whole.nodes.cols()), -1);
  std::vector<Vector3> nodes;
  for (const ElementBlock& given : whole.blocks) {
    ElementBlock block{given.kind, given.material, {}};
    for (int e = 0; e < given.elements(); ++e) {
      Vector3 middle = Vector3::Zero();
      for (int a : given.element(e)) middle += whole.nodes.col(a);
      if (middle[0] < 0.0 || middle[1] < 0.0) continue;
      for (int a : given.element(e)) {
        int& at = number[static_cast<std::size_t>(a)];
        if (at < 0) {
          at = static_cast<int>(nodes.size());
          nodes.emplace_back(whole.nodes.col(a));
        }
        block.nodes.push_back(at);
      }
    }
    part.blocks.push_back(block);
  }
  part.nodes.resize(3, static_cast<Eigen::Index>(nodes.size()));
  for (std::size_t a = 0; a < nodes.size(); ++a)
    part.nodes.col(static_cast<Eigen::Index>(a)) = nodes[a];
  return part;
}

struct Pressed {
  double force = 0.0;   ///< of the whole sphere [N]
  double radius = 0.0;  ///< sqrt(5/2 sum P rho^2/sum P): that of Hertz' pressure [m]
  int touching = 0, candidates = 0, freedoms = 0;
};

/// The flat face of a quarter moved down by `way`; one implicit step so long that inertia is nothing beside stiffness.
Pressed press(ElementKind kind, int cells, double way, double reach) {
  BallMesh ball;
  ball.kind = kind;
  ball.radius = kRadius;
  ball.half = true;
  ball.cells = ball.rings = cells;
  ball.grading = cells;
  FemSystem system;
  system.mesh = quarter(ball_mesh(ball));
  FemMaterial m;
  m.material.law = MaterialLaw::linear;
  m.material.young = kYoung;
  m.material.poisson = kPoisson;
  m.material.density = 1.0;
  system.materials.push_back(m);
  const Eigen::Matrix3Xd& X = system.mesh.nodes;
  constexpr double kOn = 1e-9;
  std::vector<int> boundary;
  for (int a = 0; a < static_cast<int>(X.cols()); ++a) {
    const Vector3 x = X.col(a);
    if (x[2] > -kOn) system.prescribed.push_back({3 * a + 2, Signal::constant(-way)});
    for (int axis : {0, 1})
      if (x[axis] < kOn) system.prescribed.push_back({3 * a + axis, Signal::constant(0.0)});
    if (x[2] < 0.0 && std::abs(x.norm() - kRadius) < kOn && x.head<2>().norm() < reach)
      boundary.push_back(a);
  }
  const auto body = std::make_shared<Fem>(system);
  const int n = body->positions();
  const double h = 1e4;
  ModelParts parts = one_group({body, Vector::Zero(n), Vector::Zero(n)}, EulerImplicitOptions{}, h);
  SignoriniPosition law;
  for (int a : boundary)
    add_stop(parts, body->node_point(a), Vector3(0.0, 0.0, -kRadius), Vector3::UnitZ(), law);
  Simulation sim{Model(parts)};
  const StepReport report = sim.advance();
  REQUIRE(report.converged);
  Pressed result;
  double moment = 0.0;
  for (const ContactMemory& contact : sim.state().contacts) {
    const double f = contact.impulse[0] / h;
    const int a = boundary[static_cast<std::size_t>(contact.key - 1)];
    CHECK(f >= 0.0);
    result.force += 4.0 * f;
    moment += 4.0 * f * X.col(a).head<2>().squaredNorm();
    ++result.touching;
  }
  result.radius = std::sqrt(2.5 * moment / result.force);
  result.candidates = static_cast<int>(boundary.size());
  result.freedoms = n;
  return result;
}

}  // namespace

TEST_CASE("the approach of a sphere is that of Hertz for a small contact") {
  double before = 1.0;
  for (double a : {0.12, 0.06, 0.03}) {
    const double share = approach(a) * kRadius / (a * a);
    MESSAGE(fmt::format("a = {} R: approach {:.5f} a^2/R", a, share));
    CHECK(std::abs(share - 1.0) <= 0.4 * a);
    CHECK(std::abs(share - 1.0) < 0.6 * before);
    before = std::abs(share - 1.0);
  }
}

TEST_CASE("a half sphere of finite elements meets a plane with the force and the radius of Hertz") {
  const double a = 0.12, way = approach(a), force = hertz_force(a);
  struct Ladder {
    ElementKind kind;
    std::vector<int> cells;
  };
  for (const Ladder& ladder :
       {Ladder{ElementKind::hex8, {4, 8, 12}}, Ladder{ElementKind::tet10, {3, 4, 6}}}) {
    CAPTURE(std::string(info(ladder.kind).name));
    double before = 1.0, off_force = 0.0, off_radius = 0.0;
    for (int cells : ladder.cells) {
      const Pressed x = press(ladder.kind, cells, way, 3.0 * a);
      off_force = x.force / force - 1.0;
      off_radius = x.radius / a - 1.0;
      MESSAGE(fmt::format(
          "{} {} cells, {} freedoms, {} of {} nodes touch: force {:+.2e}, radius {:+.2e}",
          info(ladder.kind).name, cells, x.freedoms, x.touching, x.candidates, off_force,
          off_radius));
      CHECK(std::abs(off_force) < before);
      before = std::abs(off_force);
    }
    CHECK(std::abs(off_force) <= 0.03);
    CHECK(std::abs(off_radius) <= 0.03);
  }
}
