// CLI11 is included only here, because it is expensive to compile.
#include "saltus/app/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "saltus/base/error.h"
#include "saltus/base/suggest.h"

namespace saltus::app {
namespace {

void add_set(CLI::App& verb, std::vector<std::string>& set) {
  verb.add_option("--set", set, "replace an entry: --set bodies[0].scheme.theta=1; may be repeated")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_json(CLI::App& verb, bool& json) {
  verb.add_flag("--json", json, "one JSON object on stdout");
}

/// An empty word would look like a missing option.
std::string not_empty(const std::string& word) { return word.empty() ? "must not be empty" : ""; }

/// Accepts words that are not numbers; the option itself reports them.
std::string is_positive(const std::string& word) {
  double value = 1.0;
  return CLI::detail::lexical_cast(word, value) && !(value > 0.0)
             ? word + " is not > 0; allowed: numbers > 0"
             : "";
}
std::string not_negative(const std::string& word) {
  double value = 0.0;
  return CLI::detail::lexical_cast(word, value) && !(value >= 0.0)
             ? word + " is not >= 0; allowed: numbers >= 0"
             : "";
}

void declare_run(CLI::App& app, RunOptions& a) {
  CLI::App* run = app.add_subcommand("run", "integrate a scene and write its results");
  run->add_option("scene", a.scene, "scene file (YAML)")->required()->type_name("FILE");
  run->add_option("-o,--output", a.output,
                  "results file; default: <scene>.h5 in the working directory")
      ->check(not_empty)
      ->type_name("FILE");
  add_set(*run, a.set);
  run->add_option("--until", a.until, "run to this time instead of time.end: 2, \"500 ms\"")
      ->check(not_empty)
      ->type_name("TIME");
  run->add_option("--sensitivities", a.sensitivities,
                  "derivatives of the final outputs with respect to a number of the scene, with "
                  "event-driven integration: contacts[0].law.restitution; may be repeated")
      ->type_name("PATH")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  CLI::Option* dump =
      run->add_option("--dump-contact", a.dump_contact,
                      "contact problems to write as FCLIB files, for `saltus solve`: worst, failed "
                      "or every:N")
          ->check(not_empty)
          ->type_name("WHICH");
  run->add_option("--dump-folder", a.dump_folder,
                  "folder for --dump-contact; default: that of the results")
      ->check(not_empty)
      ->needs(dump)
      ->type_name("DIR");
  run->add_option("-j,--threads", a.threads,
                  "threads for the loops of a step, without influence on results; default: the "
                  "number of cores")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  run->add_flag("--resume", a.resume,
                "continue an interrupted run, or a finished one to a later --until");
  run->add_flag("--outputs-anywhere", a.outputs_anywhere,
                "accept sounds and tables outside the folder of the results or with names that do "
                "not end in .wav and .csv, and replace files that Saltus did not write");
  run->add_flag("-q,--quiet", a.quiet, "print no progress and no table, only warnings and errors");
  add_json(*run, a.json);
}

void declare_check(CLI::App& app, CheckOptions& a) {
  CLI::App* check = app.add_subcommand(
      "check", "read a scene and print a summary, or all errors, without running it");
  check->add_option("scene", a.scene, "scene file (YAML)")->required()->type_name("FILE");
  add_set(*check, a.set);
  check->add_flag("--outputs-anywhere", a.outputs_anywhere, "as for `saltus run`");
  add_json(*check, a.json);
}

void declare_study(CLI::App& app, StudyArguments& a) {
  CLI::App* study = app.add_subcommand("study", "compare schemes and steps on a scene");
  study->add_option("scene", a.scene, "scene file (YAML)")->required()->type_name("FILE");
  study
      ->add_option(
          "--schemes", a.schemes,
          "comma-separated: newmark,moreau-jean:theta=1; default: all that support the scene")
      ->check(not_empty)
      ->type_name("LIST");
  CLI::Option* steps =
      study
          ->add_option(
              "--steps", a.steps,
              "comma-separated, each a divisor of the largest: \"4 ms,2 ms,1 ms\"; default: 4, 2, "
              "1, 1/2, 1/4 times that of the scene")
          ->check(not_empty)
          ->type_name("LIST");
  study
      ->add_option("--levels", a.levels,
                   "number of steps, starting with 4 times that of the scene and halved each time")
      ->check(CLI::Range(1, 20))
      ->excludes(steps)
      ->type_name("N");
  study->add_option("--tolerance", a.tolerance, "required relative error; default: 1e-3")
      ->check(not_empty)
      ->type_name("E");
  study->add_option("--until", a.until, "run to this time instead of time.end: 2, \"500 ms\"")
      ->check(not_empty)
      ->type_name("TIME");
  study->add_option("--probe", a.probe, "the only output to compare; default: all")
      ->check(not_empty)
      ->type_name("NAME");
  study
      ->add_option("-o,--output", a.output,
                   "folder of the report; default: results/<scene>_study in the working directory")
      ->check(not_empty)
      ->type_name("DIR");
  add_set(*study, a.set);
  study->add_flag("-q,--quiet", a.quiet,
                  "print no progress and no table, only warnings and errors");
  add_json(*study, a.json);
}

void declare_sweep(CLI::App& app, SweepOptions& a) {
  CLI::App* sweep = app.add_subcommand("sweep", "integrate a scene for each of many values");
  sweep->add_option("scene", a.scene, "scene file (YAML)")->required()->type_name("FILE");
  sweep
      ->add_option("--set", a.set,
                   "values of an entry: FROM:TO:STEP, a list v1,v2,... or uniform(LOW,HIGH); "
                   "several options give all combinations, the last one varying fastest")
      ->required()
      ->type_name("PATH=VALUES")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  sweep
      ->add_option("-o,--output", a.output,
                   "table (CSV); default: <scene>_sweep.csv in the working directory")
      ->check(not_empty)
      ->type_name("FILE");
  sweep->add_option("--random", a.random, "number of draws of uniform(LOW,HIGH)")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N");
  sweep->add_option("--seed", a.seed, "seed of the random values; default: 0")
      ->check(not_negative, "NONNEGATIVE")
      ->type_name("S");
  sweep->add_option("-j,--jobs", a.jobs, "number of runs at once; default: the number of cores")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  sweep->add_flag("--times", a.times, "add a column of wall times");
  sweep->add_flag("-q,--quiet", a.quiet,
                  "print no progress and no table, only warnings and errors");
  add_json(*sweep, a.json);
}

void declare_solve(CLI::App& app, SolveOptions& a) {
  CLI::App* solve = app.add_subcommand("solve", "solve contact problems in FCLIB files");
  solve->add_option("problem", a.files, "problems (HDF5); a table is printed for several")
      ->required()
      ->type_name("FILE");
  solve
      ->add_option("-o,--output", a.output,
                   "file for the problem with its solution, written even if the tolerance is "
                   "missed; for one problem only")
      ->check(not_empty)
      ->type_name("FILE");
  CLI::Option* solver =
      solve->add_option("--solver", a.solver, "name as in `saltus describe solvers`; default: auto")
          ->check(not_empty)
          ->type_name("NAME");
  solve->add_option("--tolerance", a.tolerance, "required scale-invariant residual; default: 1e-8")
      ->check(is_positive, "POSITIVE")
      ->type_name("E");
  solve->add_option("--iterations", a.iterations, "largest number of iterations; default: 10000")
      ->check(CLI::Range(1, 1'000'000'000))
      ->type_name("N");
  CLI::Option* all = solve->add_flag(
      "--all", a.all, "use every solver that handles the problem, and print a table");
  all->excludes(solver);
  solve->get_option("--output")->excludes(all);
  CLI::Option* as_run = solve->add_flag("--as-run", a.as_run,
                                        "repeat the solve of the run that wrote the file, with its "
                                        "solver, tolerance and initial impulses");
  for (const char* other : {"--all", "--solver", "--tolerance", "--iterations", "--output"})
    as_run->excludes(solve->get_option(other));
  solve
      ->add_option("--profile", a.profile,
                   "performance profile (CSV): for each solver the fraction of problems that it "
                   "solves within a factor of the best time")
      ->check(not_empty)
      ->type_name("FILE");
  solve->add_option("--plot", a.plot, "the profile as a picture (SVG)")
      ->check(not_empty)
      ->type_name("FILE");
  add_json(*solve, a.json);
}

void declare_describe(CLI::App& app, DescribeOptions& a) {
  CLI::App* describe = app.add_subcommand("describe", "describe what a scene may contain");
  describe->add_option("topic", a.topic, "schemes, bodies, solvers, laws, options or scene")
      ->required()
      ->type_name("TOPIC");
  add_json(*describe, a.json);
  describe->add_flag("--markdown", a.markdown, "print a Markdown page");
}

void declare_info(CLI::App& app, InfoOptions& a) {
  CLI::App* info = app.add_subcommand("info", "print the contents of a results file");
  info->add_option("file", a.file, "results file, also the .part of a stopped run")
      ->required()
      ->type_name("FILE");
  info->add_flag("--cite", a.cite,
                 "print BibTeX entries of Saltus and of the methods used in the run");
  add_json(*info, a.json);
}

void declare_compare(CLI::App& app, CompareOptions& a) {
  CLI::App* compare = app.add_subcommand("compare", "show where the numbers of two runs differ");
  compare->add_option("first", a.first, "results file")->required()->type_name("FILE");
  compare->add_option("second", a.second, "results file")->required()->type_name("FILE");
  compare
      ->add_option("--tolerance", a.tolerance,
                   "relative to the largest value of a table; default: bit for bit")
      ->type_name("E");
  add_json(*compare, a.json);
}

void declare_verify(CLI::App& app, VerifyOptions& a) {
  CLI::App* verify = app.add_subcommand("verify", "check a results file with independent code");
  verify->add_option("file", a.file, "results file")->required()->type_name("FILE");
  add_json(*verify, a.json);
  verify->add_flag("--strict", a.strict, "end with exit code 3 if something was not checked");
}

void declare_report(CLI::App& app, ReportOptions& a) {
  CLI::App* report =
      app.add_subcommand("report", "write one HTML page of a run: animation, plots, sounds");
  report->add_option("file", a.file, "results file, also the .part of a stopped run")
      ->required()
      ->type_name("FILE");
  report->add_option("-o,--output", a.output, "page; default: the name of the file with .html")
      ->check(not_empty)
      ->type_name("FILE");
  report
      ->add_option("--size", a.size,
                   "largest size of the page; frames and weak contacts that do not fit are left "
                   "out; default: 25MB")
      ->check(not_empty)
      ->type_name("SIZE");
  add_json(*report, a.json);
}

void declare_view(CLI::App& app, ViewArguments& a) {
  CLI::App* view = app.add_subcommand("view", "show a stored or live run in the browser");
  view->add_option("file", a.file,
                   "results file, also the .part of a run in progress; with --live a scene")
      ->required()
      ->type_name("FILE");
  CLI::Option* live =
      view->add_flag("--live", a.live, "run the scene: start, pause, step, change, restart");
  view->add_option("--port", a.port, "port to listen on; default: a free port")
      ->check(CLI::Range(1, 65535))
      ->type_name("N");
  view->add_option("--host", a.host, "address to listen on; default: 127.0.0.1, this machine only")
      ->check(not_empty)
      ->type_name("ADDRESS");
  view->add_option("--set", a.set,
                   "with --live: replace an entry: --set time.step=1e-4; may be repeated")
      ->needs(live)
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_json(*view, a.json);
}

void declare_convert(CLI::App& app, ConvertOptions& a) {
  CLI::App* convert = app.add_subcommand(
      "convert", "convert results to sounds, tables, meshes, contact problems or a state");
  convert->add_option("file", a.file, "results file")->required()->type_name("FILE");
  convert->add_option("--to", a.to, "wav, csv, vtu, vtp, xdmf, fclib or state")
      ->required()
      ->type_name("FORMAT");
  convert
      ->add_option("-o,--output", a.output, "stem of the output files; default: that of the file")
      ->check(not_empty)
      ->type_name("STEM");
  convert->add_option("--probe", a.probe, "this probe only (wav)")
      ->check(not_empty)
      ->type_name("NAME");
  convert
      ->add_option("--nodes", a.nodes,
                   "motion of these nodes of a mesh only (csv): 12,57 or a node set")
      ->check(not_empty)
      ->type_name("NODES");
  convert
      ->add_option("--step", a.step,
                   "step of the contact problem (fclib); the stored scene is run again up to it")
      ->check(is_positive, "POSITIVE")
      ->type_name("N");
  convert
      ->add_option("--frame", a.frame,
                   "frame whose state is written (state): the first is 0, the last -1 (default)")
      ->type_name("N");
  convert->add_option("--time", a.time, "time of that frame instead (state): 2, \"500 ms\"")
      ->check(not_empty)
      ->type_name("TIME");
  add_json(*convert, a.json);
}

void declare_import(CLI::App& app, ImportOptions& a) {
  CLI::App* verb = app.add_subcommand("import", "convert a robot in a URDF file to a scene");
  verb->add_option("robot", a.file, "URDF file with expanded xacro macros")
      ->required()
      ->type_name("FILE");
  verb->add_option(
          "-o,--output", a.output,
          "scene file, overwritten if it exists; default: <robot>.yaml in the working directory")
      ->check(not_empty)
      ->type_name("FILE");
  verb->add_option(
          "--base", a.base,
          "fixed: the root link does not move, free: it does; a root named world is always fixed")
      ->check(not_empty)
      ->type_name("HOW");
  verb->add_option("--friction", a.friction,
                   "friction coefficient of all shapes; without it, shapes have no contacts")
      ->check(not_negative, "NONNEGATIVE")
      ->type_name("MU");
  verb->add_flag(
      "--motors", a.motors,
      "add a motor to every joint with an effort limit; it holds the joint within that limit");
  add_json(*verb, a.json);
}

void declare_new(CLI::App& app, NewOptions& a) {
  CLI::App* create = app.add_subcommand("new", "write a starter scene");
  create->add_option("name", a.name, "writes NAME.yaml, unless it exists")
      ->required()
      ->type_name("NAME");
  add_json(*create, a.json);
}

void declare(CLI::App& app, Arguments& a) {
  declare_run(app, a.run);
  declare_check(app, a.check);
  declare_study(app, a.study);
  declare_sweep(app, a.sweep);
  declare_solve(app, a.solve);
  declare_describe(app, a.describe);
  declare_info(app, a.info);
  declare_compare(app, a.compare);
  declare_verify(app, a.verify);
  declare_report(app, a.report);
  declare_view(app, a.view);
  declare_convert(app, a.convert);
  declare_import(app, a.robot);
  declare_new(app, a.create);
  app.add_subcommand("schema", "print the JSON Schema of scenes, for editors");
}

/// The verb given, or the whole program.
const CLI::App& chosen(const CLI::App& app) {
  const auto verbs = app.get_subcommands();
  return verbs.empty() ? app : *verbs.front();
}

/// Converts an error of CLI11 to a SceneError with the nearest valid name.
[[noreturn]] void refuse(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& verb = chosen(app);
  const std::string where = &verb == &app ? "" : verb.get_name();
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  const std::vector<std::string_view> known(names.begin(), names.end());
  if (const auto extra = verb.remaining(); !extra.empty()) {
    const auto option =
        std::ranges::find_if(extra, [](const std::string& w) { return w.starts_with('-'); });
    const std::string& word = option == extra.end() ? extra.back() : *option;
    if (word.size() > 1 && word[0] == '-')
      throw SceneError(where, "there is no option '" + word + "'",
                       did_you_mean(word.substr(0, word.find('=')), known));
    throw SceneError(where, "'" + word + "' is one argument too many",
                     "`saltus " + where + " --help` lists the arguments");
  }
  std::string text = error.what();
  if (!text.empty() && text.back() == '.') text.pop_back();
  throw SceneError(
      where, text,
      "`saltus " + where + (where.empty() ? "--help`" : " --help` lists the arguments"));
}

}  // namespace

bool read_command_line(int argc, char** argv, Arguments& a) {
  CLI::App app("Saltus", "saltus");
  declare(app, a);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);  // help of the verb, with the program name
    return false;
  } catch (const CLI::ParseError& error) {
    refuse(app, error);
  }
  return true;
}

}  // namespace saltus::app
