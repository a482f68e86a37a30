// One run of a study: the motion at the common times, the counters of the run and its wall time.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "saltus/sim/simulation.h"
#include "saltus/study/study.h"

namespace saltus {

/// What is compared: a probe of the model, or all positions of a group.
struct Observable {
  std::string name, unit;
  int group = 0;
  int probe = -1;  ///< index in Model::probes(); -1: all positions of the group
  int width = 1;   ///< numbers per time
};

/// Times at which every run is sampled: t_k = k every h_max, k = 0 .. count.
struct SamplePlan {
  double h_max = 0.0;
  std::uint64_t every = 1, count = 0;

  double interval() const { return h_max * static_cast<double>(every); }  ///< [s]
  double time(std::uint64_t k) const { return h_max * static_cast<double>(k * every); }
  /// Steps of length h between two samples; h divides h_max.
  std::uint64_t stride(double h) const;
};

/// Row k contains all observables, one after the other, at t_k; fewer rows if the run ended early.
struct Motion {
  std::size_t width = 0;
  std::vector<double> values;
  std::size_t rows() const { return width == 0 ? 0 : values.size() / width; }
  std::span<const double> row(std::size_t k) const {
    return std::span(values).subspan(k * width, width);
  }
};

/// Calls the watch of a study several times per second, however long a step takes.
class StudyPacer {
 public:
  StudyPacer(StudyWatch watch, std::uint64_t planned, Stop* stop = nullptr);
  ~StudyPacer();
  StudyPacer(const StudyPacer&) = delete;
  StudyPacer& operator=(const StudyPacer&) = delete;

  /// Adds steps to the plan.
  void plan(std::uint64_t more) { last_ += more; }
  /// Call after each step; false: stop.
  bool step(const Simulation& sim, const StepReport& report, double worst);
  /// Counts steps that a run will not make as done.
  void skip(std::uint64_t steps) { step_ += steps; }
  bool stopped() const { return stopped_ || stop_requested(stop_); }
  Stop* asked() const { return stop_; }  ///< stops the study within a step

 private:
  struct Clock;
  StudyWatch watch_;
  Stop* stop_ = nullptr;
  std::uint64_t step_ = 0, last_ = 0, since_ = 0, stride_ = 1;
  std::unique_ptr<Clock> clock_;
  bool stopped_ = false;
};

/// Evaluates all observables of a simulation. Velocities are physical ones, also for schemes that
/// store them at half steps.
class StudyObserver {
 public:
  StudyObserver(const Simulation& sim, std::span<const Observable> observables);
  /// Appends a row.
  void add(Motion& motion);

 private:
  double velocity(const Probe& probe);
  const Simulation& sim_;
  std::span<const Observable> observables_;
  Vector v_;
  PointScratch scratch_;
  PointRows rows_;
};

/// Runs the model over the plan. If `timed`, short runs are repeated and the median of their times
/// is returned.
StudyRun study_run(const Model& model, const SamplePlan& plan,
                   std::span<const Observable> observables, bool timed, StudyPacer& pacer,
                   Motion& motion);

}  // namespace saltus
