// The report of `saltus solve`: one problem in detail, or a table of problems and solvers.
#pragma once
#include <string>
#include <vector>

#include "saltus/contact/measures.h"
#include "saltus/exchange/fclib.h"

namespace saltus::app {

/// Result of one solver for one problem.
struct SolvedRow {
  std::string solver;
  SolveReport report;
  ContactMeasures measures;
  double time = 0.0;  ///< processor time of one solve, the smallest of `repeats` [s]
  int repeats = 0;
};

/// One problem from the command line.
struct SolvedProblem {
  std::string file, title;
  int spacedim = 3, contacts = 0, equalities = 0;
  bool symmetric = true, rolling = false, global = false;
  std::vector<std::string> notes;
  double stored = -1.0;  ///< residual of /solution in the file; -1: no solution
  std::vector<SolvedRow> rows;

  int unknowns() const { return contacts * spacedim + equalities; }
  bool solved() const;  ///< by at least one solver
};

struct SolveResult {
  double tolerance = 0.0;
  std::vector<SolvedProblem> problems;
  std::vector<std::string> written;
};

/// Details for one problem and one solver, otherwise a table with one line per solve.
std::string solve_text(const SolveResult& result);
std::string solve_json(const SolveResult& result);

}  // namespace saltus::app
