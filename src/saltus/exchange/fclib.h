// Contact problems in the FCLIB format (HDF5), one per file. docs/reference/fclib.md describes it.
//
//     const FclibProblem problem = read_fclib("P.hdf5");
//     const auto view = problem.view();
//     solver.solve(view, limits, memory, p);
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "saltus/contact/problem_data.h"

namespace saltus {

/// A group /solution or /guesses/k; vectors that the file does not contain are empty.
struct FclibSolution {
  Vector r;  ///< impulses of the contacts [N s; rolling moments N m s]
  Vector u;  ///< velocities of the contacts [m/s; rad/s]
  Vector v;  ///< velocities of the bodies, in global problems only
  Vector l;  ///< impulses of the equalities
};

/// How a run of Saltus solved a problem: the problem as given to the solver, with W in its storage
/// form, so that `solver` solves it again bit by bit in the same way. Limits::closing and stop are
/// not stored.
struct FclibRun : ContactProblemData {
  std::string solver;  ///< name of the solver
  Limits limits;
  Vector start;  ///< start value of p [N s]
};

/// One problem: first the contacts, with rows (N, T1, T2), (N, T), (N, T1, T2, R1, R2) or (N, T,
/// R), in the order and the units of the file; then the equalities, one law per row. Global
/// problems are condensed.
struct FclibProblem : ContactProblemData {
  bool global = false;  ///< M v = H r + G l + f in the file
  bool rolling = false;
  int spacedim = 3;  ///< rows per contact: 2, 3 or 5
  int contacts = 0, equalities = 0;
  int velocities = 0;  ///< number of velocities of the bodies, in a global problem
  std::string title, description, math_info;
  std::vector<std::string> notes;         ///< assumptions that had to be made, one line each
  std::optional<FclibSolution> solution;  ///< as read, of unknown quality
  std::vector<FclibSolution> guesses;
  std::optional<FclibRun> run;  ///< the group /saltus
};

enum class FclibRead {
  problem,
  solutions
};  ///< solutions: the problem, /solution, /guesses and /saltus

/// Reads fclib_local, fclib_global and their _rolling forms, with matrices as triplets, by columns
/// or by rows. Throws SceneError with the file and the object if the problem is not complete and
/// valid: sizes that disagree, indices out of range, numbers that are not finite, W or b beyond
/// 1e100 or all below 1e-100, negative friction, no contact, a singular mass. Nothing is allocated
/// for data that the file does not contain; solutions that were declared and not written are zero.
/// If the file contains only one triangle of a mass matrix, it is made symmetric, with a note. W
/// counts as symmetric if |W_ij - W_ji| <= 1e-12 max |W|.
FclibProblem read_fclib(const std::string& path, FclibRead what = FclibRead::problem);

/// Writes a local problem, W by rows (nz = -2), compressed, with `solution` if there is one
/// (without v), with `run` and without guesses. The file gets its name only when it is complete;
/// read_fclib then returns bit by bit what was written. Throws SceneError if the file cannot be
/// created or the problem has equalities that W couples unsymmetrically, which the format does not
/// support; RunError if it cannot be written.
void write_fclib(const std::string& path, const FclibProblem& problem);

}  // namespace saltus
