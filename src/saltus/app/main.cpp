// The command `saltus`: selects the verb.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "saltus/app/command_line.h"
#include "saltus/app/failure.h"
#include "saltus/app/terminal.h"
#include "saltus/base/error.h"
#include "saltus/base/suggest.h"
#include "saltus/results/output_file.h"
#include "saltus/version.h"

namespace saltus::app {
namespace {

constexpr std::string_view kVerbs[] = {"run",      "check",   "study",  "sweep", "solve",
                                       "describe", "info",    "report", "view",  "compare",
                                       "verify",   "convert", "import", "new",   "schema"};

constexpr const char* kShortHelp =
    "Saltus integrates mechanical systems with impact and contact in time.\n"
    "\n"
    "  saltus new my_scene            write a scene to start from\n"
    "  saltus check my_scene.yaml     read it and print a summary, without running it\n"
    "  saltus run my_scene.yaml       integrate it; results go to my_scene.h5\n"
    "  saltus study my_scene.yaml     compare schemes and steps; writes a page with plots\n"
    "  saltus sweep my_scene.yaml --set PATH=1:10:0.5\n"
    "                                 run once per value; writes a table with one row per run\n"
    "  saltus solve problem.hdf5      solve a contact problem in a file (FCLIB)\n"
    "  saltus info my_scene.h5        print the contents of a results file\n"
    "  saltus report my_scene.h5      one HTML page with animation, plots and sounds\n"
    "  saltus compare a.h5 b.h5       show where two runs differ; --tolerance 1e-9\n"
    "  saltus verify my_scene.h5      check a run with independent code: pass or fail\n"
    "  saltus view my_scene.h5        show the run in the browser; --live my_scene.yaml controls "
    "one\n"
    "  saltus convert my_scene.h5 --to wav|csv|vtu|vtp|xdmf|fclib|state\n"
    "  saltus import robot.urdf       convert a robot to a scene, robot.yaml\n"
    "  saltus describe scene          list all entries of a scene; also bodies, schemes, solvers, "
    "laws, options\n"
    "  saltus schema                  print the JSON Schema of scenes, for editors\n"
    "\n"
    "`saltus VERB --help` lists the options of a verb.\n";

int print_version() {
  std::printf("saltus %s (%s, %s)\n", std::string(version()).c_str(), std::string(commit()).c_str(),
              std::string(compiler()).c_str());
  return kDone;
}

/// The first word must be a verb; CLI11 would not suggest the nearest one.
void expect_verb(std::string_view word) {
  if (std::ranges::find(kVerbs, word) != std::end(kVerbs)) return;
  const std::string name(word);
  if (word.ends_with(".yaml") || word.ends_with(".yml"))
    throw SceneError("", "'" + name + "' is not a verb", "did you mean `saltus run " + name + "`?");
  if (word.starts_with('-'))
    throw SceneError("", "there is no option '" + name + "'",
                     "allowed: --help, --version, or a verb: " + list_names(kVerbs));
  throw SceneError("", "there is no verb '" + name + "'", did_you_mean(word, kVerbs));
}

int dispatch(int argc, char** argv) {
  if (argc < 2) {
    std::fputs(kShortHelp, stdout);
    return kDone;
  }
  const std::string_view first = argv[1];
  if (first == "--version" || first == "-V" || first == "version") return print_version();
  if (first == "--help" || first == "-h" || first == "help") {
    std::fputs(kShortHelp, stdout);
    return kDone;
  }
  expect_verb(first);
  Arguments a;
  if (!read_command_line(argc, argv, a)) return kDone;
  if (first == "run") return cmd_run(a.run, {argc, argv});
  if (first == "check") return cmd_check(a.check);
  if (first == "study") return cmd_study(a.study);
  if (first == "sweep") return cmd_sweep(a.sweep);
  if (first == "solve") return cmd_solve(a.solve);
  if (first == "describe") return cmd_describe(a.describe);
  if (first == "info") return cmd_info(a.info);
  if (first == "compare") return cmd_compare(a.compare);
  if (first == "verify") return cmd_verify(a.verify);
  if (first == "report") return cmd_report(a.report);
  if (first == "view") return cmd_view(a.view);
  if (first == "convert") return cmd_convert(a.convert);
  if (first == "import") return cmd_import(a.robot);
  if (first == "new") return cmd_new(a.create);
  return cmd_schema();
}

}  // namespace
}  // namespace saltus::app

int main(int argc, char** argv) {
  using namespace saltus;
  ignore_file_size_signal();
  const bool json = std::any_of(argv + std::min(argc, 1), argv + argc, [](const char* word) {
    return std::string_view(word) == "--json";
  });
  int code = app::kInternal;
  try {
    code = app::dispatch(argc, argv);
    if (std::fflush(stdout) != 0 || std::ferror(stdout))
      throw RunError("standard output: cannot be written");
  } catch (...) {
    code = app::report_failure(std::current_exception(), json);
  }
#ifdef SALTUS_INSTRUMENTED  // leaks and coverage counters are reported at exit
  return code;
#else
  // All files are closed. Skip the exit handlers of libraries: with limited memory, OpenBLAS may
  // wait there for threads that wait for memory.
  std::fflush(nullptr);
  std::_Exit(code);
#endif
}
