// Joints as forces: what they do to accelerations, and where their work is booked.
#include "saltus/contact/jointed.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <numeric>

#include "saltus/base/error.h"
#include "support/dense.h"
#include "tests/unit/contact/joint_samples.h"

using namespace saltus;
using namespace saltus::test;

namespace {

constexpr double kTime = 0.7, kDriftTime = 1e-3;

/// Five bodies on joints of five kinds to each other and to a body that is moved and turns; none closed.
struct Tree {
  JointScene all = mixed_scene();
  std::vector<Joint> joints;
  std::vector<JointCoupling> couplings;
  std::shared_ptr<const Dynamics> body, moved;
  std::shared_ptr<Jointed> jointed;
  Vector q, v;

  explicit Tree(const Vector3& gravity = Vector3(0.3, -1.0, -9.81)) {
    for (const std::size_t i : {0u, 1u, 2u, 3u, 5u}) joints.push_back(all.joints[i]);
    joints.push_back(all.joints[6]);  // a ball to a particle: of another group, so left out
    couplings = {all.couplings[0], all.couplings[2]};
    RigidSystem system = bodies_in_space(5);
    system.gravity = gravity;
    body = std::make_shared<Rigid>(system);
    moved = std::move(all.groups[3]);
    jointed = std::make_shared<Jointed>(joints, couplings, JointedGroup{0, body},
                                        std::vector<JointedGroup>{{3, moved}}, kDriftTime);
    JointRandom random;
    random.engine.seed(3);
    q = all.q[0];
    v = random.vector(30);
  }
  JointSystem system() const { return {joints, couplings, {{0, body.get()}, {3, moved.get()}}}; }
  Vector force(const Dynamics& of) const {
    Vector f(30);
    of.force(kTime, q, v, f);
    return f;
  }
  Vector acceleration() const {
    Vector a = force(*jointed);
    Factor M;
    body->factorise({1.0, 0.0, 0.0}, 0.0, q, v, M);
    solve(M, a);
    return a;
  }
};

/// G v + d with the bodies moved for dt along v and the acceleration v'.
Vector rates(const Tree& tree, JointSystem& system, const Vector& acceleration, double dt) {
  static const Vector kNone;
  Vector q(tree.q.size());
  tree.body->retract(tree.q, Vector(dt * tree.v), q);
  const auto at = [&](int m) -> const Vector& { return m == 0 ? q : kNone; };
  system.make_rows(kTime + dt, at);
  Vector u = system.drift0();
  system.multiply_add(0, tree.v + dt * acceleration, u);
  return u;
}

}  // namespace

TEST_CASE("the forces of joints keep the rates of all gaps, with moved bodies and drives too") {
  const Tree tree;
  JointSystem system = tree.system();
  REQUIRE(tree.jointed->rows() == system.rows());
  CHECK(system.rows() == 25);
  const Vector a = tree.acceleration();
  const double e = 1e-4;
  const Vector u = (rates(tree, system, a, e) - rates(tree, system, a, -e)) / (2.0 * e);
  Vector free(30);
  tree.body->force(kTime, tree.q, tree.v, free);
  Factor M;
  tree.body->factorise({1.0, 0.0, 0.0}, 0.0, tree.q, tree.v, M);
  solve(M, free);
  const Vector loose = (rates(tree, system, free, e) - rates(tree, system, free, -e)) / (2.0 * e);
  for (int i = 0; i < system.rows(); ++i) {
    CAPTURE(system.name_of_row(i));
    CHECK(std::abs(u[i]) <= 1e-5);
  }
  CHECK(loose.cwiseAbs().minCoeff() >= 1e-3);  // without the joints no row would be kept
}

TEST_CASE("the forces of joints are G^T L: they do no work on motions that the joints allow") {
  const Tree tree;
  JointSystem system = tree.system();
  static const Vector kNone;
  const auto at = [&](int m) -> const Vector& { return m == 0 ? tree.q : kNone; };
  system.make_rows(kTime, at);
  Matrix G = Matrix::Zero(system.rows(), 30);
  for (int j = 0; j < 30; ++j) system.multiply_add(0, Vector::Unit(30, j), G.col(j));
  const Vector r = tree.force(*tree.jointed) - tree.force(*tree.body);
  CHECK(r.norm() >= 1.0);
  const Matrix allowed = kernel_of(G);
  CHECK(allowed.cols() == 5);
  CHECK((allowed.transpose() * r).cwiseAbs().maxCoeff() <=
        1e-11 * r.norm() * allowed.colwise().norm().maxCoeff());
}

TEST_CASE("the work of joints is booked as theirs or, of driven rows, as the drive's") {
  const Tree tree;
  const auto sources = tree.jointed->sources();
  const auto own = tree.body->sources();
  REQUIRE(sources.size() == own.size() + 2);
  CHECK(sources[own.size()].name == "joints");
  CHECK(sources[own.size() + 1].name == "prescribed");
  JointRandom random;
  const Vector w = random.vector(30);
  std::array<double, 16> rate{};
  tree.jointed->power(kTime, {}, tree.q, tree.v, w, std::span(rate).first(sources.size()));
  const double sum = std::accumulate(rate.begin(), rate.end(), 0.0);
  const Vector f = tree.force(*tree.jointed);
  CHECK(std::abs(sum - f.dot(w)) <= 1e-12 * f.norm() * w.norm());
  CHECK(std::abs(rate[own.size()]) > 0.0);
  CHECK(std::abs(rate[own.size() + 1]) > 0.0);
}

TEST_CASE("loads of joints hold their bodies: the weld carries what its body needs to follow") {
  const Tree tree;
  std::vector<std::array<Vector3, 2>> loads(tree.joints.size(), {Vector3::Zero(), Vector3::Zero()});
  tree.jointed->add_loads(kTime, tree.q, tree.v, 0.5, loads);
  tree.jointed->add_loads(kTime, tree.q, tree.v, 0.5, loads);
  // body 4 hangs on joint 4 alone: m a - m g
  const Vector reaction = tree.force(*tree.jointed) - tree.force(*tree.body);
  const Vector3 force = reaction.segment<3>(24), moment = reaction.segment<3>(27);
  CHECK((loads[4][0] - force).norm() <= 1e-12 * force.norm());
  std::array<Pose, 5> pose;
  tree.body->frames(kTime, tree.q, pose);
  const Vector3 arm = pose[4].R * tree.joints[4].b.ref.local;
  const Vector3 about_centre = loads[4][1] + arm.cross(loads[4][0]);
  CHECK((about_centre - pose[4].R * moment).norm() <= 1e-12 * moment.norm());
  CHECK(loads[5][0] == Vector3::Zero());  // of another group
}

TEST_CASE("a body with joints in its forces provides no tangents and is else what it was") {
  const Tree tree;
  const unsigned traits = tree.jointed->traits();
  CHECK_FALSE(has(traits, Trait::tangents));
  CHECK_FALSE(has(traits, Trait::affine));
  CHECK(traits == (tree.body->traits() & ~(Trait::tangents | Trait::separable)));
  CHECK_FALSE(tree.jointed->rigid()->steady_load);
  Vector load(30), with(30);
  tree.body->load(kTime, tree.q, tree.v, load);
  tree.jointed->load(kTime, tree.q, tree.v, with);
  const Vector reaction = tree.force(*tree.jointed) - tree.force(*tree.body);
  CHECK((with - load - reaction).norm() <= 1e-13 * reaction.norm());
}

TEST_CASE("bodies without joints of their own stay as they are") {
  const Tree tree;
  const Jointed alone(std::vector<Joint>{tree.joints[5]}, {}, {0, tree.body}, {}, kDriftTime);
  CHECK(alone.rows() == 0);
  CHECK(alone.traits() == tree.body->traits());
  CHECK(tree.force(alone) == tree.force(*tree.body));
  CHECK(alone.sources().size() == tree.body->sources().size());
}

TEST_CASE("joints act in stages of masses on rods too: a circle has the centripetal acceleration") {
  ParticleSystem one;
  one.mass = Vector::Constant(1, 2.0);
  const auto masses = std::make_shared<Particles>(one);
  Joint rod;
  rod.name = "rod";
  rod.kind = JointKind::distance;
  rod.b = particle(0, 0);
  rod.length = 0.5;
  const Jointed body(std::vector<Joint>{rod}, {}, {0, masses}, {}, kDriftTime);
  Vector f(3);
  body.force(0.0, Vector3(0.5, 0.0, 0.0), Vector3(0.0, 3.0, 0.0), f);
  CHECK((f - Vector3(-2.0 * 9.0 / 0.5, 0.0, 0.0)).norm() <= 1e-13);
}
