#include "saltus/statics/static_contact.h"

#include <cmath>

namespace saltus {
namespace {

Friction at_rest(Friction friction) {
  friction.tangential = 0.0;
  return friction;
}

}  // namespace

StaticContact::StaticContact(const ContactLaw& in_motion)
    : ContactLaw({.name = in_motion.name(),
                  .position_level = true,
                  .cohesion = in_motion.facts().cohesion,
                  .friction = at_rest(in_motion.facts().friction),
                  .not_by_events = "which belongs to statics"}) {}

StaticForce::StaticForce(const AnyLaw& in_motion)
    : ForceLaw({.name = in_motion->name(),
                .set_valued = false,
                .bilateral = in_motion->bilateral(),
                .follows_passes = true,
                .not_by_events = "which belongs to statics"}),
      law_(in_motion) {}

ForceStep StaticForce::step(double, double, double y1) const {
  const double N = force(y1, 0.0, 0.0), d = 1e-6 * std::abs(y1);
  if (!bilateral() && !(N > 0.0 && y1 < 0.0)) return {};
  const double away = d > 0.0 ? d : 1e-12;
  const double slope = (force(y1 - away, 0.0, 0.0) - force(y1 + away, 0.0, 0.0)) / (2.0 * away);
  return {N, slope};
}

}  // namespace saltus
