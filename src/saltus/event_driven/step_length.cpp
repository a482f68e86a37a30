#include "saltus/event_driven/step_length.h"

#include <algorithm>
#include <cmath>

#include "saltus/base/index_internal.h"

namespace saltus {

double first_step(ConstrainedMotion& motion, const OdeStep& step, double most) {
  const Vector a = step.dv0, u = step.v0;
  const double size = a.size() > 0 ? a.cwiseAbs().maxCoeff() : 0.0,
               speed = u.size() > 0 ? u.cwiseAbs().maxCoeff() : 0.0;
  if (!(size > 0.0)) return speed > 0.0 ? most : 1e-3 * most;
  Vector dw(motion.size()), dv(motion.size());
  for (double time = most; time > 1e-12 * most; time *= 0.1) {
    const Vector moved = time * u + 0.5 * time * time * a, faster = u + time * a;
    motion.rates(step.t0 + time, moved, faster, dw, dv);
    const double change = (dv - a).cwiseAbs().maxCoeff() / size;
    if (!(change <= 0.1)) continue;
    return change > 0.0 ? std::min(most, 0.5 * time / std::sqrt(2.0 * change)) : most;
  }
  return 1e-12 * most;
}

double spring_time(ConstrainedMotion& motion, double most) {
  // Relative to that motion: the estimate contains the force of a spring with more stored energy.
  constexpr double kBegun = 1e-3;
  const EventContacts& contacts = motion.contacts();
  Vector H(motion.size()), response;
  for (std::size_t k = 0; k < motion.modes().size(); ++k) {
    if (motion.index(k) < static_cast<int>(contacts.list().named())) continue;
    const auto i = at(motion.index(k));
    const ContactLaw& law = contacts.law(i);
    const double u = motion.rate(k)[0], y = std::min(contacts.gap(i), 0.0);
    if (law.set_valued() || !(u < 0.0)) continue;
    H.setZero();
    contacts.add_row(i, 0, 1.0, H);
    response = H;
    motion.kinematics().solve_mass(response);
    const double moving = 0.5 * u * u / H.dot(response);
    const auto V = [&](double d) {
      return std::max(law.stored_energy(-d), 0.25 * d * law.force(-d, 0.0, 0.0));
    };
    if (V(-y) > kBegun * moving) continue;
    while (most > 0.0 && V(-y - u * most) > moving) most *= 0.5;
  }
  return most;
}

}  // namespace saltus
