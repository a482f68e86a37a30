#include "saltus/solvers/solvers.h"

namespace saltus {
namespace {

class Automatic final : public ContactSolver {
 public:
  std::string_view name() const override { return "auto"; }
  bool handles(LawKind kind) const override { return sweeping_->handles(kind); }
  bool needs_symmetric() const override { return false; }

  SolveReport solve(const ContactProblem& problem, Limits limits, SolverMemory& memory,
                    Out p) const override {
    return choose(problem).solve(problem, limits, memory, p);
  }

 private:
  const ContactSolver& choose(const ContactProblem& problem) const {
    for (const Law& law : problem.laws)
      if (!pivoting_->handles(law.kind)) return *sweeping_;
    return problem.W.symmetric() ? *pivoting_ : *lemke_;
  }

  std::unique_ptr<ContactSolver> pivoting_ = make_principal_pivoting();
  std::unique_ptr<ContactSolver> lemke_ = make_lemke();
  std::unique_ptr<ContactSolver> sweeping_ = make_gauss_seidel();
};

}  // namespace

std::unique_ptr<ContactSolver> make_automatic() { return std::make_unique<Automatic>(); }

}  // namespace saltus
