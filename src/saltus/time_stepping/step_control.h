// Choice of the steps that cover an interval: a binary ladder of lengths, controlled by an error
// estimate from step doubling. This file only decides; AdaptiveDriver makes the steps. Theory and
// measurements: docs/theory/adaptive-stepping.md.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "saltus/model/model.h"
#include "saltus/state/contact_view.h"
#include "saltus/state/state.h"

namespace saltus {

/// Position in an interval and length of the next step to try. Lengths are H/2^level, and a step
/// begins at a multiple of its length: few different lengths occur, and the last step ends with the
/// interval.
class StepLadder {
 public:
  static constexpr int kFinest = 30;  ///< a step of this level is accepted whatever its error

  /// For an interval of H [s], with the values learnt in the previous one: EventState::next, h,
  /// stepping and patience.
  StepLadder(const EventState& learnt, double H);
  void keep(EventState& learnt) const;

  bool done() const { return at_ == kWhole; }
  bool finest() const { return level_ == kFinest; }
  int level() const { return level_; }
  double length() const;  ///< of the step to try, as a fraction of the interval [1]
  /// end of this part of the step, as a fraction of the interval [1]
  double at(double part) const;

  /// Accepts the step. `ratio`: its error over the allowed error. `impact`: the step is judged by
  /// the rule for impacts, and its error gives no information about other lengths.
  void accept(double ratio, bool impact);
  /// Rejects the step; a shorter one is tried at the same position. Returns by how many levels.
  int reject(double ratio, bool impact);
  /// Rejects a step that could not be made.
  void fail();
  /// Halves a step that is too long to be tried, whatever its error would be. False: it already has
  /// the finest level.
  bool shorten();
  /// The error of the steps rejected here decreases no faster than their length: a force changes
  /// abruptly within them.
  bool stubborn() const { return stubborn_ >= 2; }

 private:
  static constexpr std::uint64_t kWhole = std::uint64_t{1} << kFinest;
  void choose();  ///< the longest step that the wished level and the position allow

  double H_;
  std::uint64_t at_ = 0;
  int level_ = 0, wish_ = 0;
  int proven_ = 0;          ///< level of the last step that was as long as wished
  std::uint64_t wait_ = 0;  ///< number of steps until a longer one is tried
  /// last initial value of `wait_`; halved when a longer step succeeds
  std::uint64_t patience_ = 0;
  int stubborn_ = 0;
  /// ratio of the previous step if it was rejected without an impact, else 0
  double rejected_ = 0.0;
};

/// A contact that carried an impulse.
struct Touch {
  std::uint64_t key = 0;
  int island = 0;
};
/// A contact that closed within a step, or should have, and the bodies on its sides.
struct Closing {
  int island = 0;
  ContactView::Side a, b;
  double speed = 0.0;  ///< if it should have closed: rate at which its gap decreases [m/s]
};

/// State at the end of a step or of a half step.
struct StepEnd {
  std::vector<Vector> q, v;    ///< of the groups; v physical
  std::vector<Touch> touches;  ///< sorted by key
};

/// Contacts in `now` that are not in `before`.
void new_touches(std::span<const Touch> before, std::span<const Touch> now,
                 std::vector<Touch>& out);

/// Errors of a step of length s = H/2^level by comparison with two steps of s/2, per body:
///
///     e_v = |v_fine - v_coarse|_M / V,   e_q = |q_fine - q_coarse|_M / (H V),
///         V = max(|v0|_M, |v1|_M, H |a|_M)
///
/// where a is the mean acceleration without contact. Rules, applied to every island separately:
///     the same contacts are active at the start and in both solutions:
///         max(e_v, e_q) <= tolerance s/H
///     otherwise, an impact:
///         e_q <= tolerance; also e_v <= tolerance if the same contacts are active in both;
///         at most one of the contacts that closed matters, and no closing was missed
/// A contact matters if s J > tolerance H V, where J is the change of its bodies' velocities.
class StepEstimator {
 public:
  StepEstimator(const Model& model, double tolerance);

  void begin(double s, double H);
  /// Stores the acceleration of group g in a half step of length h that is solved but not yet
  /// finished.
  void accelerate(int g, const Trial& trial, double h);
  /// Adds a contact that closed in one of the half steps.
  void closed(const Closing& one) { closings_.push_back(one); }
  /// Adds a contact that should have closed: it is open but penetrated at the end of the step.
  void missed(const Closing& one) { missed_.push_back(one); }
  struct Verdict {
    /// of the worst island: error over allowed error [1]; <= 1: the step is good
    double ratio = 0.0;
    double error = 0.0;   ///< largest of e_v H/s, e_q H/s, or by the rule for impacts e_v, e_q [1]
    bool impact = false;  ///< the worst island is judged by the rule for impacts
    bool finite = true;
  };
  /// `slack` > 0: the error of a step without impact may be this fraction of the tolerance, however
  /// short the step is.
  Verdict judge(double t, const StepEnd& start, const StepEnd& coarse, const StepEnd& half,
                const StepEnd& fine, double slack);

 private:
  struct Body {  // norms |.|_M
    double v0 = 0.0, v1 = 0.0, a = 0.0, dv = 0.0, dq = 0.0;
    double to_half = 0.0, from_half = 0.0;  ///< change of v in the halves
    double scale(double H) const;
  };
  void measure(std::size_t g, double t, const StepEnd& start, const StepEnd& coarse,
               const StepEnd& half, const StepEnd& fine);
  void increment(std::size_t g, const Vector& from, const Vector& to);
  bool matters(const Closing& one, bool missed) const;
  double reach(const ContactView::Side& side, bool missed, double speed) const;

  const Model& model_;
  double tolerance_, s_ = 0.0, H_ = 0.0;
  std::vector<std::vector<Body>> bodies_;  ///< of each group
  std::vector<Vector> a_;  ///< of each group, from the half step in which it was larger
  std::vector<Closing> closings_, missed_;
  std::vector<Touch> coarse_closed_, first_closed_, second_closed_, fine_, only_;
  Vector difference_, product_, moved_;
};

}  // namespace saltus
