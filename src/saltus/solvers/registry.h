// The contact solvers by name: what `solver:` in a scene may say.
#pragma once
#include <memory>
#include <span>
#include <string_view>

#include "saltus/contact/contact_solver.h"

namespace saltus {

struct SolverRow {
  std::string_view name;       ///< as in scenes, C++ and Python
  std::string_view summary;    ///< one line
  std::string_view reference;  ///< key of the bibliography
  std::string_view handles;    ///< laws and operators, in words
  std::unique_ptr<ContactSolver> (*make)();
};

/// All solvers, the default first.
std::span<const SolverRow> solvers();

/// The row of this name, nullptr if there is none.
const SolverRow* find_solver(std::string_view name);

}  // namespace saltus
