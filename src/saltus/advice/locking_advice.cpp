#include "saltus/advice/locking_advice.h"

#include <fmt/format.h>

#include "saltus/fem/locking.h"

namespace saltus {

std::optional<std::string> locking_advice(const Mesh& mesh, std::span<const FemMaterial> materials,
                                          const std::string& body, bool free) {
  constexpr double kTooStiff = 0.05, kLocksAbove = 0.4, kNearly = 0.495;
  const Locking found = locking_of(mesh, materials);
  const bool bends = found.bending > (free ? 0.3 : kTooStiff);
  const bool plane_stress = mesh.dimension == 2 && materials.front().plane == PlaneState::stress;
  const bool swells = found.poisson > kLocksAbove && found.volume > kTooStiff && !plane_stress;
  if (!bends && !swells) return std::nullopt;
  const double excess = bends ? found.bending : found.volume;
  const auto better = quadratic_kind(found.kind);
  const std::string use = better ? std::string(info(*better).name) : "hex20 or tet10";
  const std::string much = excess > 9.0   ? std::string("ten times or more")
                           : excess > 1.0 ? fmt::format("about {:.2g} times", 1.0 + excess)
                                          : fmt::format("about {:.0f} %", 100.0 * excess);
  std::string text =
      fmt::format("the {} elements of '{}' lock: {}{} they are up to {} too stiff; use {}",
                  info(found.kind).name, body, bends ? "in bending" : "where the strain varies",
                  swells ? fmt::format(", at poisson {:.4g},", found.poisson) : "", much, use);
  if (found.poisson > kNearly)
    text += fmt::format(", which lock less, and refine them until the result no longer changes");
  else if (!swells)
    text += fmt::format(", or shorter elements and more of them across the thickness of {:.3g} m",
                        found.thickness);
  return text;
}

}  // namespace saltus
