// Objects bound by the core files and used by the others: scenes, simulations, arrays and texts.
#pragma once
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "bind.h"
#include "saltus/event_driven/mechanism.h"
#include "saltus/sim/simulation.h"
#include "saltus/spec/scene.h"

namespace saltus::python {

/// The class Scene: the scene that was read, and the assignments "path=value" applied to its text.
struct SceneObject {
  Scene scene;
  std::vector<std::string> set;
};
/// A Scene, or the result of saltus.Scene.of for a path or a dict. Needs the GIL.
std::shared_ptr<SceneObject> scene_of(py::handle scene, py::handle set = py::none());

/// A new array with a copy of x.
inline py::array_t<double> copy_of(View x) {
  return py::array_t<double>(static_cast<py::ssize_t>(x.size()), x.data());
}
/// A one-line text; invalid UTF-8 bytes are written as \xNN.
py::str text_of(std::string_view text);
/// A time [s] from a number or a text with its unit; UsageError with `name` for anything else.
double seconds_of(const std::string& name, py::handle value);
/// A file name as a Python str.
py::str file_name(const std::string& name);

/// Thrown by run() after a failed step: a RunError with the report of the step.
class StepFailed : public RunError {
 public:
  StepFailed(const std::string& text, const StepReport& of) : RunError(text), report(of) {}
  StepReport report;
};

/// Access to a simulation for one thread at a time, in the order of requests.
class Turn {
 public:
  /// False if another thread has it. The thread that has it can take it again.
  bool try_take();
  /// Waits. Do not call it with the GIL: the thread that has the turn may need the GIL.
  void take();
  void give();
  /// Whether another thread waits; to be called by the thread that has the turn.
  bool wanted() const { return next_.load() - serving_.load() > 1; }

  bool stepping = false;  ///< the thread that has the turn is inside a step

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
  std::unique_ptr<ContactObserver> observer;  ///< null if there is none
  py::object watcher;                         ///< object that the observer calls
  std::unique_ptr<Mechanism> mechanism;       ///< null until it is needed
};

/// Holds the turn during its lifetime. Constructed with the GIL, which is released while it waits.
/// Within a step, as in a scheme written in Python, only reading the state is allowed (`inside`);
/// everything else is a UsageError.
class Taken {
 public:
  explicit Taken(Turn& turn, bool inside = false);
  ~Taken() { turn_.give(); }
  Taken(const Taken&) = delete;
  Taken& operator=(const Taken&) = delete;

 private:
  Turn& turn_;
};

/// A simulation with its turn.
class Own : Taken {
 public:
  explicit Own(SimulationObject& of, bool inside = false) : Taken(of.turn, inside), sim_(of.sim) {}
  Simulation& operator*() const { return sim_; }
  Simulation* operator->() const { return &sim_; }

 private:
  Simulation& sim_;
};

void bind_state(py::module_& m);     ///< State
void bind_batch(py::module_& m);     ///< Batch
void bind_reports(py::module_& m);   ///< StepReport, RunReport
void bind_registry(py::module_& m);  ///< registries, describe, schema, build information

/// contacts() as a structured array; a side is the number of the body in the model, -1: the world.
py::array contact_array(const Model& model, std::span<const ContactView> contacts);

/// events() as a structured array; kinds are numbers.
py::array event_array(std::span<const Event> events);

/// Result of a run.
struct RunReport {
  std::uint64_t steps = 0, halved = 0;
  double t = 0.0, wall = 0.0, residual = 0.0, residual_after = 0.0;
  bool stopped = false;  ///< stopped by the watch
};

}  // namespace saltus::python
