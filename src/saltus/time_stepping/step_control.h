// Which steps cover an interval: a binary ladder of lengths that follows an error estimate by step
// doubling. Pure logic; the steps are made by Simulation. Theory and measurements:
// docs/theory/adaptive-stepping.md.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "saltus/model/model.h"
#include "saltus/state/contact_view.h"
#include "saltus/state/state.h"

namespace saltus {

/// The place in an interval and the length of the step to try there. Lengths are H/2^level and
/// begin at their own
/// multiples: few different ones occur, and the last ends where the interval does.
class StepLadder {
 public:
  static constexpr int kFinest = 30;  ///< a step of this level is taken whatever its error

  /// For an interval of H [s], with what the one before learnt: EventState::next, h, stepping and
  /// patience.
  StepLadder(const EventState& learnt, double H);
  void keep(EventState& learnt) const;

  bool done() const { return at_ == kWhole; }
  bool finest() const { return level_ == kFinest; }
  int level() const { return level_; }
  double length() const;         ///< of the step to try, of the interval [1]
  double at(double part) const;  ///< where this part of it ends, of the interval [1]

  /// The step is taken. `ratio`: its error over what is allowed; `impact`: it is judged by the rule
  /// for impacts, and its error says nothing about other lengths.
  void accept(double ratio, bool impact);
  /// It is not; a shorter one is tried at its place. Returns by how many levels.
  int reject(double ratio, bool impact);
  /// The same of a step that could not be made.
  void fail();
  /// It is too long to be tried, whatever its error would be: half of it. False: it is of the
  /// finest.
  bool shorten();
  /// The error of the steps rejected here falls no faster than their length: something bends in
  /// them.
  bool stubborn() const { return stubborn_ >= 2; }

 private:
  static constexpr std::uint64_t kWhole = std::uint64_t{1} << kFinest;
  void choose();  ///< the longest step that the wish and the place allow

  double H_;
  std::uint64_t at_ = 0;
  int level_ = 0, wish_ = 0;
  int proven_ = 0;              ///< of the last step that was as long as wished
  std::uint64_t wait_ = 0;      ///< steps to take before a longer one is tried
  std::uint64_t patience_ = 0;  ///< how many that were the last time
  int stubborn_ = 0;
  double rejected_ = 0.0;  ///< ratio of the step rejected just before; 0: none was
};

/// A contact that carried an impulse.
struct Touch {
  std::uint64_t key = 0;
  int island = 0;
};
/// One that closed within a step, or should have, and the bodies of its sides.
struct Closing {
  int island = 0;
  ContactView::Side a, b;
  double speed = 0.0;  ///< of one that should have: rate at which its gap falls [m/s]
};

/// Where a step, or the half of one, ends.
struct StepEnd {
  std::vector<Vector> q, v;    ///< of the groups; v physical
  std::vector<Touch> touches;  ///< by key
};

/// Contacts of `now` that `before` does not have.
void new_touches(std::span<const Touch> before, std::span<const Touch> now,
                 std::vector<Touch>& out);

/// Errors of a step of length s = H/2^level by comparison with two of s/2, body by body:
///
///     e_v = |v_fine - v_coarse|_M / V,   e_q = |q_fine - q_coarse|_M / (H V),
///         V = max(|v0|_M, |v1|_M, H |a|_M)
///
/// a the mean acceleration without contact. Rules, of every island for itself:
///     the same contacts press on both ways, and did before:   max(e_v, e_q) <= tolerance s/H
///     else, an impact:
///         e_q <= tolerance, and e_v where the same contacts press on both ways; of the contacts
///         that closed
///                        at most one matters, and none that were missed
/// One matters if s J > tolerance H V, J what it changes of the velocities of its bodies.
class StepEstimator {
 public:
  StepEstimator(const Model& model, double tolerance);

  void begin(double s, double H);
  /// Half a step of length h of group g is solved and not yet finished.
  void accelerate(int g, const Trial& trial, double h);
  /// A contact that closed in one of the halves.
  void closed(const Closing& one) { closings_.push_back(one); }
  /// One that should have: it is open and penetrated at the end of the step.
  void missed(const Closing& one) { missed_.push_back(one); }
  struct Verdict {
    double ratio =
        0.0;  ///< of the worst island: error over what is allowed [1]; <= 1: the step is good
    double error = 0.0;   ///< largest of e_v H/s, e_q H/s, or by the rule for impacts e_v, e_q [1]
    bool impact = false;  ///< the worst island is judged by the rule for impacts
    bool finite = true;
  };
  /// `slack` > 0: the error of a step without impact may be this share of the tolerance, however
  /// short the step.
  Verdict judge(double t, const StepEnd& start, const StepEnd& coarse, const StepEnd& half,
                const StepEnd& fine, double slack);

 private:
  struct Body {  // |.|_M
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
  std::vector<std::vector<Body>> bodies_;  ///< of the groups
  std::vector<Vector> a_;                  ///< of the half in which it was larger
  std::vector<Closing> closings_, missed_;
  std::vector<Touch> coarse_closed_, first_closed_, second_closed_, fine_, only_;
  Vector difference_, product_, moved_;
};

}  // namespace saltus
