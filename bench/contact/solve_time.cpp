// CPU time of a solver of Saltus on one FCLIB problem: only the solve, from p = 0, with an empty solver memory.
//
//     solve_time FILE [TOLERANCE [SOLVER]]     1e-8 and auto when not given
//     solve_time --version
//
// One line: residual,iterations,seconds,repetitions,kept_seconds, and each solver that was called as NAME:ITERATIONS;
// kept_seconds: CPU time from p = 0 with a memory kept from solve to solve. Exit code 1 if the solve did not converge, 2 if
// it could not be started.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <vector>

#include "bench/contact/cpu_time.h"
#include "saltus/exchange/fclib.h"
#include "saltus/solvers/registry.h"
#include "saltus/version.h"

namespace {

using namespace saltus;

int measure(const char* file, double tolerance, const char* name) {
  const SolverRow* row = find_solver(name);
  if (!row) {
    std::fprintf(stderr, "solve_time: no solver %s\n", name);
    return 2;
  }
  const FclibProblem problem = read_fclib(file);
  const auto view = problem.view();
  const auto solver = row->make();
  const Limits limits{.tolerance = tolerance, .iterations = 1'000'000};
  SolveReport report;
  Vector p(problem.rows());
  const auto solve = [&](SolverMemory& memory) {
    p.setZero();
    report = solver->solve(view, limits, memory, p);
  };
  const auto median = [&](const auto& call) {
    call();  // loads code and data
    double start = saltus_bench::cpu_seconds();
    call();
    return saltus_bench::median_time(saltus_bench::cpu_seconds() - start, [&](int count) {
      start = saltus_bench::cpu_seconds();
      for (int k = 0; k < count; ++k) call();
      return (saltus_bench::cpu_seconds() - start) / count;
    });
  };
  SolverMemory kept;
  const auto warm = median([&] { solve(kept); });
  const auto cold = median([&] {
    SolverMemory memory;
    solve(memory);
  });
  std::printf("%.3e,%d,%.4e,%d,%.4e", report.residual, report.iterations, cold.seconds,
              cold.repetitions, warm.seconds);
  for (int k = 0; k < report.attempted; ++k) {
    const Attempt& a = report.attempts[static_cast<std::size_t>(k)];
    std::printf(",%.*s:%d", static_cast<int>(a.solver.size()), a.solver.data(), a.iterations);
  }
  std::printf("\n");
  return report.converged ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--version") {
    std::printf("%s %s\n", std::string(commit()).c_str(), std::string(flags()).c_str());
    return 0;
  }
  if (argc < 2 || argc > 4) {
    std::fputs("solve_time FILE [TOLERANCE [SOLVER]]\n", stderr);
    return 2;
  }
  try {
    return measure(argv[1], argc > 2 ? std::atof(argv[2]) : 1e-8, argc > 3 ? argv[3] : "auto");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "solve_time: %s\n", error.what());
    return 2;
  }
}
