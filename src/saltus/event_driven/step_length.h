// How long a step may be, by what is known at its start.
#pragma once
#include "saltus/event_driven/constrained_motion.h"

namespace saltus {

/// Where no step before says how long the first may be: the accelerations after a short time say
/// how fast they change. From a(s) = a + s^2 a''/2 the time of the motion is s sqrt(|a|/(2 |a(s) -
/// a|)), and s is shortened until the change is small [s].
double first_step(ConstrainedMotion& motion, const OdeStep& step, double most);

/// A spring between shapes that becomes active has no force yet, and stages of a step far longer
/// than its contact throw the bodies out of it: those that the estimate of the error weighs then
/// have no force, and a step of 50 contact times had no error. Such a step is no longer than the
/// path over which the spring takes all of the motion towards it, V(y - d) = u^2/(2 W), found to a
/// factor of 2. V: what the law stores, or d/4 of its force. `most` where no spring limits it [s].
double spring_time(ConstrainedMotion& motion, double most);

}  // namespace saltus
