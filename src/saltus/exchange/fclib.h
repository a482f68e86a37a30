// Contact problems in the FCLIB format (HDF5), one a file. docs/reference/fclib.md describes it.
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

/// A group /solution or /guesses/k; vectors that the file does not hold are empty.
struct FclibSolution {
  Vector r;  ///< impulses of the contacts [N s; rolling moments N m s]
  Vector u;  ///< their velocities [m/s; rad/s]
  Vector v;  ///< velocities of the bodies, of global problems only
  Vector l;  ///< impulses of the equalities
};

/// How a run of Saltus solved a problem: the problem as its solver had it, W in the form that it
/// was held in, which `solver` solves again in the same way, bit by bit. Limits::closing and stop
/// are not kept.
struct FclibRun : ContactProblemData {
  std::string solver;  ///< by its name
  Limits limits;
  Vector start;  ///< p from which it began [N s]
};

/// One problem: first the contacts, rows (N, T1, T2), (N, T), (N, T1, T2, R1, R2) or (N, T, R), in
/// the order and the units of the file; then the equalities, one law a row. Global problems come
/// condensed.
struct FclibProblem : ContactProblemData {
  bool global = false;  ///< M v = H r + G l + f in the file
  bool rolling = false;
  int spacedim = 3;  ///< rows of a contact: 2, 3 or 5
  int contacts = 0, equalities = 0;
  int velocities = 0;  ///< of the bodies, in a global problem
  std::string title, description, math_info;
  std::vector<std::string> notes;         ///< what had to be assumed, a line each
  std::optional<FclibSolution> solution;  ///< as read, which says nothing about its quality
  std::vector<FclibSolution> guesses;
  std::optional<FclibRun> run;  ///< the group /saltus
};

enum class FclibRead {
  problem,
  solutions
};  ///< solutions: the problem, /solution, /guesses and /saltus

/// Reads fclib_local, fclib_global and their _rolling forms, matrices as triplets, by columns or by
/// rows. Throws SceneError with the file and the object where the file is no whole problem: sizes
/// that disagree, indices outside, numbers that are not finite, W or b beyond 1e100 or all below
/// 1e-100, negative friction, no contact, a singular mass. Nothing is allocated for data that the
/// file does not hold; solutions that were declared and not written are zero. A mass of which the
/// file holds one triangle is made symmetric, with a note. W counts as symmetric where |W_ij -
/// W_ji| <= 1e-12 max |W|.
FclibProblem read_fclib(const std::string& path, FclibRead what = FclibRead::problem);

/// Writes a local problem, W by rows (nz = -2), compressed, with `solution` if there is one
/// (without v), `run` and no guesses. The file has its name only when it is whole; what read_fclib
/// then returns is what was written, bit by bit. Throws SceneError where the file cannot be made or
/// the problem has equalities that W couples unsymmetrically, which the
/// format cannot say; RunError where it cannot be written.
void write_fclib(const std::string& path, const FclibProblem& problem);

}  // namespace saltus
