// The contact solvers by name: the allowed values of `solver:` in a scene.
#pragma once
#include <memory>
#include <span>
#include <string_view>

#include "saltus/contact/contact_solver.h"

namespace saltus {

struct SolverRow {
  std::string_view name;       ///< name in scenes, C++ and Python
  std::string_view summary;    ///< one line
  std::string_view reference;  ///< key in the bibliography
  std::string_view handles;    ///< laws and operators, in words
  std::unique_ptr<ContactSolver> (*make)();
};

/// All solvers, with the default first.
std::span<const SolverRow> solvers();

/// The row with this name, nullptr if there is none.
const SolverRow* find_solver(std::string_view name);

}  // namespace saltus
