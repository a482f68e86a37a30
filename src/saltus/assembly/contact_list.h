// The contacts of one island in one step: pairs that the model names and those found between shapes, with gaps and rows.
#pragma once
#include <array>
#include <cmath>
#include <numbers>
#include <string_view>
#include <vector>

#include "saltus/assembly/island.h"
#include "saltus/assembly/surface_finder.h"
#include "saltus/contact/body_delassus.h"
#include "saltus/contact/joint_system.h"
#include "saltus/contact/rows.h"
#include "saltus/state/contact_view.h"

namespace saltus {

/// One contact. Rows: normal, tangents, then the relative angular velocities: for rolling friction about the tangents (in
/// the plane: about its normal), for spinning friction about the normal. Row 0 .. tangents are velocities of a against b.
/// What few contacts have is kept beside (ContactList::turning(), running(), on_joint()): a heap has millions of others.
struct IslandContact {
  /// Of a or b: the group as a member of the island and the point's number in it; member -1: a place of the world.
  struct Side {
    int member = -1, point = 0;
  };
  std::uint64_t key = 0;
  std::array<Vector3, 3> direction;  ///< normal, and tangents `scale` long
  /// Of friction that depends on its direction, Friction::ratio; an impulse P on a tangent is scale P in N s.
  std::array<double, 2> scale{1.0, 1.0};
  double offset = 0.0;  ///< gap = n . (x_a - x_b) + offset [m]
  std::array<Side, 2> side;
  int law = 0, first_row = 0;
  /// Of the model's: the row is that of a coordinate of a joint, and only `member` of its sides counts. -1: none.
  int joint_law = -1;
  int beside = -1;  ///< place in ContactList::turning(), of law on a joint in on_joint()
  std::uint8_t tangents = 0;
  bool rolls = false, spins = false;
  bool lost_axis = false;  ///< the axis of its friction stands along the normal
  bool counted = false;    ///< on a joint: the law needs the angle itself, as springs and stops do

  int rows() const { return 1 + (rolls ? 2 : 1) * tangents + (spins ? 1 : 0); }
  /// Unit tangent a, from 0, and what an impulse or force on the rows is along normal and unit tangents.
  Vector3 tangent(int a) const {
    const auto k = static_cast<std::size_t>(a);
    return scale[k] == 1.0 ? direction[k + 1] : Vector3(direction[k + 1] / scale[k]);
  }
  Vector3 on_units(const Vector3& on_rows) const {
    return {on_rows[0], scale[0] * on_rows[1], scale[1] * on_rows[2]};
  }
  /// Which axis row a > tangents turns about.
  int axis_of(int a) const { return spins && a + 1 == rows() ? 2 : a - tangents - 1; }
};

/// Why a spring or a stop lost its angle, in StepReport::failure.
inline constexpr std::string_view kHalfTurn = "passed half a turn",
                                  kFastTurn = "turned by more than half a turn in one step";

/// About which angle the law counts that of its coordinate: half a turn to both sides [rad].
double counted_about(const Model& model, const JointLaw& law);

class ContactList {
 public:
  /// Of contacts that roll or spin: axes of rolling, the third that of spinning; the numbers of their sides among the
  /// spin_at of the members.
  struct Turning {
    std::array<Vector3, 3> axis;
    std::array<int, 2> spin{};
  };
  /// How the surface of a side runs: index into Model::running(), -1: it rests; RunningSurface::along in space.
  struct Running {
    int runs = -1;
    Vector3 along = Vector3::Zero();
  };
  /// Of a law on a coordinate of a joint.
  struct OnJoint {
    std::array<double, 2> drift{};  ///< of its row by itself at t0 and t1
    bool turns = false;             ///< the coordinate is an angle, known but for turns:
    double centre = 0.0,
           start = 0.0;  ///< where it is looked for, and at the start of the step [rad]
    bool lost = false;   ///< at the start of the run the angle was not where it is looked for
  };
  /// One group of the island: its points, in order of the contacts that use them.
  struct Member {
    int group;
    std::vector<PointRef> at, spin_at;
    Vector q,
        axes;  ///< configuration at the contact instant, and the one whose axes carry impulses
    Vector x, drift0, drift1, spin_drift0, spin_drift1;
    Vector w;  ///< scratch, a velocity
    PointRows J, Js;
    GroupRows H;
  };

  /// joints: of the island, for the laws on their coordinates; used as long as the list is.
  /// margin: contacts between shapes are known from this gap on [m].
  ContactList(const Model& model, std::vector<int> groups, std::vector<int> pairs,
              JointSystem& joints, double margin);
  ~ContactList();

  std::vector<Member>& members() { return members_; }
  const std::vector<Member>& members() const { return members_; }
  std::size_t count() const { return contacts_.size(); }
  std::size_t named() const { return fixed_; }  ///< the first ones, which the model names
  const IslandContact& operator[](std::size_t i) const { return contacts_[i]; }
  const ContactLaw& law(std::size_t i) const { return model_.law(contacts_[i].law); }
  /// Every law that a contact of the island may have, by index of the model's.
  std::span<const int> laws() const { return laws_; }
  int rows() const { return rows_; }
  /// True when contacts are looked for between surfaces.
  bool detects() const { return !surfaces_.empty(); }

  /// Contacts between shapes that are open by less count as closed [m]: bodies at rest on each other fall together in the
  /// prediction, and the round-off of their gap must not decide which of them is held.
  double slack() const { return 1e-6 * model_.surfaces().margin; }

  /// Finds the contacts between shapes at t, with the members at Member::q. The list then holds the pairs of the model,
  /// then those and what find_beside() found, all by increasing key.
  void detect(double t);

  // -- laws between shapes that are forces
  //
  // A force acts over the whole step, not from the contact instant on, and its energy is that of the gaps of the shapes:
  // gaps at its ends are those of the shapes there, and a contact that is pressed at one of them alone counts.

  /// From now on gaps() of such contacts are found anew between the shapes, where these show the contact.
  void follow_forces() { follows_forces_ = force_surfaces_; }
  bool follows_forces() const { return follows_forces_; }
  /// No pair and no law between shapes is set-valued: the contact instant is the instant of forces.
  bool forces_alone() const { return forces_alone_; }
  /// Adds those that are pressed at t with member m at q_of(m) to the next detect().
  template <class Configuration>
  void find_beside(double t, Configuration&& q_of) {
    for (std::size_t m = 0; m < members_.size(); ++m) at_[m] = &q_of(members_[m]);
    add_beside(t);
  }
  /// gap[i] = n . (x_a - x_b) + offset with member m at q_of(m).
  template <class Configuration>
  void gaps(double t, Configuration&& q_of, Vector& gap) {
    if (lean_) {
      for (std::size_t m = 0; m < members_.size(); ++m) at_[m] = &q_of(members_[m]);
      measure_lean_gaps(t, gap);
      return;
    }
    for (Member& m : members_)
      if (!m.at.empty()) dynamics(m).points(t, q_of(m), m.at, m.x);
    measure_gaps(gap);
    for (std::size_t i = pairs_; i < fixed_; ++i)
      gap[static_cast<Eigen::Index>(i)] = coordinate_gap(i, t, [&](int m) -> const Vector& {
        return q_of(members_[static_cast<std::size_t>(m)]);
      });
    if (!follows_forces_ || fixed_ == contacts_.size()) return;
    for (std::size_t m = 0; m < members_.size(); ++m) at_[m] = &q_of(members_[m]);
    find_gaps(t, gap);
  }
  /// The least gap between shapes with member m at q_of(m), also above the margin (SurfaceFinder::least_gap()).
  template <class Configuration>
  double least_gap(double t, Configuration&& q_of) {
    for (std::size_t m = 0; m < members_.size(); ++m) at_[m] = &q_of(members_[m]);
    return surfaces_.least_gap(t, at_);
  }
  /// What passed through another in the step from member m at q_of(m), t to where least_gap() was; acted: see
  /// SurfacePassages::find().
  template <class Configuration>
  void find_passed(double t, Configuration&& q_of, const SurfacePassages::ActedPairs& acted,
                   const std::function<void(const SurfacePassages::Passed&)>& use) {
    for (std::size_t m = 0; m < members_.size(); ++m) at_[m] = &q_of(members_[m]);
    surfaces_.find_passed(t, at_, acted, use);
  }
  /// The two bodies of contact i between surfaces.
  std::array<int, 2> bodies_of(std::size_t i) const {
    return surfaces_.bodies_of(contacts_[i].key);
  }
  /// Thickness of the thinner of the two [m], of those that have one; good after find_passed().
  double size_of(std::size_t i) const { return surfaces_.size_of(contacts_[i].key); }
  /// A step begins: angles are followed from where they are, not taken back into one turn.
  void begin(std::span<const Trial> trials);
  /// Some law needs an angle itself, which is known within half a turn from `centre` alone.
  bool counts_angles() const { return counts_angles_; }
  /// The first such law, of the model's joint laws, whose angle is beyond that where gap_of(i) is the gap of contact i at the
  /// end of the step: the next step would take it back by a turn. -1: none.
  template <class Gap>
  int lost_angle(Gap&& gap_of) const {
    if (!counts_angles_) return -1;
    for (std::size_t i = pairs_; i < fixed_; ++i) {
      const IslandContact& c = contacts_[i];
      if (!c.counted) continue;
      const JointLaw& law = law_of_joint(c);
      const OnJoint& on = on_joint(c);
      const double angle = law.sign * gap_of(i) + law.offset;
      if (on.lost || std::abs(angle - on.centre) > std::numbers::pi) return c.joint_law;
    }
    return -1;
  }
  int lost_angle(double t, const JointSystem::Configuration& q) {
    return lost_angle([&](std::size_t i) { return coordinate_gap(i, t, q); });
  }
  /// H of all contacts with the members at Member::q and the axes of Member::axes, prescribed motion at t0 and t1, and
  /// rate = H v0 + d0. Where lean() the normal rows of rate alone, and no H.
  void make_rows(std::span<const Trial> trials, Vector& rate);

  // -- many contacts between rigid bodies: rows are made for those of the problem alone, and products of them in parallel.
  // Bits are those of H of all contacts.

  /// From now on detect() looks whether there are so many; for lists whose H nobody but these asks for.
  void allow_lean();
  bool lean() const { return lean_; }
  /// u += H w on the normal rows, with velocities w_of(m) of member m.
  template <class Velocities>
  void add_normal_rates(const Velocities& w_of, Vector& u) {
    for (std::size_t m = 0; m < members_.size(); ++m) at_[m] = &w_of(members_[m]);
    add_normal_rates(u);
  }
  /// The other rows of rate, of contacts that are admitted; with H of the last by_bodies(), and without.
  void make_tangent_rates(std::span<const Trial> trials, std::span<const int> admitted,
                          const BodyRows& H, Vector& rate);
  void make_tangent_rates(std::span<const Trial> trials, std::span<const int> admitted,
                          Vector& rate);
  /// Member::H, of contacts that are admitted.
  void make_rows_of(std::span<const int> admitted);
  /// u += H v in the rows of the list, H that of the last by_bodies(), with velocities v_of(k) of member k.
  template <class Velocities>
  void add_rates(std::span<const int> admitted, const BodyRows& H, const Velocities& v_of,
                 Vector& u) {
    for (std::size_t m = 0; m < members_.size(); ++m) at_[m] = &v_of(m);
    add_rates(admitted, H, u);
  }
  /// r += H^T p for one member, p in the rows of the list.
  void add_impulses(std::span<const int> admitted, const BodyDelassus& W, const Vector& p,
                    int member, Out r) const;
  /// u += d1: velocity of the points by themselves at the end of the step.
  void add_drift(Vector& u) const;
  /// Velocity of row a of contact i that the points make by themselves, mean of the ends of the step.
  double mean_drift(std::size_t i, int a) const;
  /// H by bodies on the contacts `admitted`, rows of laws as large as `sizes` say; A_b^-1 of groups of rigid bodies.
  /// False where a group has another form of A, or one that is not symmetric.
  bool by_bodies(std::span<const Trial> trials, std::span<const int> admitted,
                 std::span<const int> sizes, BodyRows& H) const;
  /// Contact i as viewers want it, without impulses and status. gap: of a law on a joint; that of others is found later.
  void see(std::size_t i, double gap, SeenContact& seen) const;
  /// Number of the first body of a member in the rows of the last by_bodies().
  int first_body(int member) const { return first_body_[static_cast<std::size_t>(member)]; }

 private:
  const Dynamics& dynamics(const Member& m) const {
    return *model_.groups()[static_cast<std::size_t>(m.group)].dynamics;
  }
  template <class Use>
  void for_coordinate(const IslandContact& c, const Use& use) const;
  void measure_gaps(Vector& gap) const;
  void measure_lean_gaps(double t, Vector& gap) const;
  template <class Which, class Use>
  void with_rows(std::size_t begin, std::size_t end, const Which& which, const Use& use) const;
  double rate_of(const IslandContact& c, int a, const std::array<const double*, 2>& J,
                 const std::array<const double*, 2>& v) const;
  double rate_of(const IslandContact& c, int a, const BodyRows& H, std::size_t k,
                 const std::array<const double*, 2>& v) const;
  double prescribed_rate(const IslandContact& c, int a, bool at_end) const;
  std::array<const double*, 2> body_velocities(const IslandContact& c) const;
  void make_normal_rates(std::span<const Trial> trials, Vector& rate);
  void add_normal_rates(Vector& u) const;
  void add_rates(std::span<const int> admitted, const BodyRows& H, Vector& u) const;
  void fill_rows(std::span<const int> admitted, std::span<const int> sizes, BodyRows& H) const;
  double surface_rate(std::size_t i, int a, double t) const;
  void find_gaps(double t, Vector& gap);
  void add_beside(double t);
  template <class HeadingOf, class TouchOf>
  void take(std::size_t count, const HeadingOf& heading_of, const TouchOf& touch_of);
  void fill(std::size_t i, const SurfaceFinder::Touch& found);
  const OnJoint& on_joint(const IslandContact& c) const {
    return on_joint_[static_cast<std::size_t>(c.beside)];
  }
  const Turning& turning(const IslandContact& c) const {
    return turning_[static_cast<std::size_t>(c.beside)];
  }
  const Vector3& axis_of_row(const IslandContact& c, int a) const {
    return turning(c).axis[static_cast<std::size_t>(c.axis_of(a))];
  }
  double coordinate_gap(std::size_t i, double t, const JointSystem::Configuration& q) {
    const IslandContact& c = contacts_[i];
    const JointLaw& law = law_of_joint(c);
    const OnJoint& on = on_joint(c);
    const double x = joints_.coordinate(t, q, law.joint, law.coordinate);
    return law.sign * ((on.turns ? nearest_turn(x, on.start) : x) - law.offset);
  }
  const JointLaw& law_of_joint(const IslandContact& c) const {
    return model_.joint_laws()[static_cast<std::size_t>(c.joint_law)];
  }
  void number_rows();
  void sort_by_members();

  const Model& model_;
  JointSystem& joints_;
  std::vector<Member> members_;
  std::vector<int> laws_;
  std::vector<IslandContact> contacts_;
  std::vector<Vector3> places_;  ///< of the world [m]
  std::vector<Turning> turning_;
  std::vector<OnJoint> on_joint_;
  std::vector<std::array<Running, 2>> running_;  ///< of each contact; empty: all rest
  std::size_t fixed_places_ = 0;                 ///< of those that the model names
  std::size_t pairs_ = 0, fixed_ = 0;  ///< contacts that the model names: pairs, then joint laws
  std::vector<int> touched_begin_, touched_;            ///< contacts of each member
  std::vector<std::size_t> fixed_points_, next_point_;  ///< of each member
  int rows_ = 0;
  bool may_be_lean_ = false, lean_ = false;
  bool counts_angles_ = false;
  bool drifts_ =
      false;  ///< some point, body or surface of the rows moves by itself at the end of the step
  bool runs_ = false;            ///< some surface runs
  double t0_ = 0.0, t1_ = 0.0;   ///< ends of the step of make_rows() [s]
  bool force_surfaces_ = false;  ///< some law between shapes is a force
  bool forces_alone_ = false, follows_forces_ = false;
  SurfaceFinder surfaces_;
  std::vector<SurfaceFinder::Touch> beside_;  ///< of find_beside(), since the last detect()
  std::vector<const Vector*> at_;             ///< configuration of each member
  mutable std::vector<int> first_body_;  // of each member with velocities; one simulation owns it
};

}  // namespace saltus
