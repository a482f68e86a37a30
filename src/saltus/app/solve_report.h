// What `saltus solve` tells: one problem in full, or a table of problems and solvers.
#pragma once
#include <string>
#include <vector>

#include "saltus/contact/measures.h"
#include "saltus/exchange/fclib.h"

namespace saltus::app {

/// One solver on one problem.
struct SolvedRow {
  std::string solver;
  SolveReport report;
  ContactMeasures measures;
  double time = 0.0;  ///< processor time of one solve, the least of `repeats` [s]
  int repeats = 0;
};

/// One problem of the command line.
struct SolvedProblem {
  std::string file, title;
  int spacedim = 3, contacts = 0, equalities = 0;
  bool symmetric = true, rolling = false, global = false;
  std::vector<std::string> notes;
  double stored = -1.0;  ///< residual of the /solution of the file, -1: it has none
  std::vector<SolvedRow> rows;

  int unknowns() const { return contacts * spacedim + equalities; }
  bool solved() const;  ///< by one solver at least
};

struct SolveResult {
  double tolerance = 0.0;
  std::vector<SolvedProblem> problems;
  std::vector<std::string> written;
};

/// One problem and one solver, in full; else a table with a line each.
std::string solve_text(const SolveResult& result);
std::string solve_json(const SolveResult& result);

}  // namespace saltus::app
