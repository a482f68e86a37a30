#include "saltus/scene/contact_spec.h"

namespace saltus {

std::optional<Fault> AgainstSpec::fault() const {
  const bool no_frets =
      frets && std::holds_alternative<PointList>(*frets) && std::get<PointList>(*frets).empty();
  if (no_frets) return Fault{"frets", "is an empty list", "a list of [x, h]"};
  if (points && points->empty()) return Fault{"points", "is an empty list", "a list of [x, h]"};
  return std::nullopt;
}

}  // namespace saltus
