// The contacts that are active at one instant, and their equations:
//
//     u = H v + d,     W = H X,     X = M^-1 H^T,     with the joints held: X and a without what
//     joints take of them
//
// find() reads the place; impulses then change v and u here, and nothing else.
#pragma once
#include <vector>

#include "saltus/event_driven/constrained_motion.h"
#include "saltus/event_driven/instant.h"

namespace saltus {

/// Rows first .. first + rows - 1 of H.
struct ActiveContact {
  std::uint64_t key = 0;
  std::size_t index = 0;  ///< in ConstrainedMotion::contacts()
  int first = 0, rows = 0;
  const ContactLaw* law = nullptr;
  double gap = 0.0;    ///< at which it is held
  double still = 0.0;  ///< velocities below are none [m/s]
  bool held = false;   ///< it has a mode from here on
  bool ended = false;  ///< an event says that it opens
  ContactMode::Kind kind = ContactMode::Kind::closed;
  std::array<double, 2> direction{};  ///< of its slip
  bool stopped = false;               ///< what is left of its slip does not count
  bool given = false;                 ///< `direction` is that of a slip that begins
};

class ActiveContacts {
 public:
  ActiveContacts(const Model& model, ConstrainedMotion& motion);

  /// The active contacts at the start of the motion, with velocities v. The motion then has the
  /// modes of the active springs.
  void find(const Instant& now, const Vector& v);
  /// Prescribed motions continue with new rates d: joints obey them at once, v <- v + M^-1 G^T L,
  /// S L = -(G v + d). All impulses of the instant, those of contacts too, do work with the means
  /// of the rates before and after.
  void apply_jump(const Instant& now, InstantReport& report);

  std::vector<ActiveContact>& contacts() { return contacts_; }
  const std::vector<ActiveContact>& contacts() const { return contacts_; }
  const Vector& v() const { return v_; }
  const Vector& u() const { return u_; }
  const Vector& u_before() const { return u_before_; }  ///< with what impulses work
  const Matrix& H() const { return H_; }
  const Matrix& X() const { return X_; }
  const Matrix& W() const { return W_; }
  const Vector& free_acceleration() const {
    return a_;
  }  ///< without contacts, with the joints held
  /// b of all rows (ConstrainedMotion::contact_bias).
  void make_bias();
  const Vector& bias() const { return bias_; }

  /// Directions of impulses of c over all rows: the normal, or the row of friction n - mu u_T/|u_T|
  /// where it slides.
  Vector direction_of(const ActiveContact& c) const;
  /// Records the impulse (N, T1, T2) of c of those that lead from u to u_after.
  void record_impulse(const ActiveContact& c, const Vector3& impulse, const Vector& u_after,
                      InstantReport& report) const;
  /// Records what the joints do when contacts get the impulses p.
  void record_joints(const Vector& p, InstantReport& report);
  /// Work of the impulses p that lead from u to u_after, less that of prescribed motions [J].
  double work(const Vector& p, const Vector& u_after) const;
  /// v <- v + X p, u <- u_after.
  void apply(const Vector& p, const Vector& u_after);
  /// u of a row whose rate is known to be none.
  void set_rate(int row, double u) { u_[row] = u; }
  /// The next impulses work with the means of the present rates and those after them.
  void begin_impulses();

  void put_velocity(std::vector<GroupState>& groups) const;
  /// The modes of the contacts that are held.
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
  Matrix joint_impulses_;  ///< for an impulse of 1 in each row
  Vector u_, drift_, bias_, joint_drift_, joint_rate_;
  /// Before the impulses in work: other than now where drives jump.
  Vector u_before_, drift_before_, joint_drift_before_;
};

}  // namespace saltus
