// Covers an interval in statics with increments of the load. An increment whose passes do not
// converge, or lead far from the last equilibrium, is halved; those that converge in few passes are
// doubled. Where the stiffness matrix gains a negative eigenvalue, increments are halved until the
// load of the instability is known.
#pragma once
#include <string>

#include "saltus/sim/step_driver.h"

namespace saltus {

class StaticDriver {
 public:
  explicit StaticDriver(StepDriver& steps);

  /// Covers the interval to t1. An interval that fails changes nothing; StepReport::detail then
  /// says up to which load there are equilibria.
  void advance(double H, double t1, StepReport& report);

 private:
  /// The interval is divided into kWhole parts, so that equal increments have equal lengths.
  static constexpr int kWhole = 1 << 14;
  struct Interval {
    double t0, t1, H;
    int at = 0, wish = kWhole;  ///< parts that are covered, and of the next increment
    bool brackets = false;      ///< the load of an instability is being bracketed
    int hi = kWhole;            ///< brackets: first part known to be unstable
    StepReport sum{};           ///< of the increments that count
    double time(int part) const { return part == kWhole ? t1 : t0 + H * part / kWhole; }
    double length(int parts) const { return parts == kWhole ? H : H * parts / kWhole; }
  };
  bool find_equilibrium(double h, StepReport& report);
  void guess(double part);
  double change_of_ends();
  int negative();
  bool brackets(Interval& now, int parts, int negative);
  void accept(Interval& now, int parts, StepReport& made);
  double load(double t) const;
  void report_unstable(double from, double to);
  std::string limit_text(const Interval& now, const StepReport& last) const;
  void restore(const State& from);

  StepDriver& steps_;
  bool yields_ = false;              ///< a contact law is a force, which needs overlap
  std::vector<Vector> ends_before_;  ///< q of the groups in the last search
  int known_ = 0;                    ///< negative eigenvalues in the last equilibrium
};

}  // namespace saltus
