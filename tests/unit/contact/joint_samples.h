// Groups with joints between them, for the tests of the joint system.
#pragma once
#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "saltus/bodies/moving.h"
#include "saltus/bodies/particles.h"
#include "saltus/bodies/rigid.h"
#include "saltus/contact/joint_system.h"

namespace saltus::test {

struct JointRandom {
  std::mt19937 engine{11};
  double operator()() { return static_cast<double>(engine()) / 2147483648.0 - 1.0; }
  Vector3 vector() {
    const double x = (*this)(), y = (*this)(), z = (*this)();
    return {x, y, z};
  }
  Vector vector(Eigen::Index n) {
    Vector x(n);
    for (Eigen::Index i = 0; i < n; ++i) x[i] = (*this)();
    return x;
  }
  Matrix3 rotation() { return exp_rotation(3.0 * vector()).toRotationMatrix(); }
};

/// Bodies of different masses and full inertias.
inline RigidSystem bodies_in_space(int n) {
  JointRandom random;
  RigidSystem system;
  for (int i = 0; i < n; ++i) {
    const Matrix3 R = random.rotation();
    const Vector3 J(1.0, 1.2 + 0.1 * (i % 5), 1.4);
    system.bodies.push_back({1.0 + 0.5 * i, R * J.asDiagonal() * R.transpose(), {}});
  }
  return system;
}
inline Vector scattered(int n, JointRandom& random) {
  Vector q(7 * n);
  for (int i = 0; i < n; ++i) {
    const Quaternion Q(random.rotation());
    q.segment<7>(7 * i) << 2.0 * random.vector(), Q.w(), Q.x(), Q.y(), Q.z();
  }
  return q;
}

/// Members with a configuration, and what a JointSystem asks of them.
struct JointScene {
  std::vector<std::unique_ptr<Dynamics>> groups;
  std::vector<Vector> q, v;
  std::vector<Factor> A;
  std::vector<Joint> joints;
  std::vector<JointCoupling> couplings;

  void add(std::unique_ptr<Dynamics> body, Vector at) {
    A.emplace_back();
    v.emplace_back(body->velocities());
    body->factorise({1.0, 0.0, 0.3}, 0.0, at, Vector::Zero(body->velocities()), A.back());
    groups.push_back(std::move(body));
    q.push_back(std::move(at));
  }
  void join(const char* name, JointKind kind, JointSide a, JointSide b, double length = 0.0) {
    joints.push_back({name, kind, a, b, length, 0.0});
  }
  JointSystem system() const {
    std::vector<JointMember> members;
    for (std::size_t i = 0; i < groups.size(); ++i)
      members.push_back({static_cast<int>(i), groups[i].get()});
    return {joints, couplings, members};
  }
  JointSystem::Configuration at() const {
    return [this](int m) -> const Vector& { return q[static_cast<std::size_t>(m)]; };
  }
  JointSystem::Factors factors() const {
    return [this](int m) -> const Factor& { return A[static_cast<std::size_t>(m)]; };
  }
  int members() const { return static_cast<int>(groups.size()); }

  /// G of a member, and S = sum over members of G A^-1 G^T, dense.
  Matrix dense(const JointSystem& system, int m) const {
    const int n = groups[static_cast<std::size_t>(m)]->velocities();
    Matrix G = Matrix::Zero(system.rows(), n);
    for (int j = 0; j < n; ++j) system.multiply_add(m, Vector::Unit(n, j), G.col(j));
    return G;
  }
  Matrix dense_S(const JointSystem& system) const {
    Matrix S = Matrix::Zero(system.rows(), system.rows());
    for (int m = 0; m < members(); ++m) {
      const Matrix G = dense(system, m);
      if (G.cols() == 0) continue;
      Matrix X = G.transpose();
      solve(A[static_cast<std::size_t>(m)], X);
      S += 0.5 * (G * X + (G * X).transpose());
    }
    return S;
  }
  /// u = G v + d0
  Vector rates(const JointSystem& system, const std::vector<Vector>& velocity) const {
    Vector u = system.drift0();
    for (int m = 0; m < members(); ++m)
      system.multiply_add(m, velocity[static_cast<std::size_t>(m)], u);
    return u;
  }
};

inline JointSide world(const Vector3& x, const Matrix3& axes = Matrix3::Identity()) {
  return {-1, {0, 0, x}, axes};
}
inline JointSide on(int group, int body, const Vector3& local,
                    const Matrix3& axes = Matrix3::Identity()) {
  return {group, {body, 0, local}, axes};
}
inline JointSide particle(int group, int index) { return {group, {0, index, Vector3::Zero()}, {}}; }

/// Group 0: five rigid bodies; 1: particles without springs; 2: particles with springs; 3: two bodies that are moved.
/// Joints of every kind between them, none of them closed, couplings of all sorts.
inline JointScene mixed_scene() {
  JointRandom random;
  JointScene scene;
  scene.add(std::make_unique<Rigid>(bodies_in_space(5)), scattered(5, random));

  ParticleSystem loose;
  loose.mass = Vector::LinSpaced(4, 1.0, 2.0);
  scene.add(std::make_unique<Particles>(loose), random.vector(12));

  ParticleSystem net;
  net.mass = Vector::LinSpaced(4, 0.5, 2.0);
  for (int i = 0; i < 3; ++i)
    net.springs.push_back({i, i + 1, 50.0, 0.3, 0.0, Vector3::Zero(), false});
  scene.add(std::make_unique<Particles>(net), random.vector(12));

  PrescribedMotion motion;
  motion.position = {Signal::harmonic(0.2, 3.0), Signal::constant(1.0), Signal::constant(-0.4)};
  motion.velocity = Vector3(0.3, 0.0, -0.1);
  motion.axis = Vector3(0.0, 3.0, 4.0);
  motion.spin = 1.5;
  scene.add(std::make_unique<saltus::Moving>(std::vector<PrescribedMotion>{motion, {}}), Vector());

  const auto arm = [&] { return random.vector(); };
  const auto axes = [&] { return random.rotation(); };
  scene.join("hinge", JointKind::revolute, on(0, 0, arm(), axes()), on(0, 1, arm(), axes()));
  scene.join("slider", JointKind::prismatic, on(0, 1, arm(), axes()), on(0, 2, arm(), axes()));
  scene.join("screw", JointKind::cylindrical, on(3, 0, arm(), axes()), on(0, 2, arm(), axes()));
  scene.join("table", JointKind::planar, on(0, 3, arm(), axes()), on(3, 0, arm(), axes()));
  scene.join("cross", JointKind::universal, world(arm(), axes()), on(0, 3, arm(), axes()));
  scene.join("weld", JointKind::fixed, on(0, 3, arm(), axes()), on(0, 4, arm(), axes()));
  scene.join("ball", JointKind::ball, particle(1, 0), on(0, 4, arm()));
  scene.join("rod", JointKind::distance, particle(1, 1), particle(2, 0), 0.4);
  scene.join("link", JointKind::distance, particle(2, 2), particle(2, 3), 0.2);
  scene.join("rail", JointKind::along, on(0, 0, arm(), axes()), particle(2, 1));
  scene.join("guide", JointKind::along, {1, {0, 2, Vector3::Zero()}, axes()}, on(0, 1, arm()));
  scene.join("damper", JointKind::line, particle(1, 3), on(0, 2, arm()));
  const auto motor = [](double t) -> std::array<double, 2> {
    return {0.3 * std::sin(2.0 * t), 0.6 * std::cos(2.0 * t)};
  };
  scene.couplings.push_back({"drive", {{0, 0, 1.0}}, motor});
  scene.couplings.push_back({"gear", {{0, 0, 1.0}, {4, 1, -1.85}}, {}});
  scene.couplings.push_back({"thread", {{2, 0, -0.05}, {2, 1, 1.0}}, {}});
  scene.couplings.push_back({"stretch", {{11, 0, 1.0}, {1, 0, 0.5}, {3, 1, 2.0}}, motor});
  return scene;
}

}  // namespace saltus::test
