// `saltus solve`: solves contact problems in files with one solver or with all.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>

#include "saltus/app/app.h"
#include "saltus/app/interrupt.h"
#include "saltus/app/solve_report.h"
#include "saltus/app/terminal.h"
#include "saltus/base/error.h"
#include "saltus/base/suggest.h"
#include "saltus/contact/certificate.h"
#include "saltus/contact/residual.h"
#include "saltus/math/flush_denormals.h"
#include "saltus/results/output_file.h"
#include "saltus/solvers/registry.h"
#include "saltus/study/performance_profile.h"

namespace saltus::app {
namespace {

namespace fs = std::filesystem;

/// Short solves are repeated to get meaningful times.
constexpr double kLongEnough = 0.01;  // [s]
constexpr int kMostRepeats = 25;

struct NamedSolver {
  std::string name;
  std::unique_ptr<ContactSolver> solver;

  bool handles(const FclibProblem& problem) const {
    for (const Law& law : problem.laws)
      if (!solver->handles(law.kind)) return false;
    return problem.W->symmetric() || !solver->needs_symmetric();
  }
};

std::vector<NamedSolver> all_solvers() {
  std::vector<NamedSolver> list;
  for (const SolverRow& row : solvers()) list.push_back({std::string(row.name), row.make()});
  return list;
}

std::vector<NamedSolver> solvers_of(const SolveOptions& options) {
  std::vector<NamedSolver> list = all_solvers();
  if (options.all) return list;
  std::vector<std::string_view> names;
  for (const SolverRow& row : solvers()) names.push_back(row.name);
  std::erase_if(list, [&](const NamedSolver& s) { return s.name != options.solver; });
  if (list.empty())
    throw SceneError("--solver", "there is no solver '" + options.solver + "'",
                     did_you_mean(options.solver, names));
  return list;
}

/// Refuses a problem that no solver of the list handles, and names the solvers that do.
[[noreturn]] void refuse(const std::string& file, const FclibProblem& problem,
                         const std::string& solver) {
  std::string able;
  for (const NamedSolver& other : all_solvers())
    if (other.handles(problem)) able += (able.empty() ? "" : ", ") + other.name;
  throw SceneError("", "solver " + solver + " does not handle this problem",
                   able.empty() ? "no solver does" : "allowed: " + able)
      .at(file, 0, 0);
}

double processor_time() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Solves from p = start, with new memory each time.
SolvedRow solve_once(const NamedSolver& solver, const ContactProblemData& problem, Limits limits,
                     const Vector& begin, Vector& p) {
  const FlushDenormals flush;  // as in a run
  const auto view = problem.view();
  SolvedRow row;
  row.solver = solver.name;
  row.time = std::numeric_limits<double>::infinity();
  for (double total = 0.0; row.repeats < kMostRepeats && total < kLongEnough; ++row.repeats) {
    SolverMemory memory;
    p = begin;
    const InterruptGuard interrupt;
    const double start = processor_time();
    row.report = solve_certified(*solver.solver, view, limits, memory, p);
    const double time = std::max(processor_time() - start, 1e-9);
    if (row.report.stopped) throw RunError("interrupted; no file was written");
    row.time = std::min(row.time, time);
    total += time;
  }
  row.measures = measure(view, p);
  return row;
}

/// Repeats the solve of the run that wrote the file.
SolvedRow solve_as_run(const FclibRun& run, Limits limits, Vector& p) {
  const SolverRow* const row = find_solver(run.solver);
  NamedSolver solver{run.solver, row->make()};
  Limits own = run.limits;
  own.stop = limits.stop;
  return solve_once(solver, run, own, run.start, p);
}

SolvedProblem describe(const std::string& file, const FclibProblem& problem) {
  SolvedProblem told;
  told.file = file;
  told.title = problem.title;
  told.spacedim = problem.spacedim;
  told.contacts = problem.contacts;
  told.equalities = problem.equalities;
  told.symmetric = problem.W->symmetric();
  told.rolling = problem.rolling;
  told.global = problem.global;
  told.notes = problem.notes;
  if (problem.solution) {
    Vector p = Vector::Zero(problem.rows());
    p.head(problem.solution->r.size()) = problem.solution->r;
    if (problem.solution->l.size() > 0) p.tail(problem.equalities) = problem.solution->l;
    const auto view = problem.view();
    told.stored = residual(view, p);
  }
  return told;
}

void write_solution(const std::string& path, FclibProblem& problem, const Vector& p) {
  Vector u(problem.rows());
  problem.W->apply(p, u);
  u += problem.b;
  const int rows = problem.contacts * problem.spacedim;
  problem.solution =
      FclibSolution{p.head(rows), u.head(rows), Vector(), p.tail(problem.equalities)};
  write_fclib(path, problem);
}

/// Checks that outputs do not replace a problem or each other.
void check_names(const SolveOptions& options) {
  std::vector<std::pair<std::string, std::string>> outputs;
  for (const auto& [option, name] : {std::pair{"-o", &options.output},
                                     {"--profile", &options.profile},
                                     {"--plot", &options.plot}})
    if (!name->empty()) outputs.emplace_back(option, *name);
  const auto same = [](const std::string& a, const std::string& b) {
    std::error_code ignored;
    return fs::equivalent(a, b, ignored) ||
           fs::path(a).lexically_normal() == fs::path(b).lexically_normal();
  };
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    for (const std::string& file : options.files)
      if (same(file, outputs[k].second))
        throw SceneError(outputs[k].first,
                         "'" + outputs[k].second + "' is the file of the problem itself",
                         "give another name");
    for (std::size_t j = 0; j < k; ++j)
      if (same(outputs[j].second, outputs[k].second))
        throw SceneError(outputs[k].first,
                         "'" + outputs[k].second + "' is also the file of " + outputs[j].first,
                         "give another name");
  }
}

/// Profile of the solvers that handled at least one problem.
PerformanceProfile profile_of(const SolveResult& result, const std::vector<NamedSolver>& list) {
  std::vector<std::string> names;
  for (const NamedSolver& solver : list)
    if (std::ranges::any_of(result.problems, [&](const SolvedProblem& problem) {
          return std::ranges::count(problem.rows, solver.name, &SolvedRow::solver) > 0;
        }))
      names.push_back(solver.name);
  PerformanceProfile profile(names);
  for (const SolvedProblem& problem : result.problems) {
    std::vector<double> times(names.size(), std::numeric_limits<double>::infinity());
    for (const SolvedRow& row : problem.rows)
      if (row.report.converged)
        times[static_cast<std::size_t>(std::ranges::find(names, row.solver) - names.begin())] =
            row.time;
    profile.add(times);
  }
  return profile;
}

void expect_run(const std::string& file, const FclibProblem& problem) {
  if (!problem.run)
    throw SceneError(
        "--as-run", "the file does not contain how a run solved its problem",
        "use files that `saltus run --dump-contact` wrote for bodies without joints; it does not "
        "store this for bodies whose rows never change, such as a string over frets, or for "
        "deformable bodies with many contacts")
        .at(file, 0, 0);
  if (!find_solver(problem.run->solver))
    throw SceneError("/saltus/solver", "there is no solver '" + problem.run->solver + "'",
                     "allowed: those of `saltus describe solvers`")
        .at(file, 0, 0);
}

void check(const SolveOptions& options) {
  if (!std::isfinite(options.tolerance))
    throw SceneError("--tolerance", "is not a finite number", "allowed: > 0, default 1e-8");
  if (!options.output.empty() && options.files.size() > 1)
    throw SceneError("-o", "applies to one problem only",
                     fmt::format("there are {}", options.files.size()));
  check_names(options);
}

}  // namespace

int cmd_solve(const SolveOptions& options) {
  check(options);
  const Limits limits{.tolerance = options.tolerance,
                      .iterations = options.iterations,
                      .stop = &InterruptGuard::stop()};
  const std::vector<NamedSolver> list = solvers_of(options);
  for (const std::string& file : options.files) {  // report all errors before the first solve
    const FclibProblem problem = read_fclib(file, FclibRead::solutions);
    if (options.as_run) {
      expect_run(file, problem);
      continue;
    }
    if (std::ranges::none_of(list, [&](const NamedSolver& s) { return s.handles(problem); }))
      refuse(file, problem, options.all ? "of any name" : list.front().name);
  }
  // create outputs now, so that a folder that is not writable is reported before the solves
  if (!options.output.empty()) OutputFile(options.output);
  std::optional<OutputFile> table, plot;
  if (!options.profile.empty()) table.emplace(options.profile);
  if (!options.plot.empty()) plot.emplace(options.plot);

  SolveResult result;
  result.tolerance = options.tolerance;
  for (const std::string& file : options.files) {
    FclibProblem problem = read_fclib(file, FclibRead::solutions);
    SolvedProblem& told = result.problems.emplace_back(describe(file, problem));
    Vector p;
    if (options.as_run) {
      result.tolerance = problem.run->limits.tolerance;
      told.rows.push_back(solve_as_run(*problem.run, limits, p));
      continue;
    }
    const Vector zero = Vector::Zero(problem.rows());
    for (const NamedSolver& solver : list)
      if (solver.handles(problem))
        told.rows.push_back(solve_once(solver, problem, limits, zero, p));
    if (!options.output.empty()) {
      write_solution(options.output, problem, p);
      result.written.push_back(options.output);
    }
  }
  const PerformanceProfile profile = profile_of(result, list);
  if (table) {
    table->write(profile.csv());
    table->commit();
    result.written.push_back(options.profile);
  }
  if (plot) {
    plot->write(profile.svg());
    plot->commit();
    result.written.push_back(options.plot);
  }

  const std::string text = options.json ? solve_json(result) : solve_text(result);
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::string unsolved;
  for (const SolvedProblem& problem : result.problems)
    if (!problem.solved()) unsolved += (unsolved.empty() ? "" : ", ") + problem.file;
  if (unsolved.empty()) return kDone;
  complain(options.as_run ? "not solved, as in the run: " + unsolved
                          : fmt::format("not solved to {:g}: {}", options.tolerance, unsolved));
  return kNotFinished;
}

}  // namespace saltus::app
