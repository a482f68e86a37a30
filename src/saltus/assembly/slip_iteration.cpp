#include "saltus/assembly/slip_iteration.h"

#include <cmath>

#include "saltus/base/index_internal.h"
#include "saltus/contact/laws/slip.h"

namespace saltus {

void SlipIteration::start(const Vector& u0) {
  for (std::size_t i = 0; i < list_.count(); ++i) {
    const ContactLaw& law = list_.law(i);
    if (!law.weakens()) continue;
    const int row = list_[i].first_row;
    double s2 = 0.0;
    if (law.slides_on_normal())
      s2 = std::pow(u0[row] - law.facts().velocity, 2);
    else
      for (int a = 1; a <= list_[i].tangents; ++a) s2 += u0[row + a] * u0[row + a];
    slip_[static_cast<Eigen::Index>(i)] = std::sqrt(s2);
  }
}

double SlipIteration::slip(const ContactLaw& law, const Law& entry, const Vector& u) {
  const int rows = entry.forces(), from = law.slides_on_normal() ? 0 : 1;
  return u.segment(entry.first + from, rows - from).norm() /
         (1.0 + law.facts().friction.tangential);
}

double SlipIteration::advance(std::span<const int> admitted, std::span<const Law> laws,
                              const Vector& diagonal, const Vector& u, const Vector& p, double h) {
  double off = 0.0;
  for (std::size_t k = 0; k < admitted.size(); ++k) {
    const ContactLaw& law = list_.law(at(admitted[k]));
    if (!law.weakens()) continue;
    const bool on_normal = law.slides_on_normal();
    const Eigen::Index first = laws[k].first + (on_normal ? 0 : 1),
                       end = laws[k].first + laws[k].forces();
    double w = 0.0;
    for (Eigen::Index r = first; r < end; ++r) w += diagonal[r] / static_cast<double>(end - first);
    const double at_rest = law.strength_at_rest() * (on_normal ? h : p[first - 1]);
    const VelocityWeakening& f = law.facts().velocity_weakening;
    double& x = slip_[admitted[k]];
    const double s = slip(law, laws[k], u);
    off = worse(off, std::abs(f.share(s) - f.share(x)));
    x = next_slip(f, w * at_rest / (1.0 + law.facts().friction.tangential), x, s);
  }
  return off;
}

}  // namespace saltus
