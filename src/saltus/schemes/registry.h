// The schemes, one row each. describe, the checks of a scene and the tests iterate over this table.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "saltus/dynamics/scheme.h"
#include "saltus/schemes/options.h"

namespace saltus {

struct SchemeRow {
  std::string_view name, summary;
  std::string_view order;  ///< on smooth motion, as text
  std::string_view gain;   ///< fraction of the velocity change that enters the position, as text
  std::string_view reference;  ///< keys of docs/references.bib, separated by spaces
  std::unique_ptr<Scheme> (*make_default)();
};
std::span<const SchemeRow> schemes();

std::unique_ptr<Scheme> make_scheme(const SchemeChoice& choice);

/// Name of the scheme of a choice, as in its row.
std::string_view scheme_name(const SchemeChoice& choice);

/// Order of the positions on smooth motion: infinite if they are exact; nothing if the solution may
/// converge to another motion (`compat`, `vdamping`) or the scheme subdivides the step
/// (`tolerance`). `velocity_forces`: the body has velocity-dependent forces, from damping or from a
/// mass matrix M(q).
std::optional<double> smooth_order(const SchemeChoice& choice, bool velocity_forces);

}  // namespace saltus
