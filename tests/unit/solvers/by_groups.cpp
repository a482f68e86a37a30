#include <doctest/doctest.h>

#include <random>

#include "saltus/contact/problem_data.h"
#include "saltus/contact/residual.h"
#include "saltus/solvers/solvers.h"

using namespace saltus;
using namespace saltus::testing;
namespace {

/// Passes on to proximal-newton and writes down how many rows it was asked for.
class Listed final : public ContactSolver {
 public:
  explicit Listed(std::vector<int>& sizes) : sizes_(sizes) {}
  std::string_view name() const override { return "listed"; }
  bool handles(LawKind kind) const override { return newton_->handles(kind); }
  bool needs_symmetric() const override { return false; }
  SolveReport solve(const ContactProblem& problem, Limits limits, SolverMemory& memory,
                    Out p) const override {
    sizes_.push_back(static_cast<int>(problem.b.size()));
    return newton_->solve(problem, limits, memory, p);
  }

 private:
  std::vector<int>& sizes_;
  std::unique_ptr<ContactSolver> newton_ = make_proximal_newton();
};

/// Contacts 0, 2 and 1, 3 are coupled, 4 is alone.
struct Groups {
  DenseDelassus W;
  Vector b{15};
  std::vector<Law> laws;
  std::vector<int> ids;
  Groups() {
    std::mt19937 random(3);
    std::normal_distribution<double> normal;
    Matrix G = Matrix::Zero(15, 15);
    const auto fill = [&](int c, int d) {
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) G(3 * c + i, 3 * d + j) = normal(random);
    };
    for (int c = 0; c < 5; ++c) fill(c, c);
    fill(2, 0), fill(3, 1);
    W.W = G * G.transpose() + 0.1 * Matrix::Identity(15, 15);
    for (double& x : b) x = normal(random) - 1.0;
    for (int c = 0; c < 5; ++c)
      laws.push_back({.kind = LawKind::coulomb, .first = 3 * c, .size = 3, .friction = 0.3});
    for (int i = 0; i < 15; ++i) ids.push_back(i);
  }
  ProblemView view() const { return {W, b, laws, ids}; }
};

TEST_CASE("only groups that are not solved yet are asked for, and the others keep every bit") {
  const Groups groups;
  const auto view = groups.view();
  std::vector<int> sizes;
  const auto solver = make_by_groups(std::make_unique<Listed>(sizes));
  SolverMemory memory;
  Vector p = Vector::Zero(15);
  const SolveReport cold = solver->solve(view, {.tolerance = 1e-12}, memory, p);
  CHECK(cold.converged);
  CHECK(cold.residual == residual(view, p));
  CHECK(sizes == std::vector<int>{6, 6, 3});

  Vector whole = Vector::Zero(15);
  SolverMemory other;
  REQUIRE(make_proximal_newton()->solve(view, {.tolerance = 1e-12}, other, whole).converged);
  CHECK((p - whole).norm() <= 1e-9 * whole.norm());

  sizes.clear();
  Vector q = p;
  for (const int c : {1, 3}) q.segment(3 * c, 3).setZero();
  CHECK(solver->solve(view, {.tolerance = 1e-12}, memory, q).converged);
  CHECK(sizes == std::vector<int>{6});
  for (const int c : {0, 2, 4}) CHECK(q.segment(3 * c, 3) == p.segment(3 * c, 3));
}

TEST_CASE("a problem of one group goes to the solver as it is") {
  Groups groups;
  groups.W.W.setConstant(0.01);
  groups.W.W.diagonal().setOnes();
  const auto view = groups.view();
  std::vector<int> sizes;
  SolverMemory memory;
  Vector p = Vector::Zero(15);
  CHECK(make_by_groups(std::make_unique<Listed>(sizes))->solve(view, {}, memory, p).converged);
  CHECK(sizes == std::vector<int>{15});
}

}  // namespace
