// The kinds of bodies a scene can hold, with the traits that decide which schemes can move them.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/dynamics/scheme.h"
#include "saltus/spec/body_spec.h"

namespace saltus {

/// Bodies of a kind whose traits differ from those of others of the kind.
struct KindCase {
  std::string_view what;  ///< "with a stiffness that is not symmetric"
  unsigned traits;
};

struct KindRow {
  BodyKind kind;
  std::string_view name, summary, entries, points;  ///< entries: of the body, one of which it has
  std::vector<KindCase> cases;                      ///< the common one first
};
/// One row a kind; the traits are those of bodies that are made for it, without damping.
std::span<const KindRow> kinds();

/// Kinds that a scheme can move: "modal, linear; particles without springs".
std::string kinds_for(const Scheme& scheme);

}  // namespace saltus
