// The generated contact problems on the command line (generate.h).
//
//     generated_set list                              name, contacts, rows and form of each
//     generated_set solve [TOLERANCE [SOLVER [WORD]]] CSV, a row a problem whose name has WORD; totals on stderr
//     generated_set write FOLDER [WORD]               FCLIB files
//     generated_set one FAMILY CONTACTS SEED FILE     one FCLIB file of any size
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "bench/contact/cpu_time.h"
#include "bench/contact/generate.h"
#include "saltus/contact/measures.h"
#include "saltus/exchange/fclib.h"
#include "saltus/solvers/registry.h"

namespace {

using namespace saltus;
using namespace saltus_bench;

std::string_view form(const Generated& g) { return g.problem.W->blocks() ? "blocks" : "bodies"; }

int list() {
  std::puts("name,contacts,rows,form");
  for (const GeneratedCase& c : generated_set()) {
    const Generated g = generate(c);
    std::printf("%s,%zu,%d,%s\n", g.name.c_str(), g.problem.laws.size(), g.problem.rows(),
                form(g).data());
  }
  return 0;
}

int solve(double tolerance, const char* name, std::string_view word) {
  const SolverRow* row = find_solver(name);
  if (!row) {
    std::fprintf(stderr, "generated_set: no solver %s\n", name);
    return 2;
  }
  struct Sum {
    int solved = 0, all = 0;
    double longest = 0.0;
  };
  std::map<std::string_view, Sum> sums;
  const auto solver = row->make();
  std::puts(
      "name,contacts,rows,form,converged,residual,iterations,cpu_seconds,siconos,penetration,cone,"
      "angle,gap,attempts");
  for (const GeneratedCase& c : generated_set()) {
    if (c.name().find(word) == std::string::npos) continue;
    const Generated g = generate(c);
    const auto view = g.problem.view();
    SolverMemory memory;
    Vector p = Vector::Zero(g.problem.rows());
    const double start = process_cpu_seconds();
    const SolveReport report =
        solver->solve(view, {.tolerance = tolerance, .iterations = 100'000}, memory, p);
    const double seconds = process_cpu_seconds() - start;
    const ContactMeasures m = measure(view, p);
    std::printf("%s,%zu,%d,%s,%d,%.3e,%d,%.4g,%.2e,%.2e,%.2e,%.2e,%.2e,", g.name.c_str(),
                g.problem.laws.size(), g.problem.rows(), form(g).data(), report.converged,
                report.residual, report.iterations, seconds, m.siconos, m.penetration, m.cone,
                m.angle, m.gap);
    for (int k = 0; k < report.attempted; ++k) {
      const Attempt& a = report.attempts[static_cast<std::size_t>(k)];
      std::printf("%s%s:%d:%.1e", k > 0 ? " " : "", std::string(a.solver).c_str(), a.iterations,
                  a.residual);
    }
    std::printf("\n");
    std::fflush(stdout);
    for (Sum* sum : {&sums[kFamilies[static_cast<std::size_t>(c.family)]], &sums["all"]}) {
      ++sum->all;
      sum->solved += report.converged && seconds <= 30.0;
      sum->longest = std::max(sum->longest, seconds);
    }
  }
  for (const auto& [family, sum] : sums)
    std::fprintf(stderr, "%-8s %3d of %3d within 30 s, longest %.3g s\n",
                 std::string(family).c_str(), sum.solved, sum.all, sum.longest);
  return 0;
}

void write(const GeneratedCase& c, const std::string& path) {
  const Generated g = generate(c, Form::blocks);
  FclibProblem out;
  static_cast<ContactProblemData&>(out) = g.problem;
  out.rolling = c.family == Family::rolling;
  out.spacedim = g.problem.laws.front().size;
  out.contacts = static_cast<int>(g.problem.laws.size());
  out.title = g.name;
  out.description = "made by saltus, bench/contact/generate.h";
  write_fclib(path, out);
}

int run(int argc, char** argv) {
  const std::string_view verb = argc > 1 ? argv[1] : "";
  if (verb == "list" && argc == 2) return list();
  if (verb == "solve" && argc <= 5)
    return solve(argc > 2 ? std::atof(argv[2]) : 1e-8, argc > 3 ? argv[3] : "auto",
                 argc > 4 ? argv[4] : "");
  if (verb == "write" && (argc == 3 || argc == 4)) {
    std::filesystem::create_directories(argv[2]);
    for (const GeneratedCase& c : generated_set())
      if (c.name().find(argc > 3 ? argv[3] : "") != std::string::npos)
        write(c, std::string(argv[2]) + "/" + c.name() + ".hdf5");
    return 0;
  }
  if (verb == "one" && argc == 6) {
    const auto family = std::find(kFamilies.begin(), kFamilies.end(), argv[2]);
    if (family != kFamilies.end()) {
      const auto index = static_cast<int>(family - kFamilies.begin());
      write({static_cast<Family>(index), std::atoi(argv[3]), std::strtoull(argv[4], nullptr, 10)},
            argv[5]);
      return 0;
    }
  }
  std::fputs(
      "generated_set list | solve [TOLERANCE [SOLVER [WORD]]] | write FOLDER [WORD] | one FAMILY "
      "CONTACTS SEED FILE\nfamilies:",
      stderr);
  for (const std::string_view family : kFamilies)
    std::fprintf(stderr, " %s", std::string(family).c_str());
  std::fputs("\n", stderr);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "generated_set: %s\n", error.what());
    return 2;
  }
}
