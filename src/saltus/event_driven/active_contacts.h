// The contacts that are active at one instant, and their equations:
//
//     u = H v + d,     W = H X,     X = M^-1 H^T
//
// with joints eliminated: X and a do not include the parts that joints remove. find() evaluates
// these quantities at the present state; impulses then change v and u in this object, and nothing
// else.
#pragma once
#include <vector>

#include "saltus/event_driven/constrained_motion.h"
#include "saltus/event_driven/instant.h"

namespace saltus {

/// Occupies rows first .. first + rows - 1 of H.
struct ActiveContact {
  std::uint64_t key = 0;
  std::size_t index = 0;  ///< in ConstrainedMotion::contacts()
  int first = 0, rows = 0;
  const ContactLaw* law = nullptr;
  double gap = 0.0;    ///< gap at which the contact is kept
  double still = 0.0;  ///< smaller velocities count as zero [m/s]
  bool held = false;   ///< it has a mode from this instant on
  bool ended = false;  ///< an event determined that it opens
  ContactMode::Kind kind = ContactMode::Kind::closed;
  std::array<double, 2> direction{};  ///< of its slip
  bool stopped = false;               ///< its remaining slip counts as zero
  bool given = false;                 ///< `direction` is that of a slip that begins
};

class ActiveContacts {
 public:
  ActiveContacts(const Model& model, ConstrainedMotion& motion);

  /// Finds the active contacts at the start of the motion, with velocities v, and gives the motion
  /// the modes of the active springs.
  void find(const Instant& now, const Vector& v);
  /// Prescribed motions continue with new rates d, which joints satisfy at once:
  ///     v <- v + M^-1 G^T L,     S L = -(G v + d)
  /// The work of all impulses of the instant, including those of contacts, uses the means of the
  /// rates before and after the instant.
  void apply_jump(const Instant& now, InstantReport& report);

  std::vector<ActiveContact>& contacts() { return contacts_; }
  const std::vector<ActiveContact>& contacts() const { return contacts_; }
  const Vector& v() const { return v_; }
  const Vector& u() const { return u_; }
  /// rates before the impulses, for their work
  const Vector& u_before() const { return u_before_; }
  const Matrix& H() const { return H_; }
  const Matrix& X() const { return X_; }
  const Matrix& W() const { return W_; }
  /// without contacts, satisfying the joints
  const Vector& free_acceleration() const { return a_; }
  /// Computes b of all rows (ConstrainedMotion::contact_bias).
  void make_bias();
  const Vector& bias() const { return bias_; }

  /// Direction of the impulses of c over all rows: the normal, or the friction row n - mu u_T/|u_T|
  /// if c slides.
  Vector direction_of(const ActiveContact& c) const;
  /// Records the impulse (N, T1, T2) of c, one of the impulses that change u to u_after.
  void record_impulse(const ActiveContact& c, const Vector3& impulse, const Vector& u_after,
                      InstantReport& report) const;
  /// Records the impulses of the joints caused by contact impulses p.
  void record_joints(const Vector& p, InstantReport& report);
  /// Work of the impulses p that change u to u_after, minus that of prescribed motions [J].
  double work(const Vector& p, const Vector& u_after) const;
  /// v <- v + X p, u <- u_after.
  void apply(const Vector& p, const Vector& u_after);
  /// Sets u of a row whose rate is known to be zero.
  void set_rate(int row, double u) { u_[row] = u; }
  /// The work of the next impulses uses the means of the present rates and those after the
  /// impulses.
  void begin_impulses();

  void put_velocity(std::vector<GroupState>& groups) const;
  /// The modes of the held contacts.
  void modes(std::vector<ContactMode>& modes) const;

 private:
  void evaluate(const Instant& now);
  void find_contacts(const Instant& now);
  void eliminate_joints();
  std::vector<ContactMode> active_springs(const Instant& now) const;

  const Model& model_;
  ConstrainedMotion& motion_;
  std::vector<ActiveContact> contacts_;
  Vector w_, v_, a_;
  Matrix H_, X_, W_;
  Matrix joint_impulses_;  ///< for a unit impulse in each row
  Vector u_, drift_, bias_, joint_drift_, joint_rate_;
  /// Values before the current impulses: they differ from the present ones if drives jump.
  Vector u_before_, drift_before_, joint_drift_before_;
};

}  // namespace saltus
