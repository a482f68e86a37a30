// Limits of the step length from what is known at its start.
#pragma once
#include "saltus/event_driven/constrained_motion.h"

namespace saltus {

/// Length of the first step, if no earlier step determines it: the accelerations after a short time
/// measure how fast they change. From a(s) = a + s^2 a''/2 the time scale of the motion is
///     s sqrt(|a|/(2 |a(s) - a|)),
/// where s is shortened until the change is small [s].
double first_step(ConstrainedMotion& motion, const OdeStep& step, double most);

/// Limit for a spring between shapes that becomes active. It has no force yet, and the stages of a
/// step far longer than its contact move the bodies out of it: the stages weighted by the error
/// estimate then have no force, and a step of 50 contact times had no error. Such a step is limited
/// to the displacement over which the spring absorbs all of the motion towards it,
/// V(y - d) = u^2/(2 W), found to a factor of 2. V: the energy stored by the law, or d/4 of its
/// force. Returns `most` if no spring limits the step [s].
double spring_time(ConstrainedMotion& motion, double most);

}  // namespace saltus
