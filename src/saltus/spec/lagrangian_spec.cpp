#include "saltus/spec/lagrangian_spec.h"

#include <string>

namespace saltus {

std::optional<Fault> NPendulumSpec::fault() const {
  if (mass.size() != length.size())
    return Fault{"length",
                 "has " + std::to_string(length.size()) + " entries, `mass` has " +
                     std::to_string(mass.size()),
                 "one rod per bob"};
  return std::nullopt;
}

}  // namespace saltus
