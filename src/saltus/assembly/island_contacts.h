// The contacts of an island and the points of its bodies that they use: first those that the model
// names, then those detected.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "saltus/assembly/surface_finder.h"
#include "saltus/contact/rows.h"
#include "saltus/state/contact_view.h"

namespace saltus {

/// One contact. Rows: normal, tangents, then the relative angular velocities: for rolling friction
/// about the tangents (in the plane: about its normal), for spinning friction about the normal.
/// Rows 0 .. tangents are velocities of a relative to b. Data of only a few contacts is stored
/// separately (IslandContacts::turning(), running(), CoordinateContacts): a heap has millions of
/// other contacts.
struct IslandContact {
  /// Side a or b: the group, as a member of the island, and the index of the point in it; member
  /// -1: a point of the world.
  struct Side {
    int member = -1, point = 0;
  };
  std::uint64_t key = 0;
  std::array<Vector3, 3> direction;  ///< normal, and tangents of length `scale`
  /// For direction-dependent friction, Friction::ratio; an impulse P on a tangent is scale P [N s].
  std::array<double, 2> scale{1.0, 1.0};
  double offset = 0.0;  ///< gap = n . (x_a - x_b) + offset [m]
  std::array<Side, 2> side;
  int law = 0, first_row = 0;
  /// Index in the model's joint laws: the row is that of a joint coordinate, and only `member` of
  /// its sides is used. -1: none.
  int joint_law = -1;
  /// Index in IslandContacts::turning(); for a law on a joint, in CoordinateContacts.
  int beside = -1;
  std::uint8_t tangents = 0;
  bool rolls = false, spins = false;
  bool lost_axis = false;  ///< the axis of its friction is along the normal
  bool counted = false;    ///< on a joint: the law needs the angle itself, as springs and stops do
  bool actuated = false;   ///< on a joint: the law has an actuator

  int rows() const { return 1 + (rolls ? 2 : 1) * tangents + (spins ? 1 : 0); }
  /// Unit tangent a, from 0; and the components along normal and unit tangents of an impulse or
  /// force on the rows.
  Vector3 tangent(int a) const {
    const auto k = static_cast<std::size_t>(a);
    return scale[k] == 1.0 ? direction[k + 1] : Vector3(direction[k + 1] / scale[k]);
  }
  Vector3 on_units(const Vector3& on_rows) const {
    return {on_rows[0], scale[0] * on_rows[1], scale[1] * on_rows[2]};
  }
  /// Index of the axis about which row a > tangents rotates.
  int axis_of(int a) const { return spins && a + 1 == rows() ? 2 : a - tangents - 1; }
};

class IslandContacts {
 public:
  /// For contacts that roll or spin: axes of rolling, the third one for spinning; indices of their
  /// sides in spin_at of the members.
  struct Turning {
    std::array<Vector3, 3> axis;
    std::array<int, 2> spin{};
  };
  /// Running surface of a side: index in Model::running(), -1: none; RunningSurface::along in
  /// space.
  struct Running {
    int runs = -1;
    Vector3 along = Vector3::Zero();
  };
  /// One group of the island: its points, in the order of the contacts that use them.
  struct Member {
    int group;
    std::vector<PointRef> at, spin_at;
    Vector q,
        axes;  ///< configuration at the contact instant, and the one whose axes carry impulses
    /// Configuration at which rows of a rigid body are made, if contacts are followed over the
    /// step; empty: that at the contact instant.
    Vector middle;
    Vector x, drift0, drift1, spin_drift0, spin_drift1;
    Vector w;  ///< work space, a velocity
    PointRows J, Js;
    GroupRows H;
    bool rigid = false;
    const Vector& arms() const { return rigid && middle.size() > 0 ? middle : q; }
  };

  /// groups: the members; pairs: indices in the model, the first contacts.
  IslandContacts(const Model& model, std::span<const int> groups, std::span<const int> pairs);

  const Model& model() const { return model_; }
  std::vector<Member>& members() { return members_; }
  const std::vector<Member>& members() const { return members_; }
  int member_of(int group) const;  ///< -1: not in the island
  const Dynamics& dynamics(const Member& m) const {
    return *model_.groups()[static_cast<std::size_t>(m.group)].dynamics;
  }
  /// False for the world and for bodies that only follow a prescribed motion.
  bool moves(const IslandContact::Side& side) const {
    return side.member >= 0 &&
           dynamics(members_[static_cast<std::size_t>(side.member)]).velocities() > 0;
  }
  std::size_t count() const { return contacts_.size(); }
  std::size_t pairs() const { return pairs_; }
  std::size_t named() const { return named_; }
  const IslandContact& operator[](std::size_t i) const { return contacts_[i]; }
  int rows() const { return rows_; }
  bool turns() const { return !turning_.empty(); }  ///< some contact rolls or spins
  const Turning& turning(const IslandContact& c) const {
    return turning_[static_cast<std::size_t>(c.beside)];
  }
  const Vector3& axis_of_row(const IslandContact& c, int a) const {
    return turning(c).axis[static_cast<std::size_t>(c.axis_of(a))];
  }
  const Running& running(std::size_t i, std::size_t side) const { return running_[i][side]; }
  /// A point of the world, of a side without a member [m].
  const Vector3& place(const IslandContact::Side& side) const {
    return places_[static_cast<std::size_t>(side.point)];
  }

  /// Rates that the rows of contact i have at the start and the end of the step because its point
  /// moves along the surfaces and its normal turns, in space [m/s]: -g h a and (1 - g) h a, with
  /// the gain g and a of SurfaceMotion, (1). follow() computes them for the step of `trials`, for
  /// pairs from the rotation of their bodies at Member::q. A later stage of a step has g = 1/2:
  /// its impulses do not move the contact.
  void follow(std::span<const Trial> trials);
  bool follows() const { return !ends_.empty(); }
  const Vector3& end_rate(std::size_t i, bool at_end) const { return ends_[i][at_end ? 1 : 0]; }
  const Vector3& carried(std::size_t i) const { return carried_[i]; }

  /// After the pairs: adds a law on a joint coordinate. Call end_named() after the last one.
  void add_named(const IslandContact& contact) { contacts_.push_back(contact); }
  void end_named();
  /// Removes the detected contacts.
  void clear_detected();
  /// Adds contacts between shapes; multithreaded. finder: the `count` contacts of its last find().
  void add_detected(const SurfaceFinder& finder, std::size_t count);
  void add_detected(std::span<const SurfaceFinder::Touch> touches);
  /// Call it after contacts were added: sets IslandContact::first_row, and sizes the vectors of
  /// members. points, drifts: whether Member::x, and drifts of members with velocities, are used.
  void number_rows(bool points, bool drifts);
  /// Describes contact i for viewers, without impulses and status.
  void see(std::size_t i, SeenContact& seen) const;

 private:
  template <class HeadingOf, class TouchOf>
  void take(std::size_t count, const HeadingOf& heading_of, const TouchOf& touch_of);
  void fill(std::size_t i, const SurfaceFinder::Touch& found);
  Vector3 carried_pair(const IslandContact& c, std::span<const Trial> trials) const;

  const Model& model_;
  std::vector<Member> members_;
  std::vector<IslandContact> contacts_;
  std::vector<Vector3> places_;  ///< points of the world [m]
  std::vector<Turning> turning_;
  std::vector<std::array<Running, 2>> running_;  ///< of each contact; empty: no surface runs
  std::vector<Vector3> carried_;                 ///< a of each contact [m/s^2]
  std::vector<std::array<Vector3, 2>> ends_;     ///< empty: contacts are not followed
  std::size_t named_places_ = 0;       ///< number of points of the world in named contacts
  std::size_t pairs_ = 0, named_ = 0;  ///< contacts that the model names: pairs, then joint laws
  std::vector<std::size_t> named_points_, next_point_;  ///< one per member
  int rows_ = 0;
};

}  // namespace saltus
