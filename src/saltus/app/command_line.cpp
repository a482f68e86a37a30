// CLI11 is included here and nowhere else, because it is expensive to compile.
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

/// An empty word would be taken for an option that was not given.
std::string not_empty(const std::string& word) { return word.empty() ? "must not be empty" : ""; }

/// What is no number is left to the option that reads it.
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
                  "results file; <scene>.h5 in the working folder if not given")
      ->check(not_empty)
      ->type_name("FILE");
  add_set(*run, a.set);
  run->add_option("--until", a.until, "run to this time instead of time.end: 2, \"500 ms\"")
      ->check(not_empty)
      ->type_name("TIME");
  run->add_option("--sensitivities", a.sensitivities,
                  "derivatives of the outputs at the end by a number of the scene, in event-driven "
                  "integration: "
                  "contacts[0].law.restitution; may be repeated")
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
  run->add_option("--dump-folder", a.dump_folder, "their folder; that of the results if not given")
      ->check(not_empty)
      ->needs(dump)
      ->type_name("DIR");
  run->add_option("-j,--threads", a.threads,
                  "threads that share the loops of a step, no bit depends on them; as many as the "
                  "machine has cores")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  run->add_flag("--resume", a.resume,
                "continue an interrupted run, or a finished one to a later --until");
  run->add_flag("-q,--quiet", a.quiet, "no progress and no table; warnings and errors stay");
  add_json(*run, a.json);
}

void declare_check(CLI::App& app, CheckOptions& a) {
  CLI::App* check = app.add_subcommand(
      "check", "read a scene and say what it is, or all that is wrong with it; runs nothing");
  check->add_option("scene", a.scene, "scene file (YAML)")->required()->type_name("FILE");
  add_set(*check, a.set);
  add_json(*check, a.json);
}

void declare_study(CLI::App& app, StudyArguments& a) {
  CLI::App* study = app.add_subcommand("study", "compare schemes and steps on a scene");
  study->add_option("scene", a.scene, "scene file (YAML)")->required()->type_name("FILE");
  study
      ->add_option("--schemes", a.schemes,
                   "which, with commas: newmark,moreau-jean:theta=1; all that fit if not given")
      ->check(not_empty)
      ->type_name("LIST");
  CLI::Option* steps =
      study
          ->add_option(
              "--steps", a.steps,
              "steps, with commas, whole parts of the largest: \"4 ms,2 ms,1 ms\"; 4, 2, 1, "
              "1/2, 1/4 times that of the scene if not given")
          ->check(not_empty)
          ->type_name("LIST");
  study
      ->add_option("--levels", a.levels, "how many steps from 4 times that of the scene, each half")
      ->check(CLI::Range(1, 20))
      ->excludes(steps)
      ->type_name("N");
  study->add_option("--tolerance", a.tolerance, "relative error asked for; 1e-3 if not given")
      ->check(not_empty)
      ->type_name("E");
  study->add_option("--until", a.until, "run to this time instead of time.end: 2, \"500 ms\"")
      ->check(not_empty)
      ->type_name("TIME");
  study->add_option("--probe", a.probe, "the only output to compare; all if not given")
      ->check(not_empty)
      ->type_name("NAME");
  study
      ->add_option("-o,--output", a.output,
                   "folder of the report; results/<scene>_study in the working folder if not given")
      ->check(not_empty)
      ->type_name("DIR");
  add_set(*study, a.set);
  study->add_flag("-q,--quiet", a.quiet, "no progress and no table; warnings and errors stay");
  add_json(*study, a.json);
}

void declare_sweep(CLI::App& app, SweepOptions& a) {
  CLI::App* sweep = app.add_subcommand("sweep", "integrate a scene for every one of many values");
  sweep->add_option("scene", a.scene, "scene file (YAML)")->required()->type_name("FILE");
  sweep
      ->add_option("--set", a.set,
                   "values of an entry: FROM:TO:STEP, a list v1,v2,... or uniform(LOW,HIGH); "
                   "several give all combinations, the last one fastest")
      ->required()
      ->type_name("PATH=VALUES")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  sweep
      ->add_option("-o,--output", a.output,
                   "table (CSV); <scene>_sweep.csv in the working folder if not given")
      ->check(not_empty)
      ->type_name("FILE");
  sweep->add_option("--random", a.random, "how often uniform(LOW,HIGH) is drawn")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N");
  sweep->add_option("--seed", a.seed, "another seed, other draws; 0 if not given")
      ->check(not_negative, "NONNEGATIVE")
      ->type_name("S");
  sweep->add_option("-j,--jobs", a.jobs, "runs at once; as many as the machine has cores")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  sweep->add_flag("--times", a.times, "with a column of wall times");
  sweep->add_flag("-q,--quiet", a.quiet, "no progress and no table; warnings and errors stay");
  add_json(*sweep, a.json);
}

void declare_solve(CLI::App& app, SolveOptions& a) {
  CLI::App* solve =
      app.add_subcommand("solve", "solve contact problems in files of the FCLIB format");
  solve->add_option("problem", a.files, "problems (HDF5); several give a table")
      ->required()
      ->type_name("FILE");
  solve
      ->add_option("-o,--output", a.output,
                   "file for the problem with its solution, written even if the tolerance is "
                   "missed; of one problem")
      ->check(not_empty)
      ->type_name("FILE");
  CLI::Option* solver =
      solve
          ->add_option("--solver", a.solver,
                       "which, by its name in `saltus describe solvers`; auto if not given")
          ->check(not_empty)
          ->type_name("NAME");
  solve->add_option("--tolerance", a.tolerance, "scale-invariant residual asked for; 1e-8")
      ->check(is_positive, "POSITIVE")
      ->type_name("E");
  solve->add_option("--iterations", a.iterations, "most iterations of a solver; 10000 if not given")
      ->check(CLI::Range(1, 1'000'000'000))
      ->type_name("N");
  CLI::Option* all =
      solve->add_flag("--all", a.all, "every solver that handles the problem, as a table");
  all->excludes(solver);
  solve->get_option("--output")->excludes(all);
  CLI::Option* as_run = solve->add_flag(
      "--as-run", a.as_run,
      "again as the run that wrote the file solved it: its solver, tolerance and first impulses");
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
  CLI::App* describe = app.add_subcommand("describe", "what a scene can say");
  describe->add_option("topic", a.topic, "schemes, bodies, solvers, laws, options or scene")
      ->required()
      ->type_name("TOPIC");
  add_json(*describe, a.json);
  describe->add_flag("--markdown", a.markdown, "as a page in Markdown");
}

void declare_info(CLI::App& app, InfoOptions& a) {
  CLI::App* info = app.add_subcommand("info", "what is in a results file");
  info->add_option("file", a.file, "results file, also the .part of a stopped run")
      ->required()
      ->type_name("FILE");
  info->add_flag("--cite", a.cite, "BibTeX of Saltus and of what the run stands on");
  add_json(*info, a.json);
}

void declare_compare(CLI::App& app, CompareOptions& a) {
  CLI::App* compare = app.add_subcommand("compare", "where the numbers of two runs differ");
  compare->add_option("first", a.first, "results file")->required()->type_name("FILE");
  compare->add_option("second", a.second, "results file")->required()->type_name("FILE");
  compare
      ->add_option("--tolerance", a.tolerance,
                   "relative to the largest value of a table; bit for bit if not given")
      ->type_name("E");
  add_json(*compare, a.json);
}

void declare_verify(CLI::App& app, VerifyOptions& a) {
  CLI::App* verify = app.add_subcommand("verify", "checks a results file with independent code");
  verify->add_option("file", a.file, "results file")->required()->type_name("FILE");
  add_json(*verify, a.json);
}

void declare_report(CLI::App& app, ReportOptions& a) {
  CLI::App* report =
      app.add_subcommand("report", "one HTML page with a run in it: drawing, plots, sounds");
  report->add_option("file", a.file, "results file, also the .part of a stopped run")
      ->required()
      ->type_name("FILE");
  report->add_option("-o,--output", a.output, "page; that of the file with .html if not given")
      ->check(not_empty)
      ->type_name("FILE");
  report
      ->add_option("--size", a.size,
                   "of the page, at most: 25MB if not given; frames and weak contacts that do not "
                   "fit are left out")
      ->check(not_empty)
      ->type_name("SIZE");
  add_json(*report, a.json);
}

void declare_view(CLI::App& app, ViewArguments& a) {
  CLI::App* view = app.add_subcommand("view", "a run in the browser, stored or live");
  view->add_option("file", a.file,
                   "results file, also the .part of a run that goes on; with --live a scene")
      ->required()
      ->type_name("FILE");
  CLI::Option* live =
      view->add_flag("--live", a.live, "run the scene here: start, pause, step, change, restart");
  view->add_option("--port", a.port, "where to listen; a free port if not given")
      ->check(CLI::Range(1, 65535))
      ->type_name("N");
  view->add_option("--host", a.host,
                   "address to listen on; 127.0.0.1, this machine alone, if not given")
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
  CLI::App* convert =
      app.add_subcommand("convert", "results as sound, tables, meshes or contact problems");
  convert->add_option("file", a.file, "results file")->required()->type_name("FILE");
  convert->add_option("--to", a.to, "wav, csv, vtu, vtp, xdmf or fclib")
      ->required()
      ->type_name("FORMAT");
  convert
      ->add_option("-o,--output", a.output,
                   "start of the names written; that of the file if not given")
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
                   "whose contact problem (fclib); the stored scene is run again up to it")
      ->check(is_positive, "POSITIVE")
      ->type_name("N");
  add_json(*convert, a.json);
}

void declare_import(CLI::App& app, ImportOptions& a) {
  CLI::App* verb = app.add_subcommand("import", "the scene of a robot that a URDF file describes");
  verb->add_option("robot", a.file, "URDF file, macros of xacro expanded")
      ->required()
      ->type_name("FILE");
  verb->add_option("-o,--output", a.output,
                   "scene file, written over; <robot>.yaml in the working folder if not given")
      ->check(not_empty)
      ->type_name("FILE");
  verb->add_option("--base", a.base,
                   "fixed holds the root link, free lets it go; a root named world stands still")
      ->check(not_empty)
      ->type_name("HOW");
  verb->add_option("--friction", a.friction,
                   "Coulomb's coefficient of all shapes; they touch nothing if not given")
      ->check(not_negative, "NONNEGATIVE")
      ->type_name("MU");
  verb->add_flag("--motors", a.motors,
                 "a motor at every joint with an effort: holds it as far as that suffices");
  add_json(*verb, a.json);
}

void declare_new(CLI::App& app, NewOptions& a) {
  CLI::App* create = app.add_subcommand("new", "write a scene to start from");
  create->add_option("name", a.name, "NAME.yaml is written, unless it exists")
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
  app.add_subcommand("schema", "JSON Schema of scenes, for editors");
}

/// The verb that is named, or the whole program.
const CLI::App& chosen(const CLI::App& app) {
  const auto verbs = app.get_subcommands();
  return verbs.empty() ? app : *verbs.front();
}

/// A command line that CLI11 cannot read, as a fault with the nearest valid name.
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
                     "`saltus " + where + " --help` lists them");
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
    std::fputs(app.help().c_str(), stdout);  // that of the verb, with the program before its name
    return false;
  } catch (const CLI::ParseError& error) {
    refuse(app, error);
  }
  return true;
}

}  // namespace saltus::app
