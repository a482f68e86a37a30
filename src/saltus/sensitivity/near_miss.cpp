#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "saltus/sensitivity/near_miss_internal.h"

namespace saltus::sensitivity {

std::optional<Refusal> near_miss(ParameterDifferences& d, const Stretch& stretch,
                                 const Stretch* before) {
  if (!d.runner().motion().contacts().any()) return std::nullopt;
  constexpr int kParts = 16;
  const EventTrace::Step& step = *stretch.step;
  const auto method = make_method(step.method);
  Groups end;
  d.runner().step(step.t0, stretch.dt, step.start, step.modes, stretch.e, *method, end);
  const OdeStep& ode = d.runner().interpolated(*method);
  ConstrainedMotion& motion = d.runner().motion();
  EventContacts& contacts = motion.contacts();
  Vector w(d.size()), v(d.size());
  const auto go = [&](double x) {
    dense_output(ode, x, w, v);
    motion.go(step.t0 + x * stretch.dt, w, v);
    contacts.find_rows(motion.kinematics().time(), motion.kinematics().groups());
  };
  // Gaps of contacts that open at the start of the stretch have no minimum there.
  const auto parts = [&](std::uint64_t key) {
    return !before || mode_of(before->step->modes, key) != nullptr ||
           std::ranges::find(before->events, key, &Event::key) != before->events.end();
  };
  std::map<std::uint64_t, double> last;
  for (int k = 0; k <= kParts; ++k) {
    go(static_cast<double>(k) / kParts);
    std::map<std::uint64_t, double> here;
    for (std::size_t i = 0; i < contacts.count(); ++i) {
      const ContactLaw& law = contacts.law(i);
      // A spring without damping becomes active continuously: a near miss has no effect.
      if (law.bilateral() || mode_of(step.modes, contacts.key(i)) ||
          (!law.set_valued() && law.force(0.0, -1.0, 0.0) == 0.0))
        continue;
      here[contacts.key(i)] = contacts.rate(i, 0);
    }
    if (k == 0)
      for (auto& [key, rate] : here)
        if (parts(key)) rate = std::abs(rate);
    for (const auto& [key, rate] : here) {
      const auto old = last.find(key);
      const bool fell = k > 0 && (old == last.end() || old->second < 0.0);
      if (!fell || !(rate >= 0.0)) continue;
      double low = static_cast<double>(k - 1) / kParts, high = static_cast<double>(k) / kParts;
      for (int n = 0; n < 60; ++n) {
        const double x = 0.5 * (low + high);
        go(x);
        const int i = contacts.index_of(key);
        if (i < 0 || contacts.rate(static_cast<std::size_t>(i), 0) < 0.0)
          low = x;
        else
          high = x;
      }
      go(high);
      const int i = contacts.index_of(key);
      if (i < 0) continue;
      const auto at = static_cast<std::size_t>(i);
      const double distance = d.size_of_row(at, 0, d.scale().head(d.size()));
      if (contacts.gap(at) < d.options().grazing * d.tolerance() * distance)
        return Refusal{fmt::format(
            "grazing: contact {} misses by {:.3g} m at t = {:.10g} s, and a small change of the "
            "run would close it",
            key, contacts.gap(at), motion.kinematics().time())};
    }
    last = std::move(here);
  }
  return std::nullopt;
}

}  // namespace saltus::sensitivity
