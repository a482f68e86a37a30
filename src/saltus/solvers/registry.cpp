#include "saltus/solvers/registry.h"

#include "saltus/solvers/solvers.h"

namespace saltus {
namespace {

// A new solver is one file and one row here.
constexpr SolverRow kSolvers[] = {
    {"auto", "principal-pivoting, lemke or gauss-seidel, whichever fits the problem",
     "JudicePires1994", "equality, unilateral, box, friction; any W", make_automatic},
    {"principal-pivoting", "active rows with an updated Cholesky factor; exact, warm-started",
     "JudicePires1994", "equality, unilateral; symmetric semidefinite W", make_principal_pivoting},
    {"lemke", "complementary pivoting with lexicographic ratio test; exact, up to 1000 rows",
     "Lemke1965", "equality, unilateral; semidefinite W, also unsymmetric", make_lemke},
    {"gauss-seidel", "Gauss-Seidel, contact by contact, friction exact; slow on many contacts",
     "Cryer1971", "equality, unilateral, box, friction; W with positive diagonal",
     make_gauss_seidel},
};

}  // namespace

std::span<const SolverRow> solvers() { return kSolvers; }

const SolverRow* find_solver(std::string_view name) {
  for (const SolverRow& row : kSolvers)
    if (row.name == name) return &row;
  return nullptr;
}

}  // namespace saltus
