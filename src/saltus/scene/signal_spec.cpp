#include "saltus/scene/signal_spec.h"

#include <cmath>

#include "saltus/base/units.h"

namespace saltus {
namespace {

/// What is wrong with a function of time given by points.
template <class Spec>
std::optional<Fault> table_fault(const Spec& spec) {
  if (spec.smooth && spec.table.empty() && !spec.file)
    return Fault{"smooth", "is for a table or a file", "leave it out"};
  if (spec.table.empty()) return std::nullopt;
  if (spec.table.size() < 2)
    return Fault{"table", "has one point", "at least two [t, value]; or give `constant`"};
  for (std::size_t i = 1; i < spec.table.size(); ++i)
    if (!(spec.table[i][0] > spec.table[i - 1][0]))
      return Fault{"table[" + std::to_string(i) + "][0]",
                   "the time " + to_text(spec.table[i][0]) + " s does not come after " +
                       to_text(spec.table[i - 1][0]) + " s",
                   "times increase"};
  return std::nullopt;
}

}  // namespace

std::optional<Fault> LoadSpec::fault() const {
  if (direction) {
    const auto& [x, y, z] = *direction;
    const double length = std::hypot(x, y, z);
    if (!(length > 0.0) || !std::isfinite(length))
      return Fault{"direction", "has no direction", "for example [0, 0, 1]"};
  }
  return table_fault(*this);
}

std::optional<Fault> PrescribedSpec::fault() const { return table_fault(*this); }

}  // namespace saltus
