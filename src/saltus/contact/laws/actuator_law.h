// The force of a servo, and a given force, on a coordinate of a joint.
#pragma once
#include <limits>
#include <memory>

#include "saltus/contact/laws/contact_law.h"

namespace saltus {

/// A spring and a damper to a target, and a given force T, within a bound:
///     N = T - k y - c u,  |N| <= bound
/// y and u: deviation of the coordinate from its target and of its rate from that of the target.
struct ActuatorForce {
  double stiffness = 0.0;                                  ///< k [N/m], [N m/rad]
  double damping = 0.0;                                    ///< c [N s/m], [N m s/rad]
  double bound = std::numeric_limits<double>::infinity();  ///< [N], [N m]
};
std::shared_ptr<const ContactLaw> law_of(const ActuatorForce& force);

}  // namespace saltus
