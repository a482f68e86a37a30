// G, S and the reactions of joints against dense algebra and the motion of the bodies.
#include "saltus/contact/joint_system.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numbers>
#include <numeric>
#include <set>

#include "saltus/base/error.h"
#include "saltus/contact/jointed.h"
#include "saltus/contact/rows.h"
#include "saltus/math/dense.h"
#include "tests/support/count_malloc.h"
#include "tests/unit/contact/joint_samples.h"

using namespace saltus;
using namespace saltus::test;

namespace {

constexpr double kTime = 0.7;

double largest(const Matrix& X) { return X.size() > 0 ? X.cwiseAbs().maxCoeff() : 0.0; }

/// Bodies of the scene moved by dt along their velocities.
std::vector<Vector> moved(const JointScene& scene, double dt) {
  std::vector<Vector> q;
  for (std::size_t m = 0; m < scene.groups.size(); ++m) {
    q.emplace_back(scene.q[m].size());
    scene.groups[m]->retract(scene.q[m], Vector(dt * scene.v[m]), q.back());
  }
  return q;
}

/// A chain from the world, closed, bodies n in group 0 turned in their joints.
JointScene chain(int n, JointKind kind) {
  JointRandom random;
  JointScene scene;
  Vector q(7 * n);
  Pose end{Vector3(0.1, 0.2, 0.3), random.rotation()};
  const Vector3 tip(0.5, 0.1, 0.0);
  for (int i = 0; i < n; ++i) {
    const Matrix3 axes = random.rotation();
    const JointSide a = i == 0 ? world(end.x, end.R) : on(0, i - 1, tip, axes);
    if (i > 0) end = {end.x, end.R * axes};  // axes of the joint in space
    const Matrix3 R =
        kind == JointKind::ball
            ? random.rotation()
            : Matrix3(end.R * exp_rotation(Vector3(0, 0, 0.4 * i)).toRotationMatrix());
    scene.join(("joint " + std::to_string(i)).c_str(), kind, a, on(0, i, -tip));
    const Vector3 x = end.x + R * tip;
    const Quaternion Q(R);
    q.segment<7>(7 * i) << x, Q.w(), Q.x(), Q.y(), Q.z();
    end = {x + R * tip, R};
  }
  scene.add(std::make_unique<Rigid>(bodies_in_space(n)), q);
  scene.v[0] = random.vector(6 * n);
  return scene;
}

/// Cranks of the same length side by side, a bar on their tips; all turn about z: each crank but one is redundant.
/// `order` of the joints, `turned`: angle by which the axes of both sides of each joint are turned about z.
JointScene parallelogram(int cranks, const std::vector<int>& order, double turned = 0.0) {
  JointScene scene;
  const double angle = 0.6, length = 1.0;
  const Vector3 tip = length * Vector3(std::cos(angle), std::sin(angle), 0.0);
  const Matrix3 axes = exp_rotation(Vector3(0, 0, turned)).toRotationMatrix();
  Vector q(7 * (cranks + 1));
  std::vector<Joint> joints;
  for (int i = 0; i < cranks; ++i) {
    const Vector3 base(0.9 * i, 0.0, 0.0);
    q.segment<7>(7 * i) << base + 0.5 * tip, 1.0, 0.0, 0.0, 0.0;
    const std::string name = "crank " + std::to_string(i);
    joints.push_back({name + " base", JointKind::revolute, world(base, axes),
                      on(0, i, -0.5 * tip, axes), 0.0, 0.0});
    joints.push_back({name + " tip", JointKind::revolute, on(0, i, 0.5 * tip, axes),
                      on(0, cranks, base - Vector3(0.9, 0.0, 0.0), axes), 0.0, 0.0});
  }
  q.segment<7>(7 * cranks) << Vector3(0.9, 0.0, 0.0) + tip, 1.0, 0.0, 0.0, 0.0;
  for (const int i : order) scene.joints.push_back(joints[static_cast<std::size_t>(i)]);
  scene.add(std::make_unique<Rigid>(bodies_in_space(cranks + 1)), q);
  JointRandom random;
  scene.v[0] = random.vector(6 * (cranks + 1));
  return scene;
}

std::vector<int> in_order(int n) {
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

/// L with S L = -G v.
Vector reactions(const JointScene& scene, JointSystem& system) {
  system.make_rows(kTime, scene.at());
  REQUIRE(system.factorise(scene.factors()));
  Vector L = -scene.rates(system, scene.v);
  system.solve(L);
  return L;
}

}  // namespace

TEST_CASE("G v + d is the rate of the gaps, for joints and couplings of all kinds of groups") {
  JointScene scene = mixed_scene();
  JointRandom random;
  for (Vector& v : scene.v) v = random.vector(v.size());
  JointSystem system = scene.system();
  system.make_rows(kTime, scene.at());
  CHECK(system.drift0() == system.drift1());
  const Vector u = scene.rates(system, scene.v);
  const double e = 1e-5;
  Vector g[2] = {Vector(system.rows()), Vector(system.rows())};
  for (int k = 0; k < 2; ++k) {
    const double dt = k == 0 ? -e : e;
    const std::vector<Vector> q = moved(scene, dt);
    system.gaps(
        kTime + dt, [&](int m) -> const Vector& { return q[static_cast<std::size_t>(m)]; }, g[k]);
  }
  for (int i = 0; i < system.rows(); ++i) {
    CAPTURE(system.name_of_row(i));
    CHECK(std::abs((g[1][i] - g[0][i]) / (2.0 * e) - u[i]) <= 1e-7);
  }
}

TEST_CASE(
    "over a step of the midpoint rule h G v is the change of every gap, however far bodies turn") {
  JointRandom random;
  const double h = 0.4;
  for (const JointKind kind :
       {JointKind::fixed, JointKind::ball, JointKind::revolute, JointKind::prismatic,
        JointKind::cylindrical, JointKind::planar, JointKind::universal, JointKind::along}) {
    CAPTURE(name_of(kind));
    JointScene scene;
    scene.add(std::make_unique<Rigid>(bodies_in_space(3)), scattered(3, random));
    scene.join("of the world", kind, world(random.vector(), random.rotation()),
               on(0, 0, random.vector(), random.rotation()));
    scene.join("of bodies", kind, on(0, 1, random.vector(), random.rotation()),
               on(0, 2, random.vector(), random.rotation()));
    JointSystem system = scene.system();
    const Vector v = 2.0 * random.vector(18);
    Vector q1 = scene.q[0], middle = q1;
    for (int i = 0; i < 3;
         ++i) {  // Q1 = Q0 (1, w/2)/s, Q_m = Q0 (s + 1, w/2)/sqrt(2 s (s + 1)), w = h Omega
      const Vector3 w = h * v.segment<3>(6 * i + 3);
      const double s = std::sqrt(1.0 + 0.25 * w.squaredNorm());
      const Eigen::Vector4d Q = scene.q[0].segment<4>(7 * i + 3);
      const Quaternion Q0(Q[0], Q[1], Q[2], Q[3]);
      const auto turned = [&](double real, double size) {
        const Quaternion R = Q0 * Quaternion(real / size, 0.5 * w.x() / size, 0.5 * w.y() / size,
                                             0.5 * w.z() / size);
        return Eigen::Vector4d(R.w(), R.x(), R.y(), R.z());
      };
      q1.segment<4>(7 * i + 3) = turned(1.0, s);
      middle.segment<4>(7 * i + 3) = turned(s + 1.0, std::sqrt(2.0 * s * (s + 1.0)));
      q1.segment<3>(7 * i) += h * v.segment<3>(6 * i);
      middle.segment<3>(7 * i) += 0.5 * h * v.segment<3>(6 * i);
    }
    const JointSystem::Configuration start = scene.at(),
                                     end = [&](int) -> const Vector & { return q1; },
                                     mid = [&](int) -> const Vector & { return middle; };
    system.make_rows({0.0, h, start, end, mid, mid});
    Vector u = Vector::Zero(system.rows()), g0(system.rows()), g1(system.rows());
    system.multiply_add(0, v, u);
    system.gaps(0.0, start, g0);
    system.gaps(h, end, g1);
    CHECK(largest(g1 - g0 - h * u) <= 1e-14);
    CHECK(largest(g1 - g0) >= 0.1);
  }
}

TEST_CASE("drifts are those of moved bodies and driven coordinates at both ends of the step") {
  const JointScene scene = mixed_scene();
  JointSystem system = scene.system(), ends[2] = {scene.system(), scene.system()};
  const double t0 = kTime - 0.1, t1 = kTime + 0.1;
  const JointSystem::Configuration at = scene.at();
  system.make_rows({t0, t1, at, at, at, at});
  const Vector* d[2] = {&system.drift0(), &system.drift1()};
  const int drive = system.rows() - 4;
  CHECK(system.name_of_row(drive) == "drive");
  CHECK((*d[0])[drive] == -0.6 * std::cos(2.0 * t0));
  CHECK((*d[1])[drive] == -0.6 * std::cos(2.0 * t1));
  // "cross" joins the world and a free body, "screw" a moved one
  const auto cross = system.rows_of(4), screw = system.rows_of(2);
  for (int k = 0; k < 2; ++k) {
    CHECK(d[k]->segment(cross[0], cross[1]).isZero(0.0));
    CHECK(d[k]->segment(screw[0], screw[1]).norm() >= 0.1);
  }
}

TEST_CASE("S is G A^-1 G^T, and G^T is the transpose of G") {
  for (const bool mixed : {false, true}) {
    CAPTURE(mixed);
    const JointScene scene = mixed ? mixed_scene() : chain(12, JointKind::revolute);
    JointSystem system = scene.system();
    system.make_rows(kTime, scene.at());
    REQUIRE(system.factorise(scene.factors()));
    const Matrix S = scene.dense_S(system);
    JointRandom random;
    for (int j = 0; j < system.rows(); ++j) {
      Vector u(system.rows());
      system.apply(Vector::Unit(system.rows(), j), u);
      CHECK(largest(u - S.col(j)) <= 1e-14 * largest(S));
      CHECK(std::abs(system.diagonal(j) - S(j, j)) <= 1e-14 * largest(S));
    }
    for (int m = 0; m < scene.members(); ++m) {
      const Matrix G = scene.dense(system, m);
      const Vector L = random.vector(system.rows());
      Vector r = Vector::Zero(G.cols());
      system.transpose_add(m, L, r);
      CHECK(largest(r - G.transpose() * L) <= 1e-14 * largest(G) * system.rows());
    }
  }
}

TEST_CASE("an inverse that is not symmetric enters S by its symmetric part") {
  JointScene scene = chain(4, JointKind::ball);
  JointRandom random;
  for (auto& block : std::get<Blocks6>(scene.A[0].form).inverse)
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) block(i, j) += 0.01 * random();
  JointSystem system = scene.system();
  system.make_rows(0.0, scene.at());
  REQUIRE(system.factorise(scene.factors()));
  const Matrix S = scene.dense_S(system);
  for (int j = 0; j < system.rows(); ++j) {
    Vector u(system.rows());
    system.apply(Vector::Unit(system.rows(), j), u);
    CHECK(largest(u - S.col(j)) <= 1e-14 * largest(S));
  }
}

TEST_CASE("reactions close the velocities: G (v + A^-1 G^T L) + d = 0") {
  for (const int which : {0, 1, 2}) {
    CAPTURE(which);
    JointScene scene = which == 0   ? chain(12, JointKind::revolute)
                       : which == 1 ? chain(12, JointKind::ball)
                                    : mixed_scene();
    JointRandom random;
    for (Vector& v : scene.v) v = random.vector(v.size());
    JointSystem system = scene.system();
    const Vector L = reactions(scene, system);
    CHECK((which == 2) == !system.dependent().empty());
    std::vector<Vector> v = scene.v;
    double work = 0.0;
    for (int m = 0; m < scene.members(); ++m) {
      const auto k = static_cast<std::size_t>(m);
      Vector r = Vector::Zero(v[k].size());
      system.transpose_add(m, L, r);
      Vector w = r;
      if (w.size() > 0) solve(scene.A[k], w);
      v[k] += w;
      work += r.dot(v[k]);
    }
    const Vector u = scene.rates(system, v);
    // rows that depend on others may contradict them: joints that are open ask for what no motion gives
    Vector kept = u;
    for (const int i : system.dependent()) kept[i] = 0.0;
    CHECK(largest(kept) <= 1e-13 * std::max(1.0, L.cwiseAbs().maxCoeff()));
    // what the impulses do on the velocities is P . u, here what drifts take: r . v = L . (u - d)
    CHECK(std::abs(work - L.dot(u - system.drift0())) <= 1e-12 * (1.0 + std::abs(work)));
    if (which < 2) CHECK(std::abs(work) <= 1e-12 * L.squaredNorm());
  }
}

TEST_CASE("a parallelogram of three cranks has dependent rows of joints that are told by name") {
  const JointScene scene = parallelogram(3, in_order(6));
  JointSystem system = scene.system();
  const Vector L = reactions(scene, system);
  // 24 velocities, one of them free: 23 of the 30 rows are independent
  CHECK(system.rows() == 30);
  CHECK(system.dependent().size() == 7);
  for (const int i : system.dependent()) CHECK(system.name_of_row(i).substr(0, 6) == "crank ");

  Vector u(system.rows());
  system.apply(L, u);
  u += scene.rates(system, scene.v);
  CHECK(largest(u) <= 1e-12);  // the rows left out hold as well

  // the least sum of w L^2 among all solutions, w the mean diagonal of S over the point rows or the spin rows of a joint
  const Matrix S = scene.dense_S(system);
  Vector w(30);
  for (int joint = 0; joint < 6; ++joint) {
    w.segment<3>(5 * joint).setConstant(S.diagonal().segment<3>(5 * joint).mean());
    w.segment<2>(5 * joint + 3).setConstant(S.diagonal().segment<2>(5 * joint + 3).mean());
  }
  const Vector root = w.cwiseSqrt().cwiseInverse();
  const SymmetricPairs eigen = symmetric_pairs(root.asDiagonal() * S * root.asDiagonal());
  const Vector b = -scene.rates(system, scene.v);
  Vector y = eigen.vectors.transpose() * (root.asDiagonal() * b);
  for (int i = 0; i < 30; ++i) y[i] = i < 7 ? 0.0 : y[i] / eigen.values[i];
  const Vector least = root.asDiagonal() * (eigen.vectors * y);
  CHECK(largest(least - L) <= 1e-9 * largest(L));
}

TEST_CASE("reactions of redundant joints know neither the order nor the axes of the joints") {
  const int cranks = 4;
  const JointScene scene = parallelogram(cranks, in_order(2 * cranks));
  JointSystem system = scene.system();
  const Vector L = reactions(scene, system);
  CHECK(system.dependent().size() == 11);
  for (const auto& order : {std::vector<int>{7, 2, 5, 0, 3, 6, 1, 4}, {4, 5, 6, 7, 0, 1, 2, 3}}) {
    const JointScene other = parallelogram(cranks, order);
    JointSystem permuted = other.system();
    const Vector P = reactions(other, permuted);
    for (int k = 0; k < 2 * cranks; ++k)
      CHECK(largest(P.segment<5>(5 * k) - L.segment<5>(5 * order[static_cast<std::size_t>(k)])) <=
            1e-9 * largest(L));
  }
  const double angle = 0.9;
  const JointScene turned = parallelogram(cranks, in_order(2 * cranks), angle);
  JointSystem system_turned = turned.system();
  const Vector P = reactions(turned, system_turned);
  const Eigen::Rotation2Dd R(angle);
  for (int k = 0; k < 2 * cranks; ++k) {
    CHECK(largest(P.segment<3>(5 * k) - L.segment<3>(5 * k)) <= 1e-9 * largest(L));
    CHECK(largest(R * P.segment<2>(5 * k + 3) - L.segment<2>(5 * k + 3)) <= 1e-9 * largest(L));
  }
}

TEST_CASE("couplings of angles are closed at every tooth and every turn") {
  // two wheels on the world: 20 and 37 teeth, then a ratio that no teeth have, then a driven wheel
  const auto gap = [](double c0, double c1, double ratio, double value) {
    JointScene scene;
    Vector q(14);
    for (int i = 0; i < 2; ++i) {
      const Quaternion Q = exp_rotation(Vector3(0, 0, i == 0 ? c0 : c1));
      q.segment<7>(7 * i) << static_cast<double>(i), 0.0, 0.0, Q.w(), Q.x(), Q.y(), Q.z();
    }
    scene.add(std::make_unique<Rigid>(bodies_in_space(2)), q);
    for (int i = 0; i < 2; ++i)
      scene.join("wheel", JointKind::revolute, world(Vector3(i, 0, 0)), on(0, i, Vector3::Zero()));
    JointCoupling coupling{"gear", {{0, 0, 1.0}}, {}};
    if (ratio != 0.0) coupling.terms.push_back({1, 0, ratio});
    if (value != 0.0)
      coupling.value = [value](double) { return std::array<double, 2>{value, 0.0}; };
    scene.couplings.push_back(coupling);
    JointSystem system = scene.system();
    Vector g(system.rows());
    system.gaps(0.0, scene.at(), g);
    return g[system.rows() - 1];
  };
  const double turn = 2.0 * std::numbers::pi, ratio = 37.0 / 20.0;
  for (const double angle : {0.3, 2.0, 9.0, -40.0})
    CHECK(std::abs(gap(-ratio * angle, angle, ratio, 0.0)) <= 1e-12);
  CHECK(std::abs(gap(-ratio * 9.0 + 0.01, 9.0, ratio, 0.0) - 0.01) <= 1e-12);
  CHECK(std::abs(gap(0.5 * turn / 20.0 + 0.01, 0.0, ratio, 0.0) - (0.01 - 0.5 * turn / 20.0)) <=
        1e-12);
  CHECK(gap(0.1, 0.0, std::numbers::sqrt2, 0.0) == 0.0);
  CHECK(std::abs(gap(0.3, 0.0, 0.0, 0.2 + 5.0 * turn) - 0.1) <= 1e-12);
}

TEST_CASE("rows of a coordinate for laws are its rate, with the drifts of each member") {
  JointScene scene = mixed_scene();
  JointRandom random;
  for (Vector& v : scene.v) v = random.vector(v.size());
  JointSystem system = scene.system();
  system.make_rows(kTime, scene.at());
  const double e = 1e-5, weight = -1.5;
  std::vector<std::array<int, 2>> all;
  for (int j = 0; j < static_cast<int>(scene.joints.size()); ++j)
    for (int c = 0; c < coordinate_count(scene.joints[static_cast<std::size_t>(j)].kind); ++c)
      all.push_back({j, c});
  Vector values(static_cast<Eigen::Index>(all.size()));
  system.coordinates(kTime, scene.at(), all, values);
  for (std::size_t k = 0; k < all.size(); ++k) {
    const auto [joint, coordinate] = all[k];
    CAPTURE(scene.joints[static_cast<std::size_t>(joint)].name);
    double rate = 0.0;
    for (int m = 0; m < scene.members(); ++m) {
      GroupRows H;
      H.clear(1);
      const auto drifts = system.add_coordinate(joint, coordinate, weight, m, 0, H);
      Vector u = Vector::Zero(1);
      H.multiply_add(scene.v[static_cast<std::size_t>(m)], u);
      rate += u[0] + drifts[0];
      CHECK(drifts[0] == drifts[1]);
    }
    double c[2];
    for (int s = 0; s < 2; ++s) {
      const double dt = s == 0 ? -e : e;
      const std::vector<Vector> q = moved(scene, dt);
      c[s] = system.coordinate(
          kTime + dt, [&](int m) -> const Vector& { return q[static_cast<std::size_t>(m)]; }, joint,
          coordinate);
    }
    CHECK(std::abs(weight * (c[1] - c[0]) / (2.0 * e) - rate) <= 1e-7);
    CHECK(system.coordinate(joint, coordinate) == values[static_cast<Eigen::Index>(k)]);
  }
}

TEST_CASE("joints of other groups are left out, and couplings with them") {
  const JointScene scene = mixed_scene();
  JointSystem system(scene.joints, scene.couplings,
                     {{1, scene.groups[1].get()}, {2, scene.groups[2].get()}});
  CHECK(system.rows() == 2);  // the rod and the link
  CHECK(system.rows_of(7) == std::array<int, 2>{0, 1});
  CHECK(system.rows_of(8) == std::array<int, 2>{1, 1});
  CHECK(system.rows_of(0)[1] == 0);
  CHECK(system.name_of_row(1) == "link");
  CHECK_THROWS_AS((void)system.coordinate(0, 0), UsageError);
  JointSystem none({}, {}, {{0, scene.groups[0].get()}});
  CHECK(none.empty());
}

TEST_CASE("joints that cannot be are refused by name") {
  const auto refused = [](const Joint& joint, std::vector<JointCoupling> couplings = {}) {
    JointScene scene = mixed_scene();
    scene.joints = {joint};
    scene.couplings = std::move(couplings);
    try {
      (void)scene.system();
    } catch (const UsageError& error) {
      return std::string(error.what()).find("odd") != std::string::npos;
    }
    return false;
  };
  const Vector3 x = Vector3::UnitX();
  using enum JointKind;
  const Joint good{"fine", revolute, on(0, 0, x), on(0, 1, x), 0.0, 0.0};
  CHECK(refused({"odd", revolute, on(0, 1, x), on(0, 1, -x), 0.0, 0.0}));
  CHECK(refused({"odd", distance, particle(1, 2), particle(1, 2), 1.0, 0.0}));
  CHECK(refused({"odd", ball, world(x), world(-x), 0.0, 0.0}));
  CHECK(refused({"odd", revolute, particle(1, 0), on(0, 1, x), 0.0, 0.0}));
  CHECK(refused({"odd", ball, on(0, 5, x), on(0, 1, x), 0.0, 0.0}));
  CHECK(refused(good, {{"odd", {{1, 0, 1.0}}, {}}}));
  CHECK(refused(good, {{"odd", {{0, 1, 1.0}}, {}}}));
  CHECK(refused(good, {{"odd", {}, {}}}));
  CHECK_FALSE(refused(good));
}

TEST_CASE("rows and factors of a step take nothing from the heap once they were made" *
          doctest::skip(!SALTUS_COUNTS_MALLOC)) {
  for (const bool mixed : {false, true}) {
    CAPTURE(mixed);
    const JointScene scene = mixed ? mixed_scene() : chain(50, JointKind::revolute);
    JointSystem system = scene.system();
    const auto at = scene.at();
    const auto factors = scene.factors();
    Vector g(system.rows()), L = Vector::Ones(system.rows()), u(system.rows());
    long taken = 0;
    for (int pass = 0; pass < 3; ++pass) {
      const long before = allocations;
      system.make_rows(kTime, at);
      const bool good = system.factorise(factors);
      system.solve(L);
      system.apply(L, u);
      system.gaps(kTime, at, g);
      taken = allocations - before;
      REQUIRE(good);
    }
    CHECK(taken == 0);
  }
}

TEST_CASE(
    "forces of joints in the stages of a scheme take nothing from the heap once they were made" *
    doctest::skip(!SALTUS_COUNTS_MALLOC)) {
  JointScene scene = mixed_scene();
  const std::shared_ptr<const Dynamics> body = std::move(scene.groups[0]),
                                        moved = std::move(scene.groups[3]);
  const Jointed jointed(scene.joints, scene.couplings, {0, body}, {{3, moved}}, 1e-3);
  CHECK(jointed.rows() == 30);
  JointRandom random;
  Vector v = random.vector(30), f(30);
  std::array<double, 16> rate{};
  long taken = 0;
  for (int stage = 0; stage < 20; ++stage) {
    v[3] += 0.1;
    const long before = allocations;
    jointed.force(kTime, scene.q[0], v, f);
    jointed.power(kTime, {}, scene.q[0], v, v, std::span(rate).first(jointed.sources().size()));
    taken = allocations - before;
  }
  CHECK(f.allFinite());
  CHECK(taken == 0);
}
