// `saltus study`: compares schemes and steps.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "saltus/app/app.h"
#include "saltus/app/interrupt.h"
#include "saltus/app/terminal.h"
#include "saltus/base/error.h"
#include "saltus/base/units.h"
#include "saltus/results/output_file.h"
#include "saltus/scene_file/data_files.h"
#include "saltus/scene_file/scene_yaml.h"
#include "saltus/study/study.h"
#include "saltus/study/study_page.h"
#include "saltus/study/study_schemes.h"
#include "saltus/study/study_table.h"

namespace saltus::app {
namespace {

namespace fs = std::filesystem;

double positive(const char* option, const std::string& text, Dimension dimension) {
  const Quantity quantity = parse_quantity(text, dimension);
  if (!quantity.error.empty()) throw SceneError(option, quantity.error, quantity.hint);
  if (!(quantity.value > 0.0)) throw SceneError(option, "'" + text + "' must be > 0");
  return quantity.value;
}

saltus::StudyOptions study_options(const StudyArguments& a) {
  saltus::StudyOptions options;
  if (!a.schemes.empty()) options.schemes = split_schemes(a.schemes);
  if (!a.steps.empty())
    for (const std::string& step : split_schemes(a.steps))
      options.steps.push_back(positive("--steps", step, unit::s));
  if (a.levels > 0) options.levels = a.levels;
  if (!a.tolerance.empty()) options.tolerance = positive("--tolerance", a.tolerance, unit::one);
  if (!a.until.empty()) options.until = positive("--until", a.until, unit::s);
  options.probe = a.probe;
  return options;
}

/// The folder of the report. If newly made, it is removed with this object unless it is kept.
class ReportFolder {
 public:
  explicit ReportFolder(fs::path path) : path_(std::move(path)) {
    for (fs::path p = path_; !p.empty() && !fs::exists(p); p = p.parent_path()) made_.push_back(p);
    std::error_code error;
    fs::create_directories(path_, error);
    if (error || !fs::is_directory(path_))
      throw SceneError("", "cannot be created as a folder", "give another one with -o")
          .at(path_.string(), 0, 0);
  }
  ~ReportFolder() {
    std::error_code ignored;
    if (!kept_)
      for (const fs::path& p : made_) fs::remove(p, ignored);  // a folder with files remains
  }
  ReportFolder(const ReportFolder&) = delete;
  ReportFolder& operator=(const ReportFolder&) = delete;

  std::string file(const char* name) const { return (path_ / name).string(); }
  void keep() { kept_ = true; }

 private:
  fs::path path_;
  std::vector<fs::path> made_;  ///< innermost first
  bool kept_ = false;
};

/// Checks that the report replaces no file that the scene reads.
void expect_new(const Scene& scene, const std::string& file) {
  std::error_code ignored;
  const auto same = [&](const fs::path& other) { return fs::equivalent(file, other, ignored); };
  std::string what = same(scene.file) ? "the scene itself" : "";
  for (const DataFile& data : data_files(scene))
    if (same(data.file)) what = "the file of " + data.entry;
  if (!what.empty())
    throw SceneError("", "is " + what, "give the report another folder with -o").at(file, 0, 0);
}

bool none_ended(const StudyResult& result) {
  for (const StudyScheme& scheme : result.schemes)
    for (const StudyRun& run : scheme.runs)
      if (run.status == StudyStatus::ok) return false;
  return true;
}

}  // namespace

int cmd_study(const StudyArguments& arguments) {
  saltus::StudyOptions options = study_options(arguments);
  options.stop = &InterruptGuard::stop();
  const Scene scene = read_scene(arguments.scene, arguments.set);
  const InterruptGuard interrupt;  // until the files are complete
  ReportFolder folder(arguments.output.empty()
                          ? fs::path("results") /
                                (fs::path(arguments.scene).stem().string() + "_study")
                          : fs::path(arguments.output));
  for (const char* name : {"study.csv", "study.json", "study.html"})
    expect_new(scene, folder.file(name));
  // create outputs now, so that a folder that is not writable is reported before the runs
  OutputFile csv(folder.file("study.csv")), json(folder.file("study.json")),
      page(folder.file("study.html"));
  StudyResult result;
  {
    Progress progress(arguments.quiet);
    result = run_study(scene, options, [&](const StudyProgress& p) {
      const Clock::time_point now = Clock::now();
      if (progress.due(now))
        progress.show(now, {p.step, 0, p.last, p.t, p.end, p.contacts, p.residual});
      return interrupt.signal() == 0;
    });
  }
  if (result.stopped) throw RunError("interrupted; no file was written");
  csv.write(study_csv(result));
  const std::string object = study_json(result);
  json.write(object);
  page.write(study_page(result));
  csv.commit();
  json.commit();
  page.commit();
  folder.keep();
  if (arguments.json) {
    auto told = nlohmann::ordered_json::parse(object);
    told["files"] = {csv.path(), json.path(), page.path()};
    const std::string text =
        told.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
    std::fputs(text.c_str(), stdout);
  } else if (!arguments.quiet) {
    std::fputs(study_text(result).c_str(), stdout);
    fmt::print("{:<15} {}\n{:<15} {}\n{:<15} {}\n", "written", page.path(), "", csv.path(), "",
               json.path());
  }
  if (none_ended(result)) {
    complain("no run of the study reached its end; the reasons are in " + csv.path());
    return kNotFinished;
  }
  return kDone;
}

}  // namespace saltus::app
