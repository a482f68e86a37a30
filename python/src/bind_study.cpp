// Studies and sweeps: many runs of one scene. saltus/_study.py and _sweep.py build the convenient
// interface on top.
#include <pybind11/stl.h>

#include <thread>

#include "core.h"
#include "file_lock.h"
#include "gil.h"
#include "saltus/study/study.h"
#include "saltus/study/study_page.h"
#include "saltus/study/study_table.h"
#include "saltus/study/sweep.h"
#include "saltus/study/sweep_table.h"
#include "watch.h"

namespace saltus::python {
namespace {

std::shared_ptr<StudyResult> study(const py::object& scene, const py::object& set,
                                   std::vector<std::string> schemes, std::vector<double> steps,
                                   int levels, double tolerance, std::optional<double> until,
                                   std::string probe, const py::object& progress) {
  const std::shared_ptr<SceneObject> read = scene_of(scene, set);
  StudyOptions options;
  options.schemes = std::move(schemes);
  options.steps = std::move(steps);
  options.levels = levels;
  options.tolerance = tolerance;
  options.until = until;
  options.probe = std::move(probe);
  Watch watch(progress);
  options.stop = watch.stop();
  auto result = std::make_shared<StudyResult>();
  {
    const Others others;
    *result = run_study(read->scene, options, [&](const StudyProgress& p) {
      return watch([&] {
        py::dict now;
        now["step"] = p.step;
        now["first"] = 0;
        now["last"] = p.last;
        now["t"] = p.t;
        now["end"] = p.end;
        now["contacts"] = p.contacts;
        now["residual"] = p.residual;
        return now;
      });
    });
  }
  watch.rethrow("interrupted; an incomplete study has no result");
  if (result->stopped) throw RunError("the study was stopped; an incomplete study has no result");
  return result;
}

/// The rows of a sweep and their parameter values.
struct SweepRows {
  SweepPlan plan;
  std::vector<SweepRow> rows;
  SweepCount count;
  int threads = 1;
  std::string title;
};

std::shared_ptr<SweepRows> run_sweep(const py::object& scene, const py::object& set,
                                     const std::vector<std::string>& values, int threads,
                                     std::optional<std::uint64_t> random,
                                     std::optional<std::uint64_t> seed,
                                     const py::object& progress) {
  const std::shared_ptr<SceneObject> read = scene_of(scene, set);
  if (seed && !random) throw UsageError("seed: no value is random; give random=N");
  auto result = std::make_shared<SweepRows>(
      SweepRows{SweepPlan(values, random, seed.value_or(0)), {}, {}, 1, {}});
  Watch watch(progress);
  {
    const Others others;
    const SweepScene source{read->scene.text, read->scene.file, read->scene.folder, read->set};
    result->title = first_valid_scene(source, result->plan).spec.title;
    const unsigned here = std::max(1u, std::thread::hardware_concurrency());
    const auto asked = static_cast<std::uint64_t>(threads > 0 ? threads : static_cast<int>(here));
    result->threads = static_cast<int>(std::min(asked, result->plan.runs()));
    result->rows = sweep(source, result->plan, result->threads, [&](const SweepCount& c) {
      return watch([&] {
        py::dict now;
        now["runs"] = c.runs;
        now["done"] = c.done();
        now["failed"] = c.failed + c.invalid;
        return now;
      });
    });
    result->count = count(result->rows);
  }
  watch.rethrow("interrupted after " + std::to_string(result->count.done()) + " of " +
                std::to_string(result->count.runs) + " runs");
  return result;
}

void write_csv(const SweepRows& sweep, const std::string& file, bool times) {
  const FileLock lock;
  OutputFile out(file);
  write_sweep(out, sweep.plan, sweep.rows, times);
  out.commit();
}

}  // namespace

void bind_study(py::module_& m) {
  const auto text = [](std::string (*of)(const StudyResult&)) {
    return [of](const StudyResult& result) { return text_of(of(result)); };
  };
  py::class_<StudyResult, std::shared_ptr<StudyResult>>(m, "_StudyResult")
      .def("text", text(&study_text))
      .def("csv", text(&study_csv))
      .def("json", text(&study_json))
      .def("page", text(&study_page))
      .def_property_readonly("times", [](const StudyResult& r) { return r.times; })
      .def("energy", [](const StudyResult& r, std::size_t scheme, std::size_t run) {
        return py::array_t<double>(py::cast(r.schemes.at(scheme).runs.at(run).energy));
      });
  m.def("_study", &study, py::arg("scene"), py::arg("set"), py::arg("schemes"), py::arg("steps"),
        py::arg("levels"), py::arg("tolerance"), py::arg("until"), py::arg("probe"),
        py::arg("progress"));

  py::class_<SweepRows, std::shared_ptr<SweepRows>>(m, "_SweepRows")
      .def_property_readonly("runs", [](const SweepRows& s) { return s.count.runs; })
      .def_property_readonly("ok", [](const SweepRows& s) { return s.count.ok; })
      .def_property_readonly("failed", [](const SweepRows& s) { return s.count.failed; })
      .def_property_readonly("invalid", [](const SweepRows& s) { return s.count.invalid; })
      .def_property_readonly("done", [](const SweepRows& s) { return s.count.done(); })
      .def_property_readonly("threads", [](const SweepRows& s) { return s.threads; })
      .def_property_readonly("title", [](const SweepRows& s) { return text_of(s.title); })
      .def_property_readonly("paths",
                             [](const SweepRows& s) {
                               py::list paths;
                               for (const SweepAxis& axis : s.plan.axes())
                                 paths.append(text_of(axis.path));
                               return paths;
                             })
      .def_property_readonly("units",
                             [](const SweepRows& s) {
                               py::list units;
                               for (const SweepAxis& axis : s.plan.axes())
                                 units.append(text_of(axis.unit));
                               return units;
                             })
      .def("assignments",
           [](const SweepRows& s, std::uint64_t run) { return s.plan.assignments(run); })
      .def("to_csv", &write_csv, py::arg("file"), py::arg("times"));
  m.def("_sweep", &run_sweep, py::arg("scene"), py::arg("set"), py::arg("values"),
        py::arg("threads"), py::arg("random"), py::arg("seed"), py::arg("progress"));
}

}  // namespace saltus::python
