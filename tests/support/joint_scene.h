// Mechanisms of rigid bodies, and of point masses, on joints: each body has all its coordinates, and joints are given by
// places in space.
#pragma once
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "contacts.h"
#include "rigid_state.h"
#include "saltus/bodies/particles.h"
#include "saltus/bodies/rigid.h"
#include "saltus/math/dense.h"
#include "saltus/schemes/options.h"
#include "saltus/schemes/registry.h"
#include "saltus/sim/simulation.h"
#include "saltus/solvers/registry.h"

namespace saltus::test {

/// A right-handed frame with z along `z`.
inline Matrix3 axes_along(const Vector3& z) {
  Eigen::Index least = 0;
  z.cwiseAbs().minCoeff(&least);
  Matrix3 R;
  R.col(2) = z.normalized();
  R.col(0) = Vector3::Unit(least).cross(R.col(2)).normalized();
  R.col(1) = R.col(2).cross(R.col(0));
  return R;
}

/// What is left to a body that moves in the plane z = 0: v_x, v_y and the turn about z.
inline constexpr std::array<bool, 6> kPlane{false, false, true, true, true, false};

class JointScene {
 public:
  Vector3 gravity{0.0, 0.0, -9.81};
  JointLevel level = JointLevel::position;
  Bilateral bilateral = Bilateral::mid_zero;
  bool in_stages = false;
  double h = 1e-3;              ///< [s]
  double pass_tolerance = 0.0;  ///< 0: that of the scheme

  /// A rigid body: v in space, Omega on its own axes.
  int add(double mass, const Matrix3& inertia, const Vector3& x,
          const Quaternion& Q = Quaternion::Identity(), const Vector3& v = Vector3::Zero(),
          const Vector3& Omega = Vector3::Zero(), const std::array<bool, 6>& locked = {}) {
    RigidBody body;
    body.mass = mass;
    body.inertia = inertia;
    body.locked = locked;
    system.bodies.push_back(body);
    places_.push_back({x, Q, v, Omega});
    return static_cast<int>(places_.size()) - 1;
  }
  /// A uniform rod of this section from p to q, at rest; its body axis x is along it.
  int rod(double mass, const Vector3& p, const Vector3& q, double width = 0.0,
          const std::array<bool, 6>& locked = {}) {
    const double l2 = (q - p).squaredNorm(), w2 = width * width;
    const double J = mass * (l2 + w2) / 12.0;
    const Vector3 moments(std::max(mass * w2 / 6.0, 1e-4 * mass * l2), J, J);
    return add(mass, moments.asDiagonal(), 0.5 * (p + q), turn_between(Vector3::UnitX(), q - p),
               Vector3::Zero(), Vector3::Zero(), locked);
  }
  /// A point mass; joints name it by the number returned, contacts as point_side().
  int point(double mass, const Vector3& x, const Vector3& v = Vector3::Zero()) {
    points_.push_back({mass, x, v});
    return kPoints + static_cast<int>(points_.size()) - 1;
  }
  /// The velocity that body i has as part of a frame which turns with `omega` (in space) about `centre`.
  void turn(int i, const Vector3& omega, const Vector3& centre) {
    Place& p = places_[static_cast<std::size_t>(i)];
    p.v = omega.cross(p.x - centre);
    p.Omega = p.Q.conjugate() * omega;
  }

  void shift(int i, const Vector3& v) { places_[static_cast<std::size_t>(i)].v = v; }

  /// A joint at place p of space (or between p_a and p_b), its axis along z; side -1 is the world.
  int join(JointKind kind, int a, int b, const Vector3& p, const Vector3& z = Vector3::UnitZ()) {
    return join(kind, a, b, p, p, z);
  }
  int join(JointKind kind, int a, int b, const Vector3& p_a, const Vector3& p_b, const Vector3& z) {
    Joint joint;
    joint.name = std::string("j").append(std::to_string(joints.size()));
    joint.kind = kind;
    joint.a = side(a, p_a, axes_along(z));
    joint.b = side(b, p_b, axes_along(z));
    joint.length = (p_b - p_a).norm();
    joints.push_back(joint);
    return static_cast<int>(joints.size()) - 1;
  }
  /// Spring of length l0 with a dashpot on the length of a line: exact in one pass.
  void spring(int line, double stiffness, double damping, double l0) {
    act(line, 0, AnyLaw(law_of({stiffness, 1.0, damping, ContactSpring::At::middle, true})), 1.0,
        l0);
  }
  /// A law on coordinate i of a joint: gap = sign (c - offset).
  void act(int joint, int i, const AnyLaw& law, double sign = 1.0, double offset = 0.0) {
    laws.push_back(law);
    JointLaw on;
    on.key = laws.size();
    on.name = joints[static_cast<std::size_t>(joint)].name + ".law";
    on.joint = joint;
    on.coordinate = i;
    on.sign = sign;
    on.offset = offset;
    on.law = static_cast<int>(laws.size()) - 1;
    joint_laws.push_back(on);
  }
  /// A wall through the origin that body or mass i, at its centre, cannot pass.
  void wall(int i, const Vector3& normal, const AnyLaw& law) {
    laws.push_back(law);
    ContactPair pair;
    pair.key = pairs.size() + 1;
    pair.a = contact(i);
    pair.b = world();
    pair.normal = normal;
    pair.law = static_cast<int>(laws.size()) - 1;
    pairs.push_back(pair);
  }
  /// Side of a contact pair at a point mass or the mass centre of a body.
  ContactSide contact(int i) const {
    return i < kPoints ? ContactSide{0, {i, 0, Vector3::Zero()}}
                       : ContactSide{points_group(), {0, i - kPoints, Vector3::Zero()}};
  }

  /// The model of these parts; a scheme for the rigid bodies, and one for the point masses (the same where it can).
  Model model(std::shared_ptr<const Scheme> scheme,
              std::shared_ptr<const Scheme> of_points = nullptr) const {
    ModelParts parts;
    if (!places_.empty()) {
      RigidSystem bodies = system;
      bodies.gravity = gravity;
      parts.groups.push_back({"bodies", "rigid", std::make_shared<Rigid>(bodies), scheme, {}});
      parts.initial.push_back(rigid_state(places_));
    }
    if (!points_.empty()) {
      ParticleSystem masses;
      masses.gravity = gravity;
      GroupState state;
      const auto n = static_cast<Eigen::Index>(points_.size());
      masses.mass.resize(n);
      state.q.resize(3 * n);
      state.v.resize(3 * n);
      for (Eigen::Index i = 0; i < n; ++i) {
        const Mass& p = points_[static_cast<std::size_t>(i)];
        masses.mass[i] = p.mass;
        state.q.segment<3>(3 * i) = p.x;
        state.v.segment<3>(3 * i) = p.v;
      }
      parts.groups.push_back({"masses",
                              "particles",
                              std::make_shared<Particles>(masses),
                              of_points ? of_points : scheme,
                              {}});
      parts.initial.push_back(state);
    }
    parts.joints = joints;
    parts.couplings = couplings;
    parts.joint_laws = joint_laws;
    for (JointLaw& law : parts.joint_laws) law.key += pairs.size();
    parts.laws = laws;
    parts.pairs = pairs;
    parts.solver = find_solver("auto")->make();
    parts.options.h = h;
    parts.options.end = 1.0;
    parts.options.instant = instant;
    parts.options.on_failure = on_failure;
    parts.options.joints = level;
    parts.options.bilateral = bilateral;
    parts.options.joints_in_stages = in_stages;
    parts.options.pass_tolerance = pass_tolerance;
    return Model(std::move(parts));
  }

  RigidSystem system;  ///< loads may be added
  std::vector<Joint> joints;
  std::vector<JointCoupling> couplings;
  std::vector<JointLaw> joint_laws;
  std::vector<AnyLaw> laws;
  std::vector<ContactPair> pairs;
  ContactInstant instant = ContactInstant::middle;
  OnFailure on_failure = OnFailure::stop;

 private:
  static constexpr int kPoints = 1 << 20;
  struct Place {
    Vector3 x;
    Quaternion Q;
    Vector3 v, Omega;
  };
  struct Mass {
    double mass;
    Vector3 x, v;
  };
  int points_group() const { return places_.empty() ? 0 : 1; }
  JointSide side(int i, const Vector3& p, const Matrix3& axes) const {
    JointSide s;
    if (i >= kPoints) {
      s.group = points_group();
      s.ref = {0, i - kPoints, Vector3::Zero()};
      s.axes = axes;
    } else if (i >= 0) {
      const Place& of = places_[static_cast<std::size_t>(i)];
      s.group = 0;
      s.ref = {i, 0, of.Q.conjugate() * (p - of.x)};
      s.axes = of.Q.toRotationMatrix().transpose() * axes;
    } else {
      s.ref.local = p;
      s.axes = axes;
    }
    return s;
  }
  std::vector<Place> places_;
  std::vector<Mass> points_;
};

inline std::shared_ptr<const Scheme> rigid_scheme(const SchemeChoice& choice) {
  return make_scheme(choice);
}
inline Vector3 centre_of(const Simulation& sim, int body) {
  return sim.state().groups[0].q.segment<3>(7 * body);
}
inline Quaternion rotation_of(const Simulation& sim, int body) {
  const auto q = sim.state().groups[0].q.segment<4>(7 * body + 3);
  return {q[0], q[1], q[2], q[3]};
}

/// What a run showed of its joints.
struct JointRun {
  bool converged = true;
  std::string failure;       ///< of the step that failed
  double outstanding = 0.0;  ///< of that step
  int passes = 0;            ///< most in a step
  double gap = 0.0;          ///< largest |g| [m], [rad]
  double energy = 0.0;       ///< largest change from the start [J]
  double unexplained = 0.0;  ///< largest of a step [J]
};
/// `steps` steps; ends where a step fails.
inline JointRun run_joints(Simulation& sim, int steps) {
  JointRun run;
  const double start = sim.state().energy.total();
  for (int i = 0; i < steps; ++i) {
    const StepReport report = sim.advance();
    run.passes = std::max(run.passes, report.passes);
    run.gap = worse(run.gap, report.joint_gap);
    run.energy = worse(run.energy, std::abs(sim.state().energy.total() - start));
    run.unexplained = worse(run.unexplained, std::abs(report.unexplained));
    if (!report.converged || !report.finite) {
      run.converged = false;
      run.failure = std::string(report.failure);
      run.outstanding = report.outstanding;
      break;
    }
  }
  return run;
}

}  // namespace saltus::test
