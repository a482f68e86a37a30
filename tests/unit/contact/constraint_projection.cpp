// Newton's method onto constraints: closed forms, redundant rows, round-off far from the origin.
#include "saltus/contact/constraint_projection.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tests/unit/contact/joint_samples.h"

using namespace saltus;
using namespace saltus::test;

namespace {

/// The joints of a scene, its groups at scene.q and with scene.v, M at these places.
struct Mechanism {
  JointScene& scene;
  JointSystem joints = scene.system();
  std::vector<Factor> M = std::vector<Factor>(scene.groups.size());
  std::vector<Vector> last = scene.q;
  int linearisations = 0;
  ConstraintProjection projection{joints, velocities()};

  explicit Mechanism(JointScene& of) : scene(of) {}
  std::vector<Eigen::Index> velocities() const {
    std::vector<Eigen::Index> n;
    for (const auto& body : scene.groups) n.push_back(body->velocities());
    return n;
  }
  ConstraintProjection::Masses masses() const {
    return [this](int m) -> const Factor& { return M[static_cast<std::size_t>(m)]; };
  }

  double violation() {
    projection.gaps(0.0, scene.at());
    return projection.violation();
  }
  double round_off() const { return projection.round_off(); }
  bool linearise() {
    ++linearisations;
    for (std::size_t m = 0; m < M.size(); ++m)
      scene.groups[m]->factorise({1.0, 0.0, 0.0}, 0.0, scene.q[m], scene.v[m], M[m]);
    projection.make_rows(0.0, scene.at());
    return projection.factorise(masses());
  }
  void solve() {
    last = scene.q;
    projection.solve_positions();
    projection.correct(masses());
  }
  void move(double part) {
    for (std::size_t m = 0; m < M.size(); ++m)
      scene.groups[m]->retract(last[m], part * projection.correction(static_cast<int>(m)),
                               scene.q[m]);
  }
  void revert() { scene.q = last; }

  /// H v + d
  Vector rates() const {
    Vector u;
    projection.rates([&](int m) -> const Vector& { return scene.v[static_cast<std::size_t>(m)]; },
                     u);
    return u;
  }
  /// v <- v + dv with H v + d = 0.
  void project_velocities() {
    linearise();
    projection.solve_velocities(-rates());
    projection.correct(masses());
    for (std::size_t m = 0; m < M.size(); ++m)
      scene.v[m] += projection.correction(static_cast<int>(m));
  }
};

double most(const Vector& x) { return x.cwiseAbs().maxCoeff(); }

/// A bob of 2 kg on a rod of `length` about the origin.
JointScene pendulum(const Vector3& bob, double length) {
  JointScene scene;
  ParticleSystem system;
  system.mass = Vector::Constant(1, 2.0);
  scene.add(std::make_unique<Particles>(system), bob);
  scene.v[0] = Vector3(0.3, -0.2, 0.5);
  scene.join("rod", JointKind::distance, world(Vector3::Zero()), particle(0, 0), length);
  return scene;
}

/// Two cranks and a coupler in the plane of x and y by four revolutes: 20 rows, of which a closed loop needs 17. `place`: of
/// the whole.
JointScene four_bar(const Vector3& place) {
  JointScene scene;
  const Vector3 tip(0.8, 0.6, 0.0), between(1.5, 0.0, 0.0);
  Vector q(21);
  for (int i = 0; i < 2; ++i) {
    const Vector3 base = place + i * between;
    q.segment<7>(7 * i) << base + 0.5 * tip, 1.0, 0.0, 0.0, 0.0;
    scene.join(i == 0 ? "left base" : "right base", JointKind::revolute, world(base),
               on(0, i, -0.5 * tip));
    scene.join(i == 0 ? "left tip" : "right tip", JointKind::revolute, on(0, i, 0.5 * tip),
               on(0, 2, (i - 0.5) * between));
  }
  q.segment<7>(14) << place + tip + 0.5 * between, 1.0, 0.0, 0.0, 0.0;
  scene.add(std::make_unique<Rigid>(bodies_in_space(3)), q);
  JointRandom random;
  scene.v[0] = random.vector(18);
  return scene;
}

/// Every body moved and turned by up to `amount`.
void disturb(JointScene& scene, double amount) {
  JointRandom random;
  const Vector q = scene.q[0], w = amount * random.vector(scene.v[0].size());
  scene.groups[0]->retract(q, w, scene.q[0]);
}

/// g(q) = q^2 + c of one unknown, with the derivative at the last linearise().
struct Parabola {
  double c, q, slope = 0.0, dq = 0.0, last = 0.0;
  int linearisations = 0;
  double violation() const { return std::abs(q * q + c); }
  static double round_off() { return 1e-15; }
  bool linearise() {
    ++linearisations;
    slope = 2.0 * q;
    return slope != 0.0;
  }
  void solve() {
    last = q;
    dq = -(q * q + c) / slope;
  }
  void move(double part) { q = last + part * dq; }
  void revert() { q = last; }
};

}  // namespace

TEST_CASE("the bob of a pendulum goes back along its rod") {
  const Vector3 bob(0.6, -1.1, 0.4);
  JointScene scene = pendulum(bob, 0.9);
  Mechanism mechanism(scene);
  const ProjectionResult result = project_positions(mechanism, {});
  CHECK(result.first == doctest::Approx(bob.norm() - 0.9));
  CHECK(result.last <= mechanism.round_off());
  CHECK(most(scene.q[0] - 0.9 * bob.normalized()) < 1e-14);
}

TEST_CASE("the velocity of a bob loses what is along its rod and keeps the rest") {
  const Vector3 bob(0.0, -0.9, 0.0);
  JointScene scene = pendulum(bob, 0.9);
  Mechanism mechanism(scene);
  mechanism.project_velocities();
  CHECK(most(mechanism.rates()) < 1e-15);
  CHECK(most(scene.v[0] - Vector3(0.3, 0.0, 0.5)) < 1e-15);
}

TEST_CASE("two bodies on a rod share a projection by their masses") {
  JointScene scene;
  ParticleSystem system;
  system.mass = Eigen::Vector2d(1.0, 3.0);
  Vector q(6);
  q << 0.0, 0.0, 0.0, 2.0, 0.0, 0.0;
  scene.add(std::make_unique<Particles>(system), q);
  scene.v[0].setZero();
  scene.join("rod", JointKind::distance, particle(0, 0), particle(0, 1), 1.0);
  Mechanism mechanism(scene);
  project_positions(mechanism, {});
  CHECK(scene.q[0][0] == doctest::Approx(0.75));
  CHECK(scene.q[0][3] == doctest::Approx(1.75));
}

TEST_CASE("impulses of others are cancelled as far as joints forbid their motion") {
  JointScene scene = pendulum({0.0, -1.0, 0.0}, 1.0);
  Mechanism mechanism(scene);
  mechanism.violation();
  mechanism.linearise();
  const double h = 1e-3;
  Vector r = Vector3(0.2, 0.7, -0.1);
  mechanism.projection.solve_positions(h, mechanism.masses(),
                                       [&](int) -> const Vector& { return r; });
  mechanism.projection.add_impulses(0, r);
  CHECK(most(r - Vector3(0.2, 0.0, -0.1)) < 1e-15);
}

TEST_CASE("a four-bar loop with redundant rows closes and its velocities fit") {
  JointScene scene = four_bar(Vector3::Zero());
  disturb(scene, 1e-3);
  Mechanism mechanism(scene);
  const ProjectionResult result = project_positions(mechanism, {});
  CHECK(result.first > 1e-4);
  CHECK(result.finite);
  CHECK(result.last <= mechanism.round_off());
  mechanism.project_velocities();
  CHECK(mechanism.joints.dependent().size() == 3);
  CHECK(most(mechanism.rates()) < 1e-14);
  CHECK(mechanism.projection.impulses().allFinite());
}

TEST_CASE("a projection moves bodies across all motions that the joints allow") {
  JointScene scene = four_bar(Vector3::Zero());
  scene.joints.erase(scene.joints.begin() + 2);  // a chain, of which no row is redundant
  disturb(scene, 1e-3);
  Mechanism mechanism(scene);
  mechanism.violation();
  mechanism.linearise();
  mechanism.solve();
  const Vector dq = mechanism.projection.correction(0);
  // a motion that is allowed: v of which the joints have taken H v
  mechanism.project_velocities();
  Vector p(18);
  scene.groups[0]->multiply({1.0, 0.0, 0.0}, 0.0, scene.q[0], scene.v[0], dq, p);
  CHECK(scene.v[0].norm() > 0.1);
  CHECK(std::abs(scene.v[0].dot(p)) < 1e-11 * scene.v[0].norm() * p.norm());
}

TEST_CASE("far from the origin a projection ends at the round-off of the places and stays there") {
  JointScene scene = four_bar({1e6, -2e6, 0.0});
  disturb(scene, 1e-3);
  Mechanism mechanism(scene);
  const ProjectionResult result = project_positions(mechanism, {});
  CHECK(result.first > 1e-4);
  CHECK(mechanism.round_off() > 1e-9);
  CHECK(result.last <= mechanism.round_off());
  const std::vector<Vector> q = scene.q;
  const int before = mechanism.linearisations;
  project_positions(mechanism, {});
  CHECK(mechanism.linearisations == before);
  CHECK((scene.q[0] == q[0]));
}

TEST_CASE("factors are kept while they reduce the violation enough") {
  const double infinity = std::numeric_limits<double>::infinity();
  Parabola chords{-2.0, 1.5}, anew{-2.0, 1.5}, kept{-2.0, 1.5};
  CHECK(project_positions(chords, {.iterations = 30}).last < 1e-15);
  CHECK(chords.linearisations == 1);
  CHECK(project_positions(anew, {.iterations = 30, .refactorise_above = 0.0}).last < 1e-15);
  CHECK(anew.linearisations > 2);
  project_positions(kept, {.iterations = 2, .refactorise_above = infinity, .stop_above = infinity});
  CHECK(kept.linearisations == 1);
  CHECK(kept.q == doctest::Approx(std::sqrt(2.0)).epsilon(1e-3));
}

TEST_CASE("chords that lead slowly get new factors") {
  Parabola far{-2.0, 30.0};
  CHECK(project_positions(far, {.iterations = 60, .stop_above = 0.9}).last < 1e-14);
  CHECK(far.linearisations > 3);
}

TEST_CASE("a correction that nothing shortens to a gain is undone") {
  Parabola none{1.0, 1e-3};  // no q closes it
  const ProjectionResult result =
      project_positions(none, {.iterations = 50,
                               .refactorise_above = 0.0,
                               .stop_above = std::numeric_limits<double>::infinity(),
                               .halvings = 12});
  CHECK(result.last <= result.first);
  CHECK(result.last == none.violation());
  CHECK(result.last >= 1.0);
}

TEST_CASE("constraints without finite factors end a projection") {
  Parabola flat{-1.0, 0.0};
  const ProjectionResult result = project_positions(flat, {});
  CHECK(!result.finite);
  CHECK(flat.q == 0.0);
}
