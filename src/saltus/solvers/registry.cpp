#include "saltus/solvers/registry.h"

#include "saltus/solvers/solvers.h"

namespace saltus {
namespace {

// To add a solver, write one file and one row here.
constexpr SolverRow kSolvers[] = {
    {"auto",
     "principal-pivoting, lemke, proximal-newton or body-gauss-seidel; another if that fails",
     "AcaryBremondHuber2018", "all laws; any W", make_automatic},
    {"proximal-newton", "Newton's method with a proximal term, group by group; tight tolerances",
     "AcaryBremondHuber2018", "all laws; any W", make_proximal_newton},
    {"principal-pivoting", "active rows with an updated Cholesky factor; exact, warm-started",
     "JudicePires1994", "equality, unilateral; symmetric semidefinite W", make_principal_pivoting},
    {"lemke", "complementary pivoting with lexicographic ratio test; exact, up to 1000 rows",
     "Lemke1965", "equality, unilateral; semidefinite W, also unsymmetric", make_lemke},
    {"gauss-seidel", "Gauss-Seidel, contact by contact, each solved exactly; slow on many contacts",
     "Cryer1971", "all laws; W with positive diagonal", make_gauss_seidel},
    {"body-gauss-seidel", "Gauss-Seidel in body velocities, extrapolated, by colours on threads",
     "Jean1999", "all laws; W stored by bodies, any other as gauss-seidel", make_body_gauss_seidel},
    {"interior-point",
     "primal-dual interior point, then Newton's method; for walls and other redundant contacts",
     "AcaryArmandNguyenShpakovych2024", "equality, unilateral, friction; any W",
     make_interior_point},
};

}  // namespace

std::span<const SolverRow> solvers() { return kSolvers; }

const SolverRow* find_solver(std::string_view name) {
  for (const SolverRow& row : kSolvers)
    if (row.name == name) return &row;
  return nullptr;
}

}  // namespace saltus
