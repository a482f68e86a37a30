#include "saltus/schemes/registry.h"

#include <array>

#include "saltus/schemes/modal_exact.h"
#include "saltus/schemes/moreau_jean.h"

namespace saltus {

std::span<const SchemeRow> schemes() {
  static const std::array<SchemeRow, 2> kRows{{
      {ModalExactOptions::name, ModalExactOptions::help, "exact at the nodes", "1",
       "Bilbao2009 Issanchou2017", [] { return make_modal_exact({}); }},
      {MoreauJeanOptions::name, MoreauJeanOptions::help, "2 (theta = 1/2), else 1", "theta",
       "Moreau1988 Jean1999", [] { return make_moreau_jean({}); }},
  }};
  return kRows;
}

std::unique_ptr<Scheme> make_scheme(const SchemeChoice& choice) {
  struct Make {
    std::unique_ptr<Scheme> operator()(const ModalExactOptions& o) const {
      return make_modal_exact(o);
    }
    std::unique_ptr<Scheme> operator()(const MoreauJeanOptions& o) const {
      return make_moreau_jean(o);
    }
  };
  return std::visit(Make{}, choice);
}

}  // namespace saltus
