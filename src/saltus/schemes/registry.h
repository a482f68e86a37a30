// The schemes: one row each. describe, the checks of a scene and the tests walk this table.
#pragma once
#include <memory>
#include <span>
#include <string_view>

#include "saltus/dynamics/scheme.h"
#include "saltus/schemes/options.h"

namespace saltus {

struct SchemeRow {
  std::string_view name, summary;
  std::string_view order;  ///< on smooth motion, for people
  std::string_view gain;   ///< share of the velocity change that enters the position, for people
  std::string_view reference;  ///< keys of docs/references.bib, separated by spaces
  std::unique_ptr<Scheme> (*make_default)();
};
std::span<const SchemeRow> schemes();

std::unique_ptr<Scheme> make_scheme(const SchemeChoice& choice);

}  // namespace saltus
