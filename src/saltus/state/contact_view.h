// The contacts of the last step, for viewers, result files and analyses by the user.
#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "saltus/dynamics/point_table.h"
#include "saltus/model/model.h"
#include "saltus/state/state.h"

namespace saltus {

/// One contact: position, normal and gap after the step; the normal is that of the contact
/// instant. Laws on joint coordinates are contacts too: their normal and force are 0, the gap is
/// that of the coordinate [m] or [rad], and the position is that of the joint.
struct ContactView {
  /// - open: no impulse.
  /// - sticks, slides: P is inside the friction cone, or on it: |P_T| >= (1 - 1e-6) mu P_N. A relay
  ///   uses its own bound; with cohesion P_N is measured from the adhesive limit.
  /// - closed: an impulse, but no friction.
  enum class Status { open, slides, sticks, closed };
  /// group -1: the fixed world; body is then an index into Surfaces::fixed_names, -1: no body.
  struct Side {
    int group = -1, body = -1;
  };
  std::uint64_t key = 0;
  Status status = Status::open;
  Side a, b;
  Vector3 point = Vector3::Zero();    ///< midway between the points of a and b [m]
  Vector3 normal = Vector3::Zero();   ///< unit, from b to a
  double gap = 0.0;                   ///< < 0: penetration
  Vector3 impulse = Vector3::Zero();  ///< on a (n, t1, t2) [N s]
  /// of rolling friction about t1, t2 and of spinning friction [N m s]
  Vector3 moment = Vector3::Zero();
  Vector3 force = Vector3::Zero();  ///< mean over the step on a, in space [N]
};

/// No gap exceeds this limit.
inline constexpr double kAllContacts = std::numeric_limits<double>::infinity();

/// Data of a contact that an island provides before the contact is placed after the step.
struct SeenContact {
  ContactView view;  ///< without point and force; gap only for laws on joints
  std::array<Vector3, 2> tangent{Vector3::Zero(), Vector3::Zero()};
  std::array<PointRef, 2> at;  ///< for sides that are groups
  /// for sides that are the world [m]
  std::array<Vector3, 2> place{Vector3::Zero(), Vector3::Zero()};
  double offset = 0.0;  ///< gap = n . (x_a - x_b) + offset
  /// Change of its relative velocity by its travel along the surfaces, in space [m/s^2].
  Vector3 carried = Vector3::Zero();
  bool on_joint = false;
  bool placed = false;  ///< gap and point are already set
};

/// True if P is on the boundary of this friction cone.
inline bool slides(double normal, double tangential, double mu) {
  return tangential >= (1.0 - 1e-6) * mu * normal;
}

/// Evaluates the contacts on the states of all groups at t, with impulses of a step of h [s]. The
/// result is sorted by key.
void place_contacts(const Model& model, double t, double h, std::span<const GroupState> groups,
                    std::vector<SeenContact>& seen, std::vector<ContactView>& views);

}  // namespace saltus
