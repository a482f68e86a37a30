// `auto` with its default setting on published problems with friction (FCLIB), from p = 0.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/contact/change_units.h"
#include "saltus/contact/residual.h"
#include "saltus/exchange/fclib.h"
#include "saltus/solvers/registry.h"
#include "support/skip.h"

namespace {

using namespace saltus;

const std::string kFolder = std::string(SALTUS_SHARED) + "/data/fclib/";

std::vector<std::string> files(const std::string& folder) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".hdf5") found.push_back(entry.path().string());
  std::sort(found.begin(), found.end());
  return found;
}

/// max |W_ij - W_ji|/max |W|
double asymmetry(const Delassus& W) {
  const BlockMatrix* const blocks = W.blocks();
  double most = 0.0, size = 0.0;
  if (!blocks) return 0.0;
  for (int c = 0; c < blocks->contacts(); ++c)
    for (int k = blocks->offset[static_cast<std::size_t>(c)];
         k < blocks->offset[static_cast<std::size_t>(c) + 1]; ++k) {
      const int d = blocks->column[static_cast<std::size_t>(k)], width = blocks->size(d);
      const int mirror = blocks->find(d, c);
      for (int i = 0; i < blocks->size(c); ++i)
        for (int j = 0; j < width; ++j) {
          const double w = blocks->block(k)[i * width + j];
          size = std::max(size, std::abs(w));
          most = std::max(most, std::abs(w - blocks->block(mirror)[j * blocks->size(c) + i]));
        }
    }
  return size > 0.0 ? most / size : 0.0;
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Solved {
  SolveReport report;
  double residual = 0.0, seconds = 0.0;
};

Solved solve(const ContactProblem& problem, double tolerance) {
  SolverMemory memory;
  Vector p = Vector::Zero(problem.b.size());
  const double start = cpu_seconds();
  Solved out{find_solver("auto")->make()->solve(problem, {.tolerance = tolerance}, memory, p)};
  out.seconds = cpu_seconds() - start;
  out.residual = residual(problem, p);
  return out;
}

TEST_CASE("auto solves every FCLIB problem to 1e-4, 1e-8 and 1e-12 from p = 0") {
  if (!std::filesystem::exists(kFolder)) SALTUS_SKIP("no reference data: " + kFolder);
  int problems = 0;
  for (const char* folder : {"local", "original"})
    for (const std::string& file : files(kFolder + folder)) {
      const FclibProblem problem = read_fclib(file);
      const auto view = problem.view();
      const double least = asymmetry(*problem.W) > 1e-4 ? 1e-10 : 1e-12;
      ++problems;
      for (const double tolerance : {1e-4, 1e-8, least}) {
        const Solved solved = solve(view, tolerance);
        CAPTURE(file);
        CAPTURE(tolerance);
        CAPTURE(solved.report.iterations);
        CHECK(solved.report.converged);
        CHECK(solved.report.residual == solved.residual);
        CHECK(solved.residual <= tolerance);
        CHECK(solved.seconds < 10.0);
      }
    }
  CHECK(problems == 36);
}

TEST_CASE("with mass x 1e3, length x 1e-3 and time x 1e-2 auto takes the same iterations") {
  if (!std::filesystem::exists(kFolder)) SALTUS_SKIP("no reference data: " + kFolder);
  for (const char* folder : {"local", "original"})
    for (const std::string& file : files(kFolder + folder)) {
      const FclibProblem problem = read_fclib(file);
      const ContactProblemData other =
          saltus_bench::change_units(problem, {.mass = 1e3, .length = 1e-3, .time = 1e-2});
      const auto other_view = other.view();
      const auto view = problem.view();
      for (const double tolerance : {1e-4, 1e-8}) {
        const Solved first = solve(view, tolerance);
        const Solved second = solve(other_view, tolerance);
        CAPTURE(file);
        CAPTURE(tolerance);
        CHECK(first.report.converged == second.report.converged);
        CHECK(std::abs(first.report.iterations - second.report.iterations) <=
              std::max(2.0, 0.02 * first.report.iterations));
      }
    }
}

}  // namespace
