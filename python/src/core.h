// What is bound by the files of the core and named by the others: scenes, simulations, arrays and texts.
#pragma once
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "bind.h"
#include "saltus/sim/simulation.h"
#include "saltus/spec/scene.h"

namespace saltus::python {

/// The class Scene: what was read, and the assignments "path=value" that came on top of the text.
struct SceneObject {
  Scene scene;
  std::vector<std::string> set;
};
/// A Scene, or what saltus.Scene.of makes one of: a path, a dict. Needs the GIL.
std::shared_ptr<SceneObject> scene_of(py::handle scene, py::handle set = py::none());

/// An array of its own.
inline py::array_t<double> copy_of(View x) {
  return py::array_t<double>(static_cast<py::ssize_t>(x.size()), x.data());
}
/// A one-line text; bytes that are no UTF-8 are shown as \xNN.
py::str text_of(std::string_view text);
/// A time [s] from a number or a text with its unit; UsageError naming it for anything else.
double seconds_of(const std::string& name, py::handle value);
/// A file name as Python holds them.
py::str file_name(const std::string& name);

/// Thrown by run() for a step that failed: a RunError with its report.
class StepFailed : public RunError {
 public:
  StepFailed(const std::string& text, const StepReport& of) : RunError(text), report(of) {}
  StepReport report;
};

/// Who may use a simulation now: one thread, and who comes first is served first.
class Turn {
 public:
  /// False where another thread has it. A thread that has it gets it again.
  bool try_take();
  /// Waits. Never with the GIL: who has the turn may want that.
  void take();
  void give();
  /// Whether another thread waits, asked by the one that has it.
  bool wanted() const { return next_.load() - serving_.load() > 1; }

  bool stepping = false;  ///< the thread that has it is inside a step

 private:
  bool mine() const { return owner_.load() == std::this_thread::get_id(); }
  std::mutex mutex_;
  std::condition_variable news_;
  std::atomic<std::uint64_t> next_{0}, serving_{0};
  std::atomic<std::thread::id> owner_{};
  int depth_ = 0;
};

/// The class Simulation.
class SimulationObject {
 public:
  explicit SimulationObject(Simulation made) : sim(std::move(made)) {}

  Simulation sim;
  Turn turn;
  std::unique_ptr<ContactObserver> observer;  ///< null: none
  py::object watcher;                         ///< whom the observer calls
};

/// A turn while it lives. Made with the GIL, which is given up while it waits. From within a step, as
/// by a scheme written in Python, the state may be looked at (`inside`); all else is a UsageError.
class Taken {
 public:
  explicit Taken(Turn& turn, bool inside = false);
  ~Taken() { turn_.give(); }
  Taken(const Taken&) = delete;
  Taken& operator=(const Taken&) = delete;

 private:
  Turn& turn_;
};

/// A simulation in its turn.
class Own : Taken {
 public:
  explicit Own(SimulationObject& of, bool inside = false) : Taken(of.turn, inside), sim_(of.sim) {}
  Simulation& operator*() const { return sim_; }
  Simulation* operator->() const { return &sim_; }

 private:
  Simulation& sim_;
};

void bind_state(py::module_& m);     ///< State
void bind_reports(py::module_& m);   ///< StepReport, RunReport
void bind_registry(py::module_& m);  ///< registries, describe, schema, what was built

/// contacts() as a structured array, sides by the number of the body in the model, -1: the world.
py::array contact_array(const Model& model, std::span<const ContactView> contacts);

/// events() as a structured array, kinds as numbers.
py::array event_array(std::span<const Event> events);

/// How a run went.
struct RunReport {
  std::uint64_t steps = 0, halved = 0;
  double t = 0.0, wall = 0.0, residual = 0.0, residual_after = 0.0;
  bool stopped = false;  ///< by the watch
};

}  // namespace saltus::python
