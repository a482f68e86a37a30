// Runs to a results file, as by `saltus run`.
#include <pybind11/stl.h>

#include <exception>
#include <optional>

#include "core.h"
#include "file_lock.h"
#include "gil.h"
#include "saltus/results/hdf5.h"
#include "saltus/study/scene_run.h"
#include "watch.h"

namespace saltus::python {
namespace {

py::dict dict_of(const RunProgress& p) {
  py::dict now;
  now["step"] = p.step;
  now["first"] = p.first;
  now["last"] = p.last;
  now["t"] = p.t;
  now["end"] = p.end;
  now["contacts"] = p.contacts;
  now["residual"] = p.residual;
  return now;
}

py::list texts_of(const std::vector<std::string>& texts) {
  py::list list;
  for (const std::string& one : texts) list.append(text_of(one));
  return list;
}

py::dict run(const py::object& scene, const py::object& set, const std::string& output,
             const std::string& until, bool resume, const std::vector<std::string>& command_line,
             const std::string& go_on, const std::string& dump_contact,
             const std::string& dump_folder, bool outputs_anywhere, const py::object& progress) {
  const std::shared_ptr<SceneObject> read = scene_of(scene, set);
  Watch watch(progress);
  std::vector<const char*> arguments;
  for (const std::string& one : command_line) arguments.push_back(one.c_str());
  SceneRunOptions options;
  options.output = output;
  options.resume = resume;
  options.go_on = go_on;
  options.dump_contact = dump_contact;
  options.dump_folder = dump_folder;
  options.outputs_anywhere = outputs_anywhere;
  options.stop = watch.stop();
  options.watch = [&](const RunProgress& p) { return watch([&] { return dict_of(p); }); };
  RunResult result;
  {
    // A thread-safe HDF5 does its own locking, and other threads may read meanwhile.
    const Others others;
    std::unique_lock<std::recursive_mutex> lock(file_mutex(), std::defer_lock);
    if (!h5::many_threads()) lock.lock();
    options.provenance = provenance_now(static_cast<int>(arguments.size()), arguments.data());
    SceneRun one(set_up(read->scene, until), std::move(options));
    result = one();
  }
  watch.rethrow(result.stopped);
  if (result.loop.end == LoopReport::End::failed)
    throw StepFailed(result.stopped, result.loop.failure);
  py::dict told;
  told["file"] = file_name(result.files.front());
  told["stopped"] = text_of(result.stopped);
  told["warnings"] = texts_of(result.warnings);
  told["faults"] = texts_of(result.faults);
  py::list files;
  for (const std::string& one : result.files) files.append(file_name(one));
  told["files"] = files;
  return told;
}

}  // namespace

void bind_run(py::module_& m) {
  m.def("_run", &run, py::arg("scene"), py::arg("set"), py::arg("output"), py::arg("until"),
        py::arg("resume"), py::arg("command_line"), py::arg("go_on"), py::arg("dump_contact"),
        py::arg("dump_folder"), py::arg("outputs_anywhere"), py::arg("progress"));
}

}  // namespace saltus::python
