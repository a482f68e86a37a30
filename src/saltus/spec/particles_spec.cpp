#include "saltus/spec/particles_spec.h"

#include <algorithm>

namespace saltus {

std::optional<Fault> SpringSpec::fault() const {
  if (!between.empty() && between.size() != 2)
    return Fault{"between", "has " + std::to_string(between.size()) + " entries",
                 "the numbers of two particles: [i, j]"};
  if (between.size() == 2 && between[0] == between[1])
    return Fault{"between", "joins particle " + std::to_string(between[0]) + " to itself",
                 "the numbers of two particles: [i, j]"};
  return std::nullopt;
}

std::optional<Fault> ParticlesSpec::fault() const {
  const std::size_t n = positions.size();
  if (file) return std::nullopt;  // the number of particles is known when the file is read
  if (mass.size() != 1 && mass.size() != n)
    return Fault{
        "mass",
        "has " + std::to_string(mass.size()) + " entries for " + std::to_string(n) + " particles",
        "one for each, or one for all"};
  if (!velocities.empty() && velocities.size() != n)
    return Fault{"velocities",
                 "has " + std::to_string(velocities.size()) + " entries for " + std::to_string(n) +
                     " particles",
                 "one [x, y, z] for each"};
  return std::nullopt;
}

}  // namespace saltus
