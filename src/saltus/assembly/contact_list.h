// The contacts of one island in one step: pairs that the model names and contacts detected between
// shapes, with gaps and rows.
#pragma once
#include <array>
#include <vector>

#include "saltus/assembly/block_rows.h"
#include "saltus/assembly/contact_rows.h"
#include "saltus/assembly/coordinate_contacts.h"
#include "saltus/assembly/island.h"
#include "saltus/assembly/island_contacts.h"
#include "saltus/assembly/surface_finder.h"

namespace saltus {

class ContactList {
 public:
  using Member = IslandContacts::Member;

  /// joints: those of the island, for laws on their coordinates; they must outlive the list.
  /// margin: contacts between shapes are included up to this gap [m].
  ContactList(const Model& model, std::vector<int> groups, std::vector<int> pairs,
              JointSystem& joints, double margin);
  ContactList(const ContactList&) = delete;  // its parts hold references to each other
  ContactList& operator=(const ContactList&) = delete;

  std::vector<Member>& members() { return contacts_.members(); }
  const std::vector<Member>& members() const { return contacts_.members(); }
  std::size_t count() const { return contacts_.count(); }
  /// Number of leading contacts, which the model names.
  std::size_t named() const { return contacts_.named(); }
  const IslandContact& operator[](std::size_t i) const { return contacts_[i]; }
  const ContactLaw& law(std::size_t i) const { return model_.law(contacts_[i].law); }
  /// Every law that a contact of the island may have, as indices in the model.
  std::span<const int> laws() const { return laws_; }
  int rows() const { return contacts_.rows(); }
  /// Whether contacts between surfaces are detected.
  bool detects() const { return !surfaces_.empty(); }

  /// Contacts between shapes with a smaller gap than this count as closed [m]: bodies at rest on
  /// each other fall together in the prediction, and the round-off of their gap must not decide
  /// which of them is held.
  double slack() const { return 1e-6 * model_.surfaces().margin; }

  /// Detects the contacts between shapes at t, with the members at Member::q. The list then
  /// consists of the pairs of the model, followed by these contacts and those of find_beside(), all
  /// by increasing key. phi > 0: t is a fraction phi of the step of `trials`, over which contacts
  /// are followed: rows are then those in the middle of the step, with the members at
  /// Member::middle (SurfaceMotion).
  void detect(double t, std::span<const Trial> trials = {}, double phi = 0.0);
  bool follows() const { return contacts_.follows(); }
  /// A later stage of that step.
  void follow(std::span<const Trial> trials) {
    if (contacts_.follows()) contacts_.follow(trials);
  }
  /// Change of the normal rate of contact i while its bodies keep their velocities [m/s^2]; 0 if
  /// contacts are not followed.
  double carried(std::size_t i) const {
    return contacts_.follows() ? contacts_[i].direction[0].dot(contacts_.carried(i)) : 0.0;
  }

  // -- force laws between shapes
  //
  // A force acts over the whole step, not only after the contact instant, and its energy depends on
  // the gaps of the shapes. So the gaps at both ends of the step are those of the shapes there, and
  // a contact that is compressed at only one end counts as well.

  /// From now on gaps() measures such contacts between the shapes, as long as the shapes are in
  /// contact.
  void follow_forces() { follows_forces_ = force_surfaces_; }
  bool follows_forces() const { return follows_forces_; }
  /// No pair and no law between shapes is set-valued: the contact instant is that of forces.
  bool forces_alone() const { return forces_alone_; }
  /// Adds the contacts that are compressed at t, with member m at q_of(m), to the next detect().
  template <class Configuration>
  void find_beside(double t, Configuration&& q_of) {
    place(q_of);
    add_beside(t);
  }
  /// gap[i] = n . (x_a - x_b) + offset with member m at q_of(m).
  template <class Configuration>
  void gaps(double t, Configuration&& q_of, Vector& gap) {
    if (lean_) {
      place(q_of);
      block_rows_.gaps(t, at_, gap);
      return;
    }
    for (Member& m : members())
      if (!m.at.empty()) contacts_.dynamics(m).points(t, q_of(m), m.at, m.x);
    measure_gaps(gap);
    for (std::size_t i = contacts_.pairs(); i < named(); ++i)
      gap[static_cast<Eigen::Index>(i)] = coordinates_.gap(i, t, [&](int m) -> const Vector& {
        return q_of(members()[static_cast<std::size_t>(m)]);
      });
    if (!follows_forces_ || named() == count()) return;
    place(q_of);
    find_gaps(t, gap);
  }
  /// The least gap between shapes with member m at q_of(m), even above the margin
  /// (SurfaceFinder::least_gap()).
  template <class Configuration>
  double least_gap(double t, Configuration&& q_of) {
    place(q_of);
    return surfaces_.least_gap(t, at_);
  }
  /// Finds bodies that passed through another one in the step from the start of `trials` to the
  /// configuration of least_gap(); acted: see SurfacePassages::find().
  void find_passed(std::span<const Trial> trials, const SurfacePassages::ActedPairs& acted,
                   const std::function<void(const SurfacePassages::Passed&)>& use);
  /// The two bodies of contact i between surfaces.
  std::array<int, 2> bodies_of(std::size_t i) const {
    return surfaces_.bodies_of(contacts_[i].key);
  }
  /// Thickness of the thinner of the two [m], ignoring bodies without one; valid after
  /// find_passed().
  double size_of(std::size_t i) const { return surfaces_.size_of(contacts_[i].key); }
  /// A step begins with the joint angles and set-points stored in its start state.
  void begin(std::span<const Trial> trials) { coordinates_.begin(trials); }
  /// The given force of contact i, under an actuator, in the step [N], [N m].
  double effort(std::size_t i, double t0, double t1) const {
    return contacts_[i].actuated ? coordinates_.driven(contacts_[i]).effort(t0, t1) : 0.0;
  }
  /// Round-off of the coordinate of a law on a joint [m], [rad].
  double round_off(std::size_t i) const { return coordinates_.round_off(contacts_[i]); }
  /// d/dt of the rate of contact i that its actuator prescribes; 0 without one.
  double drift_rate(std::size_t i, double t) const {
    const IslandContact& c = contacts_[i];
    return c.actuated ? -coordinates_.law(c).sign * coordinates_.driven(c).velocity_rate(t) : 0.0;
  }
  /// Whether some law has an actuator.
  bool actuated() const { return coordinates_.actuated(); }
  /// Whether some law needs an angle itself.
  bool counts_angles() const { return coordinates_.counts_angles(); }
  /// H of all contacts with the members at Member::q and the axes of Member::axes, prescribed
  /// motion at t0 and t1, and rate = H v0 + d0. If lean(): only the normal rows of rate, and no H.
  void make_rows(std::span<const Trial> trials, Vector& rate);

  // -- many contacts between rigid bodies: rows are made only for contacts of the problem, and
  // products of them in parallel (BlockRows). The results have the same bits as those with H of all
  // contacts.

  /// From now on detect() decides by the number of contacts; for lists whose H is used only here.
  void allow_lean();
  bool lean() const { return lean_; }
  /// u += H w on the normal rows, with velocities w_of(m) of member m.
  template <class Velocities>
  void add_normal_rates(const Velocities& w_of, Vector& u) {
    place(w_of);
    block_rows_.add_normal_rates(at_, u);
  }
  /// u += H v in the rows of the list, with H of the last BlockRows::by_bodies() and velocities
  /// v_of(k) of member k.
  template <class Velocities>
  void add_rates(std::span<const int> admitted, const BodyRows& H, const Velocities& v_of,
                 Vector& u) {
    for (std::size_t m = 0; m < at_.size(); ++m) at_[m] = &v_of(m);
    block_rows_.add_rates(admitted, H, at_, u);
  }
  BlockRows& block_rows() { return block_rows_; }
  const BlockRows& block_rows() const { return block_rows_; }
  bool by_bodies(std::span<const Trial> trials, std::span<const int> admitted,
                 std::span<const int> sizes, BodyRows& H) {
    return block_rows_.by_bodies(trials, admitted, sizes, lean_, H);
  }

  /// ContactRows::add_drift(), mean_drift().
  void add_drift(Vector& u) const { rows_.add_drift(u); }
  double mean_drift(std::size_t i, int a) const { return rows_.mean_drift(i, a); }
  /// Describes contact i for viewers, without impulses and status. gap: of a law on a joint; that
  /// of other contacts is computed later.
  void see(std::size_t i, double gap, SeenContact& seen) const;

 private:
  /// at_[m] <- &x_of(member m)
  template <class Of>
  void place(const Of& x_of) {
    for (std::size_t m = 0; m < at_.size(); ++m) at_[m] = &x_of(members()[m]);
  }
  void number_rows();
  void find_surfaces(double t, std::span<const Trial> trials, double phi);
  void measure_gaps(Vector& gap) const;
  void find_gaps(double t, Vector& gap);
  void add_beside(double t);

  const Model& model_;
  IslandContacts contacts_;
  CoordinateContacts coordinates_;
  ContactRows rows_;
  BlockRows block_rows_;
  std::vector<int> laws_;
  bool may_be_lean_ = false, lean_ = false;
  bool force_surfaces_ = false;  ///< some law between shapes is a force
  bool forces_alone_ = false, follows_forces_ = false;
  SurfaceFinder surfaces_;
  std::vector<SurfaceFinder::Touch> beside_;   ///< from find_beside(), since the last detect()
  std::vector<const Vector*> at_;              ///< configuration of each member
  std::vector<const Vector*> start_, middle_;  ///< velocities at the start, Member::middle
};

}  // namespace saltus
