#include "saltus/kinds/kinds.h"

#include <algorithm>

#include "saltus/base/error.h"
#include "saltus/model/scheme_fit.h"

namespace saltus {

// Each is defined in the file of its kind.
KindRow modal_kind();
KindRow linear_kind();
KindRow lagrangian_kind();
KindRow particles_kind();
KindRow rigid_kind();
KindRow pseudo_rigid_kind();
KindRow fem_kind();
KindRow beam_kind();

std::span<const KindRow> kinds() {
  static const std::vector<KindRow> rows{modal_kind(),     linear_kind(), lagrangian_kind(),
                                         particles_kind(), rigid_kind(),  pseudo_rigid_kind(),
                                         fem_kind(),       beam_kind()};
  return rows;
}

const KindRow& kind_row(BodyKind kind) {
  const auto row = std::ranges::find(kinds(), kind, &KindRow::kind);
  expects(row != kinds().end(), "each kind has a row in kinds()");
  return *row;
}

std::string kinds_for(const Scheme& scheme) {
  std::string whole, part;
  for (const KindRow& row : kinds()) {
    std::string some;
    std::size_t count = 0;
    for (const KindCase& one : row.cases) {
      if (!fits(scheme, one.traits)) continue;
      ++count;
      some += (some.empty() ? "" : " or ") + std::string(one.what);
    }
    if (count == row.cases.size())
      whole += (whole.empty() ? "" : ", ") + std::string(row.name);
    else if (count > 0)
      part += (part.empty() ? "" : ", ") + std::string(row.name) + (some.empty() ? "" : " " + some);
  }
  const char* const given = has(scheme.needs(), Trait::separable) ? ", all without damping" : "";
  return whole + (whole.empty() || part.empty() ? "" : "; ") + part + given;
}

std::string kinds_that(const std::function<bool(const KindRow&)>& has) {
  std::vector<std::string_view> names;
  for (const KindRow& row : kinds())
    if (has(row)) names.push_back(row.name);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + std::string(names[i]);
  return text;
}

}  // namespace saltus
