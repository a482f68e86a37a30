#include "saltus/spec/signal_spec.h"

#include <cmath>

#include "saltus/base/units.h"

namespace saltus {

std::optional<Fault> table_fault(const TimeTable& table, bool file, bool smooth) {
  if (smooth && table.empty() && !file)
    return Fault{"smooth", "is for a table or a file", "leave it out"};
  if (table.empty()) return std::nullopt;
  if (table.size() < 2)
    return Fault{"table", "has one point", "at least two [t, value]; or give `constant`"};
  for (std::size_t i = 1; i < table.size(); ++i)
    if (!(table[i][0] > table[i - 1][0]))
      return Fault{"table[" + std::to_string(i) + "][0]",
                   "the time " + to_text(table[i][0]) + " s does not come after " +
                       to_text(table[i - 1][0]) + " s",
                   "times increase"};
  return std::nullopt;
}

std::optional<Fault> LoadSpec::fault() const {
  for (const auto& [key, given] : {std::pair{"direction", &direction}, std::pair{"force", &force},
                                   std::pair{"torque", &torque}}) {
    if (!*given) continue;
    const double length = std::hypot((**given)[0], (**given)[1], (**given)[2]);
    if (!(length > 0.0) || !std::isfinite(length))
      return Fault{key, "has no direction", "for example [0, 0, 1]"};
  }
  if (frame && !force && !torque)
    return Fault{"frame", "is for loads on rigid bodies", "leave it out"};
  return table_fault(table, file.has_value(), smooth);
}

std::optional<Fault> GravityCourse::fault() const {
  if (table.size() == 1)
    return Fault{"table", "has one point", "at least two [t, x, y, z]; or give gravity: [x, y, z]"};
  TimeTable times;
  for (const auto& row : table) times.push_back({row[0], 0.0});
  return table_fault(times, file.has_value(), smooth);
}

std::optional<Fault> PrescribedSpec::fault() const {
  return table_fault(table, file.has_value(), smooth);
}

}  // namespace saltus
