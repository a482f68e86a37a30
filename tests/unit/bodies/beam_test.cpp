// Beams with places and slopes as nodes: energy, turns, elastica, frequencies, contact.
#include "saltus/bodies/beam.h"

#include <doctest/doctest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "../../support/elastica.h"
#include "../../support/one_group.h"
#include "body_checks.h"
#include "saltus/base/error.h"
#include "saltus/bodies/mode_shapes.h"
#include "saltus/fem/natural_modes.h"

using namespace saltus;
using namespace saltus::test;

namespace {

BeamSystem slender(int elements) {
  BeamSystem s;
  s.section = {1e5, 1.0, 1.0};
  s.elements = elements;
  return s;
}

/// Curved and stretched by a tenth, out of every plane.
Vector wave(const ElasticBeam& beam, double size = 0.1) {
  Vector q(beam.positions());
  for (Eigen::Index i = 0; i < q.size(); ++i) q[i] = size * std::sin(1.3 * static_cast<double>(i));
  return q;
}

/// The displacements that carry place and slope of `q` through x -> R x + c.
Vector turned(const ElasticBeam& beam, const Vector& q, const Matrix3& R, const Vector3& c) {
  Vector out = q;
  const BeamSystem& s = beam.system();
  const double l = s.length / s.elements;
  for (int a = 0; a < beam.nodes(); ++a) {
    const Vector3 X(a * l, 0.0, 0.0);  // along x from the origin
    out.segment<3>(6 * a) = R * (X + q.segment<3>(6 * a)) + c - X;
    out.segment<3>(6 * a + 3) = R * (s.axis + q.segment<3>(6 * a + 3)) - s.axis;
  }
  return out;
}

/// Static answer by Newton's method, the load of signal 1 in `stages` parts.
Vector bent(BeamSystem system, int stages) {
  const std::vector<Load> loads = system.loads;
  Vector q;
  for (int stage = 1; stage <= stages; ++stage) {
    system.loads = loads;
    for (Load& load : system.loads)
      for (auto& [dof, weight] : load.pattern) weight *= static_cast<double>(stage) / stages;
    const ElasticBeam beam(system);
    const Vector still = Vector::Zero(beam.positions());
    if (q.size() == 0) q = still;
    for (int pass = 0; pass < 60; ++pass) {
      Vector f = force(beam, 0.0, q, still);
      Factor K;
      beam.factorise({0.0, 0.0, 1.0}, 0.0, q, still, K);
      solve(K, f);
      q += f;
      if (f.norm() < 1e-13 * q.norm()) break;
    }
  }
  return q;
}

double order(double coarse, double fine) { return std::log2(coarse / fine); }

}  // namespace

TEST_CASE("forces of a beam are the slope of its energy, its tangent the slope of its forces") {
  BeamSystem s;
  s.section = {40.0, 0.6, 1.3};
  s.length = 1.7;
  s.elements = 3;
  s.axis = Vector3(0.6, 0.0, 0.8);
  s.across = Vector3(0.8, 0.0, -0.6);
  s.origin = Vector3(0.1, 0.2, 0.3);
  s.gravity = Vector3(0.3, -9.0, 1.0);
  s.rayleigh = {0.2, 0.01};
  s.loads.push_back({{{8, 0.7}, {16, -0.2}}, Signal::harmonic(1.0, 3.0)});
  s.held = pinned_node(0);
  const ElasticBeam beam(s);
  const Vector q = wave(beam), v = wave(beam, 0.4), w = wave(beam, -0.7);
  const Matrix gradient = slope(
      [&](const Vector& at) { return Vector::Constant(1, beam.energy(0.0, at, v).potential); }, q);
  Vector f(beam.positions());
  beam.potential_force(0.0, q, f);
  CHECK((gradient.row(0) + f.transpose()).norm() < 1e-8 * f.norm());
  const Matrix K = matrix(beam, {0, 0, 1}, q, v);
  const Matrix minus = slope(
      [&](const Vector& at) {
        Vector out(at.size());
        beam.potential_force(0.0, at, out);
        return out;
      },
      q);
  CHECK(largest(K + minus) < 1e-7 * largest(K));
  CHECK(largest(K - K.transpose()) == 0.0);
  Factor A;
  beam.factorise({2.0, 0.3, 0.5}, 0.0, q, v, A);
  Matrix product = matrix(beam, {2.0, 0.3, 0.5}, q, v);
  solve(A, product);
  CHECK(largest(product - Matrix::Identity(q.size(), q.size())) < 1e-10);
  CHECK(powers(beam, 0.6, q, v, w).sum() ==
        doctest::Approx(force(beam, 0.6, q, v).dot(w)).epsilon(1e-12));
  CHECK(energy_rate(beam, 0.6, q, v, 1e-6) ==
        doctest::Approx(input(beam, 0.6, q, v)).epsilon(1e-6));
  const Matrix C = matrix(beam, {0, 1, 0}, q, v), M = matrix(beam, {1, 0, 0}, q, v);
  CHECK(largest(C - 0.2 * M - 0.01 * K) < 1e-12 * largest(C));
}

TEST_CASE(
    "turns leave the energy of a strained beam and turn its forces; straight beams bear any") {
  BeamSystem s;
  s.section = {40.0, 0.6, 1.3};
  s.elements = 4;
  const ElasticBeam beam(s);
  const Matrix3 R = Eigen::AngleAxisd(2.1, Vector3(1.0, -2.0, 0.5).normalized()).toRotationMatrix();
  const Vector3 c(3.0, -1.0, 2.0);
  const Vector still = Vector::Zero(beam.positions()), q = wave(beam);
  const Vector moved = turned(beam, q, R, c);
  CHECK(beam.energy(0.0, moved, still).potential ==
        doctest::Approx(beam.energy(0.0, q, still).potential).epsilon(1e-13));
  const Vector f = force(beam, 0.0, q, still), g = force(beam, 0.0, moved, still);
  for (int k = 0; k < f.size() / 3; ++k)
    CHECK((g.segment<3>(3 * k) - R * f.segment<3>(3 * k)).norm() < 1e-12 * f.norm());
  const Vector rigid = turned(beam, still, R, c);
  CHECK(force(beam, 0.0, rigid, still).norm() < 1e-12 * 40.0);
  CHECK(beam.energy(0.0, rigid, still).potential < 1e-26);
  // no net force, no net moment, of a strained beam alone
  Vector3 net = Vector3::Zero(), moment = Vector3::Zero();
  for (int a = 0; a < beam.nodes(); ++a) {
    const Vector3 place = Vector3(0.25 * a, 0.0, 0.0) + q.segment<3>(6 * a);
    const Vector3 along = Vector3::UnitX() + q.segment<3>(6 * a + 3);
    net += f.segment<3>(6 * a);
    moment += place.cross(f.segment<3>(6 * a)) + along.cross(f.segment<3>(6 * a + 3));
  }
  CHECK(net.norm() < 1e-12 * f.norm());
  CHECK(moment.norm() < 1e-12 * f.norm());
}

TEST_CASE("the end of a beam is a place on it, however many elements it is cut into") {
  for (const double length : {0.3, 0.7, 1.0, 2.0})
    for (int elements = 1; elements <= 100; ++elements) {
      BeamSystem system = slender(elements);
      system.length = length;
      const ElasticBeam beam(system);
      const PointRef end = beam.point(length);
      CHECK(end.feature == elements - 1);
      CHECK(std::abs(end.local.x() - 1.0) <= 1e-12);
    }
  CHECK_THROWS_AS(ElasticBeam(slender(3)).point(1.001), UsageError);
}

TEST_CASE("a stretched beam carries EA times its strain everywhere, a hanging one its weight") {
  BeamSystem s;
  s.section = {50.0, 0.3, 2.0};
  s.elements = 5;
  s.held = clamped_node(0);
  s.loads.push_back({{{30, 4.0}}, Signal::constant(1.0)});
  const Vector q = bent(s, 1);
  const ElasticBeam pulled(s);
  for (const double x : {0.0, 0.13, 0.5, 0.99, 1.0}) {
    const auto strain = pulled.strain(q, pulled.point(x));
    CHECK(50.0 * strain.stretch == doctest::Approx(4.0).epsilon(1e-12));
    CHECK(strain.curvature.norm() < 1e-12);
  }
  s.loads.clear();
  s.gravity = Vector3(3.0, 0.0, 0.0);
  const Vector hung = bent(s, 1);
  const ElasticBeam hanging(s);
  CHECK(hung[hanging.free_index(30)] ==
        doctest::Approx(2.0 * 3.0 / (2.0 * 50.0)).epsilon(1e-12));  // rho g L^2/(2 EA)
}

TEST_CASE(
    "a beam bent by a dead load lies on the elastica, closer with the fourth order of its "
    "elements") {
  for (const double alpha : {1.0, 10.0}) {
    const Tip exact = elastica(alpha);
    std::vector<double> off;
    for (const int n : {4, 8, 16}) {
      BeamSystem s = slender(n);
      s.section.axial = 1e8;
      s.held = clamped_node(0);
      s.loads.push_back({{{6 * n + 1, alpha}}, Signal::constant(1.0)});
      const Vector q = bent(s, 20);
      const ElasticBeam beam(s);
      off.push_back(std::hypot(1.0 + q[beam.free_index(6 * n)] - exact.x,
                               q[beam.free_index(6 * n + 1)] - exact.y));
      CAPTURE(n);
      CAPTURE(off.back());
      // the moment at the clamp is P times the lever
      const auto strain = beam.strain(q, beam.point(0.0));
      CHECK(strain.curvature.z() ==
            doctest::Approx(alpha * exact.x).epsilon(n == 4 ? 0.05 : 0.005));
    }
    CHECK(off[2] < 2e-5);
    CHECK(order(off[1], off[2]) == doctest::Approx(4.0).epsilon(0.05));
  }
}

TEST_CASE("bending frequencies are those of Euler and Bernoulli, of order 4, axial ones c pi j/L") {
  for (const bool fixed : {true, false}) {
    const std::vector<double> roots =
        beam_roots(fixed ? BeamEnds::fixed_free : BeamEnds::free_free, fixed ? 3 : 5);
    std::vector<double> before;
    for (const int n : {8, 16, 32}) {
      BeamSystem s = slender(n);
      if (fixed) s.held = clamped_node(0);
      const ElasticBeam beam(s);
      const Vector q = Vector::Zero(beam.positions());
      // each twice: about two axes; free: 5 motions of a line without turn about itself, and that of the slopes alone is not one
      const NaturalModes modes = natural_modes(beam, q, fixed ? 6 : 11);
      std::vector<double> off;
      for (int j = 0; j < 3; ++j) {
        const double root = roots[static_cast<std::size_t>(j + (fixed ? 0 : 2))];
        const int at = 2 * j + (fixed ? 0 : 5);
        CHECK(modes.omega[at] == doctest::Approx(modes.omega[at + 1]).epsilon(1e-9));
        off.push_back(modes.omega[at] / (root * root) - 1.0);
        CHECK(off.back() > 0.0);
      }
      if (!before.empty())
        for (std::size_t j = 0; j < 3; ++j) {
          CAPTURE(n);
          CAPTURE(j);
          CHECK(order(before[j], off[j]) == doctest::Approx(4.0).epsilon(0.075));
        }
      before = off;
      if (n == 32) CHECK(off[2] < 1e-5);
    }
  }
}

TEST_CASE(
    "points move with the rows of their beam, and a stop bears the force of a bent cantilever") {
  BeamSystem s = slender(6);
  s.section.axial = 1e3;
  s.rayleigh = {8.0, 1e-3};
  s.held = clamped_node(0);
  s.loads.push_back({{{6 * 6 + 2, -1.2}}, Signal::constant(1.0)});
  const auto beam = std::make_shared<ElasticBeam>(s);
  const Vector zero = Vector::Zero(beam->positions());
  const std::vector<PointRef> at{beam->point(0.37), beam->point(1.0)};
  const Vector q = wave(*beam), v = wave(*beam, 0.3);
  PointRows J;
  beam->point_rows(q, q, at, J);
  Vector here(6), there(6);
  beam->points(0.0, q, at, here);
  beam->points(0.0, q + v, at, there);
  for (int i = 0; i < 2; ++i) {
    Vector3 way = Vector3::Zero();
    for (int k = J.offset[static_cast<std::size_t>(i)];
         k < J.offset[static_cast<std::size_t>(i) + 1]; ++k)
      for (int row = 0; row < 3; ++row)
        way[row] += J.value[static_cast<std::size_t>(3 * k + row)] *
                    v[J.column[static_cast<std::size_t>(k)]];
    CHECK((there.segment<3>(3 * i) - here.segment<3>(3 * i) - way).norm() < 1e-14);
  }

  // pressed onto a stop 0.1 below its tip: it stays there and 3 EI/L^3 0.1 of the load goes into the beam
  ModelParts parts = one_group({beam, zero, zero}, EulerImplicitOptions{}, 0.02);
  NewtonImpact stop;
  add_stop(parts, beam->point(1.0), Vector3(1.0, 0.0, -0.1), Vector3::UnitZ(), stop);
  const Model model(std::move(parts));
  Simulation sim(model);
  for (int step = 0; step < 600; ++step) sim.advance();
  const Vector& rest = sim.state().groups[0].q;
  CHECK(velocity_of(sim).norm() < 1e-9);
  const double tip = rest[beam->free_index(6 * 6 + 2)];
  CHECK(tip == doctest::Approx(-0.1).epsilon(1e-2));
  // what holds it there bends it as a tip load does: the force left over acts on the tip alone
  const Vector f = force(*beam, 12.0, rest, zero);
  Vector3 left(f[beam->free_index(36)], f[beam->free_index(37)], f[beam->free_index(38)]);
  CHECK(std::abs(f.norm() - left.norm()) < 1e-6 * f.norm());
  CHECK(-left.z() == doctest::Approx(1.2 - 3.0 * std::abs(tip)).epsilon(0.02));
}

TEST_CASE("a free beam thrown with a spin keeps its energy under the discrete gradient") {
  BeamSystem s = slender(8);
  s.section.axial = 2e3;
  const auto beam = std::make_shared<ElasticBeam>(s);
  Vector v(beam->positions());
  for (int a = 0; a < 9; ++a) {
    v.segment<3>(6 * a) = Vector3(0.3, 0.0, 0.2) + Vector3(0.0, 4.0 * (0.125 * a - 0.5), 0.0);
    v.segment<3>(6 * a + 3) = Vector3(0.0, 4.0, 0.0);
  }
  const Vector zero = Vector::Zero(v.size());
  const Model model(one_group({beam, zero, v}, DiscreteGradientOptions{}, 2e-3));
  Simulation sim(model);
  const double start = beam->energy(0.0, zero, v).total();
  double off = 0.0;
  for (int step = 0; step < 1000; ++step) {
    sim.advance();
    const Vector& q = sim.state().groups[0].q;
    off = std::max(off, std::abs(beam->energy(0.0, q, velocity_of(sim)).total() / start - 1.0));
  }
  CHECK(off < 1e-8);
}

TEST_CASE("beams refuse what they cannot be made of") {
  const auto says = [](const BeamSystem& s, const char* part) {
    std::string text;
    try {
      const ElasticBeam beam(s);
    } catch (const UsageError& error) {
      text = error.what();
    }
    CAPTURE(text);
    CHECK(text.find(part) != std::string::npos);
  };
  BeamSystem s;
  s.section.bending = 0.0;
  says(s, "EA, EI and rho A");
  s = {};
  s.length = -1.0;
  says(s, "length");
  s = {};
  s.elements = 0;
  says(s, "element");
  s = {};
  s.axis = Vector3(1.0, 1.0, 0.0);
  says(s, "unit");
  s = {};
  s.across = Vector3::UnitX();
  says(s, "perpendicular");
  s = {};
  s.held = {3, 3};
  says(s, "3 is held twice");
  s = {};
  s.held = {66};
  says(s, "66 does not exist; allowed: 0 to 65");
  s = {};
  s.rayleigh.stiffness = -1.0;
  says(s, "Rayleigh");
}

TEST_CASE(
    "a straight beam at rest has no force to the bit, and small strains are as exact as large") {
  BeamSystem system = slender(7);
  system.axis = Vector3(2.0, -1.0, 2.0) / 3.0;
  system.across = Vector3(1.0, 2.0, 0.0) / std::sqrt(5.0);
  const ElasticBeam beam(system);
  const Vector zero = Vector::Zero(beam.positions()), shape = wave(beam, 1.0);
  Vector f(beam.velocities()), K(beam.velocities());
  beam.force(0.0, zero, zero, f);
  CHECK((f.array() == 0.0).all());
  beam.multiply({0.0, 0.0, 1.0}, 0.0, zero, zero, shape, K);
  const double twice = shape.dot(K);  // q . K q
  for (const double size : {1e-9, 1e-16, 1e-30, 1e-150}) {
    CAPTURE(size);
    const Vector q = size * shape;
    beam.force(0.0, q, zero, f);
    CHECK((f / size + K).norm() <= (1e-14 + 100.0 * size) * K.norm());
    const double V = beam.energy(0.0, q, zero).potential;
    if (size > 1e-100)
      CHECK(std::abs(2.0 * V / (size * size) - twice) <= (1e-14 + 100.0 * size) * twice);
  }
}
