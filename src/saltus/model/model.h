// Spec (what the user wrote) -> Model (checked, immutable) -> State (what moves).
//
//     Model model = build(read_scene("arch.yaml"));   // throws SceneError naming the faulty entry
//     Simulation sim(model);                          // owns a State; copies are independent
//     while (sim.state().t < 2.0) sim.advance();
//         // returns a StepReport, never throws for physics
//
// Threads: a Model does not change after build. Any number of simulations of one Model, or of its
// copies, may be created, stepped and read at the same time, each in one thread at a time; the
// results of each are bitwise those of a separate run. User-defined bodies, schemes and solvers in
// a Model must support this: const operations that store nothing (docs/decisions/0035).
#pragma once
#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "saltus/bodies/signal.h"
#include "saltus/contact/contact_solver.h"
#include "saltus/contact/joint_system.h"
#include "saltus/contact/laws/contact_law.h"
#include "saltus/detection/detector.h"
#include "saltus/dynamics/boundary_surface.h"
#include "saltus/dynamics/dynamics.h"
#include "saltus/dynamics/scheme.h"
#include "saltus/model/actuator.h"
#include "saltus/spec/choices.h"

namespace saltus {

/// Bodies of one kind moved by one scheme; the unit of storage, dispatch and parallel work.
struct Group {
  std::string name;  ///< of the body as the user wrote it; of the first if there are several
  std::string kind;  ///< registry name
  std::shared_ptr<const Dynamics> dynamics;
  std::shared_ptr<const Scheme> scheme;
  /// Names of the bodies of a group with several; empty: one body.
  std::vector<std::string> bodies = {};
  std::vector<int> colours = {};  ///< 0xrrggbb of each body, -1: none; empty: none for all
};

/// Whether a run may apply forces to its bodies: rigid bodies and particles that can move.
bool takes_forces(const Group& group);

/// A point that may be in contact: `group` -1 is the fixed world, where ref.local is its position.
struct ContactSide {
  int group = -1;
  PointRef ref;
};

/// A surface whose material runs while the surface stays in place, such as that of a belt or a
/// track: velocity = along value(t) [m/s]. At a contact, only the part perpendicular to the normal
/// counts.
struct RunningSurface {
  Vector3 along = Vector3::Zero();  ///< in the axes of its frame
  Signal value;
};

/// A pair of points that may be in contact along a fixed normal, which points from b to a:
/// gap = n . (x_a - x_b) - distance [m]. Its rows are the velocity of a relative to b along the
/// normal and, with friction, along one or two tangents.
struct ContactPair {
  /// Increasing in Model::pairs(); results depend on it, never on addresses.
  std::uint64_t key = 0;
  ContactSide a, b;
  Vector3 normal = Vector3::UnitZ();
  int law = 0;  ///< index into Model::laws()
  /// Unit directions of friction, perpendicular to the normal and to each other.
  std::array<Vector3, 2> tangent{Vector3::Zero(), Vector3::Zero()};
  int tangents = 0;       ///< number of tangents: 0 without friction, 1 in plane motion
  double distance = 0.0;  ///< of the points along the normal when the gap is 0 [m]
  int runs = -1;          ///< surface of b, in space: index into ModelParts::running; -1: none

  int rows() const { return 1 + tangents; }
  /// Direction of row 0 (normal), 1 or 2.
  const Vector3& direction(int row) const {
    return row == 0 ? normal : tangent[static_cast<std::size_t>(row - 1)];
  }
};

/// Shapes, whose contacts are found by collision detection.
struct Surfaces {
  /// A body with shapes.
  struct Frame {
    int group = 0, body = 0;
    std::string name;  ///< as the user wrote it
  };
  /// A body whose surface deforms.
  struct DeformingBoundary {
    int group = 0;
    std::string name;  ///< of the body, as the user wrote it
    BoundarySurface boundary;
    int material = 0;
    bool self = false;  ///< self-contact is possible
  };
  std::vector<Frame> frames;
  std::vector<DeformingBoundary> boundaries;
  std::vector<Collider> colliders;  ///< Collider::frame: index of `frames`, below 0: fixed world
  /// For each collider: index into ModelParts::running, -1: none; empty: none for all.
  std::vector<int> runs;
  std::vector<std::string> fixed_names;  ///< of the bodies in frames -1, -2, ...; may be empty
  std::vector<Matrix3> fixed_turn;       ///< their rotations; empty: none
  std::vector<int> fixed_colours;        ///< as Group::colours; empty: none
  /// Pairs of frames without contact; boundary surfaces are numbered after the frames.
  std::vector<std::array<int, 2>> excluded;
  int materials = 1;
  /// Index of the law of material a against b at a * materials + b; -1: no contact.
  std::vector<int> law;
  /// For each law whose friction depends on the direction: the material to whose bodies its axis is
  /// fixed; -1 for other laws. May be shorter than the list of laws: missing entries are -1.
  std::vector<int> axis_material;
  double margin = 0.0;  ///< contacts are detected up to this gap [m]
  /// The same in event-driven integration, unless `margin` is larger [m].
  double event_margin = 0.0;
  /// Event-driven integration detects contacts up to this gap [m]: nothing may cross it between two
  /// instants of detection.
  double margin_of_events() const { return std::max(margin, event_margin); }
  /// Unit normal of the plane in which all bodies move: friction then has one tangent; zero: motion
  /// in space.
  Vector3 plane = Vector3::Zero();
};

/// A law on one coordinate of a joint: a limit, a motor, friction, a spring. gap = sign (c -
/// offset), with its rate. Under an actuator the gap is relative to its target, and the rate to its
/// velocity.
struct JointLaw {
  std::uint64_t key = 0;  ///< increasing, following those of the pairs
  std::string name;       ///< "elbow.motor"
  int joint = 0, coordinate = 0;
  double sign = 1.0, offset = 0.0;  ///< offset [rad], [m]
  int law = 0;                      ///< index into Model::laws(), one without friction
  int actuator = -1;                ///< index into Model::actuators(); -1: none
};

/// A joint angle and where states store it: entry `slot` of GroupState::angles of `group`, which is
/// the group of side b, or of side a if b is the world.
struct JointAngle {
  int joint = 0, coordinate = 0;
  int group = 0, slot = 0;
};

/// Returns the turn angle + 2 pi n (n an integer) between the stops of a coordinate that is nearest
/// to `angle`; `angle` itself if there is none [rad].
double angle_between_stops(std::span<const JointLaw> joint_laws, std::span<const AnyLaw> laws,
                           int joint, int coordinate, double angle);

/// A side of contacts: body `body` of a group, or of the fixed world (-1) a body of
/// Surfaces::fixed_names, -1: all of the world.
struct ContactBody {
  int group = -1, body = -1;
  bool operator==(const ContactBody&) const = default;
};

/// A recorded quantity: displacement or velocity of one point along one direction, or the force
/// that holds a prescribed degree of freedom.
struct Probe {
  /// joint, joint_rate: coordinate `coordinate` of joint `joint` and its rate. joint_force,
  /// joint_torque: of the joint on its b. contact_force: of contacts on a body. Forces are means
  /// over a step; the component along `direction`, or the magnitude if that is zero.
  /// joint_effort, joint_power: of the actuators of a coordinate. place: n . x. angular_velocity:
  /// of a rigid body. acceleration: of a point, mean over a step. energy, kinetic_energy: of body
  /// point.body, below 0: of the group. stress, strain: `field`. support: the force that holds or
  /// moves a body without freedom against its contacts and joints.
  enum class Quantity {
    displacement,
    velocity,
    reaction,
    joint,
    joint_rate,
    joint_force,
    joint_torque,
    contact_force,
    joint_effort,
    joint_power,
    place,
    angular_velocity,
    acceleration,
    energy,
    kinetic_energy,
    stress,
    strain,
    support
  };
  std::string name;
  int joint = 0, coordinate = 0;
  int group = 0;
  std::shared_ptr<const PointTable> table;  ///< one row, or null: `point` along `direction`
  PointRef point;
  Vector3 direction = Vector3::UnitZ();  ///< unit
  double rest = 0.0;                     ///< position of the point along it at the start [m]
  Quantity quantity = Quantity::velocity;
  ContactBody body{}, from{};  ///< of a contact_force
  bool from_any = true;        ///< of a contact_force: `from` is not used
  /// A joint on the body of a support; sign: 1 if that is the second body of the joint, else -1.
  struct Held {
    int joint = 0;
    double sign = 1.0;
  };
  std::vector<Held> held{};
  /// Value at t, q and physical velocity v of the group.
  std::function<double(double t, View q, View v)> field{};
  int reaction = 0;      ///< index in Simulation::reactions(); with `table`: weights of all
  std::string wav, csv;  ///< file names, empty: none
  double gain = 0.0;     ///< fixed WAV gain [s/m or 1/m], 0: peak at -1 dBFS
};

/// The quantity is a mean over the last step and no function of the state.
constexpr bool is_mean(Probe::Quantity quantity) {
  using enum Probe::Quantity;
  return quantity == reaction || quantity == joint_force || quantity == joint_torque ||
         quantity == contact_force || quantity == joint_effort || quantity == joint_power ||
         quantity == acceleration || quantity == support;
}
/// It belongs to a coordinate of a joint.
constexpr bool on_coordinate(Probe::Quantity quantity) {
  using enum Probe::Quantity;
  return quantity == joint || quantity == joint_rate || quantity == joint_effort ||
         quantity == joint_power;
}

/// Name and unit of the quantity of a probe: "velocity", "m/s".
std::string_view name_of(Probe::Quantity quantity);
std::string_view unit_of(Probe::Quantity quantity);
/// Coordinates of joints are in rad or m.
std::string_view unit_of(const Probe& probe, std::span<const Joint> joints);

struct StepOptions {
  double h = 0.0;    ///< [s]
  double end = 0.0;  ///< [s]
  ContactInstant instant = ContactInstant::end;
  OnFailure on_failure = OnFailure::stop;
  Limits contact;               ///< tolerance and iterations of the contact solver
  bool heap = false;            ///< bodies form a heap: the default tolerance is that of heaps
  bool soft = false;            ///< a heap or wall of deformable bodies
  double pass_tolerance = 0.0;  ///< 0: the smallest that a scheme of the model requires
  /// Compute the energy balance of every step; otherwise energies and work keep their initial
  /// values.
  bool ledger = true;
  /// After each step the remaining penetration of shapes is removed by a motion that does not enter
  /// the velocities; its work is booked as projection.
  bool correct_positions = false;
  /// Joints act as forces in the stages of explicit schemes, which preserves their order; the
  /// impulses of the step then remove only the error of the scheme.
  bool joints_in_stages = false;
  int pass_limit = 0;  ///< 0: the largest that a scheme of the model requires
  JointLevel joints = JointLevel::position;
  Bilateral bilateral = Bilateral::mid_zero;
  TimeMode mode = TimeMode::stepping;
  EventOptions events{};
  /// > 0: an interval h is covered with steps whose estimated error stays below this fraction of
  /// the motion [1] (time_stepping/step_control.h); 0: one step.
  double step_tolerance = 0.0;
  bool controlled() const { return step_tolerance > 0.0 && mode == TimeMode::stepping; }
};

/// The parts from which a Model is built, for programs that do not start from a scene file.
struct ModelParts {
  std::vector<Group> groups;
  std::vector<GroupState> initial;  ///< physical q and v at t = 0, one per group
  std::vector<ContactPair> pairs;
  std::vector<AnyLaw> laws;
  Surfaces surfaces;
  std::vector<RunningSurface> running;
  std::vector<Joint> joints;
  std::vector<JointCoupling> couplings;
  std::vector<JointLaw> joint_laws;
  std::vector<Actuator> actuators;
  std::vector<Probe> probes;
  std::shared_ptr<const ContactSolver> solver;
  StepOptions options;
  std::vector<std::string> warnings;
  std::vector<std::string> group_path;  ///< of each group in the scene, "bodies[0]", for messages
  std::vector<std::string> law_path;    ///< of each law in the scene, "contacts[0].law"
  std::vector<std::string> joint_path;  ///< of each joint in the scene, "joints[0]"
};

class Model {
 public:
  /// Checks that the parts fit together: traits, levels and gains, stages of an island, solver and
  /// laws. Throws SceneError that names the entry.
  explicit Model(ModelParts parts);

  /// A copy of the parts it was built from, to build a model that differs in some of them.
  ModelParts parts() const { return *parts_; }
  /// The same model with or without the energy balance of every step (StepOptions::ledger).
  Model with_ledger(bool ledger) const;

  /// The same model whose groups also obey the forces in `lists` if takes_forces(), one per group
  /// (AppliedForces); the account "load" then exists. Not for joints inside stages.
  Model with_applied_forces(
      const std::vector<std::shared_ptr<const std::vector<AppliedForce>>>& lists) const;
  Model without_applied_forces() const;

  std::span<const Group> groups() const { return parts_->groups; }
  std::span<const GroupState> initial() const { return parts_->initial; }
  std::span<const ContactPair> pairs() const { return parts_->pairs; }
  std::span<const AnyLaw> laws() const { return parts_->laws; }
  const ContactLaw& law(int i) const { return *parts_->laws[static_cast<std::size_t>(i)]; }
  const Surfaces& surfaces() const { return parts_->surfaces; }
  std::span<const RunningSurface> running() const { return parts_->running; }
  std::span<const Joint> joints() const { return parts_->joints; }
  std::span<const JointCoupling> couplings() const { return parts_->couplings; }
  std::span<const JointLaw> joint_laws() const { return parts_->joint_laws; }
  std::span<const Actuator> actuators() const { return parts_->actuators; }
  std::span<const ActuatorPlace> actuator_places() const { return actuator_places_; }
  /// Size of GroupState::set_points of each group in which a run has set some.
  std::vector<std::size_t> set_point_counts() const;
  /// Joint coordinates that are angles, by joint, then by coordinate.
  std::span<const JointAngle> angles() const { return angles_; }
  /// The angle of a coordinate; null if the coordinate is a length.
  const JointAngle* angle_of(int joint, int coordinate) const;
  std::span<const Probe> probes() const { return parts_->probes; }
  /// The solver of the parts, with every solution checked by a certificate (contact/certificate.h).
  const ContactSolver& solver() const { return *solver_; }
  const StepOptions& options() const { return parts_->options; }
  /// Breaks of all groups, couplings and running surfaces; each list is increasing.
  Breaks breaks() const;

  /// Names of State::ledger: the sources without potential, damping (of joints too), then
  /// prescribed, joints, projection (with schemes of several stages), friction (with laws that have
  /// it), actuators (with motors, servos and given torques or forces on joints), impact, scheme,
  /// unexplained.
  std::span<const std::string> accounts() const { return accounts_; }
  /// Island of each group: groups that can be in contact belong to one contact problem.
  std::span<const int> islands() const { return islands_; }
  int island_count() const { return island_count_; }
  /// Warnings about valid but doubtful input, one line each; printed by `run` and `check`.
  std::span<const std::string> warnings() const { return warnings_; }

 private:
  void check_joints() const;
  void number_angles();
  void number_actuators();
  void put_joints_in_stages();
  std::shared_ptr<const ModelParts> parts_;
  std::shared_ptr<const ContactSolver> solver_;
  std::vector<std::string> accounts_, warnings_;
  std::vector<JointAngle> angles_;
  std::vector<ActuatorPlace> actuator_places_;
  std::vector<int> islands_;
  int island_count_ = 0;
};

}  // namespace saltus
