// The contacts of the last step as a viewer, a results file or a user's own analysis wants them.
#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "saltus/dynamics/point_table.h"
#include "saltus/model/model.h"
#include "saltus/state/state.h"

namespace saltus {

/// One contact: places, normal and gap on the finished state, the normal being that of the instant
/// at which contacts are found. Laws on coordinates of joints are contacts too: their normal and
/// force are 0, the gap is that of the coordinate [m] or [rad], the place that of the joint.
struct ContactView {
  /// open: no impulse.   sticks, slides: P in the cone of friction, and on it: |P_T| >= (1 - 1e-6)
  /// mu P_N, of a relay its bound; with cohesion P_N counts from its pull on.   closed: an impulse,
  /// and no friction.
  enum class Status { open, slides, sticks, closed };
  /// group -1: the fixed world; body is then an index of Surfaces::fixed_names, -1: of no body.
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
  Vector3 moment =
      Vector3::Zero();  ///< of rolling friction about t1, t2 and spinning friction [N m s]
  Vector3 force = Vector3::Zero();  ///< mean of the step on a, in space [N]
};

/// No gap is too large.
inline constexpr double kAllContacts = std::numeric_limits<double>::infinity();

/// What an island knows of a contact before it is placed on the finished state.
struct SeenContact {
  ContactView view;  ///< without point and force; the gap of a law on a joint
  std::array<Vector3, 2> tangent{Vector3::Zero(), Vector3::Zero()};
  std::array<PointRef, 2> at;  ///< of the sides that are groups
  std::array<Vector3, 2> place{Vector3::Zero(),
                               Vector3::Zero()};  ///< of those that are the world [m]
  double offset = 0.0;                            ///< gap = n . (x_a - x_b) + offset
  bool on_joint = false;
  bool placed = false;  ///< gap and point are there already
};

/// Whether P of this cone is on its boundary.
inline bool slides(double normal, double tangential, double mu) {
  return tangential >= (1.0 - 1e-6) * mu * normal;
}

/// Puts the contacts on the states of all groups at t, impulses of a step of h [s]; by increasing
/// key.
void place_contacts(const Model& model, double t, double h, std::span<const GroupState> groups,
                    std::vector<SeenContact>& seen, std::vector<ContactView>& views);

}  // namespace saltus
