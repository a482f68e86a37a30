// The walk along a trace: scales, grazing places, and what events do to derivatives.
#pragma once
#include <optional>

#include "saltus/sensitivity/sensitivity_internal.h"

namespace saltus::sensitivity {

/// A step of the trace as it counts here: up to the next one.
struct Stretch {
  const EventTrace::Step* step = nullptr;
  double dt = 0.0;                         ///< [s]
  double e = 0.0;                          ///< ConstrainedMotion::set_time
  Groups end;                              ///< in front of the events there
  std::vector<Event> events;               ///< at its end
  const EventTrace::Step* next = nullptr;  ///< none: the run ends here
  std::optional<Refusal> miss;             ///< a contact all but closes in it
};

class Walk {
 public:
  Walk(const Model& model, const EventTrace& trace, double end,
       std::span<const SensitivityParameter> parameters, const SensitivityOptions& options);
  void go(Sensitivity& result);

 private:
  /// Two runners of one parameter, none for the start alone.
  struct Pair {
    std::unique_ptr<Runner> minus, plus;
  };
  /// What a mode does before and behind an instant.
  struct Change {
    std::uint64_t key = 0;
    const ContactMode *before = nullptr, *after = nullptr;
  };

  void cut(const EventTrace& trace, double end);
  void measure();
  void look_for_misses();
  std::optional<Refusal> miss_in(const Stretch& stretch, bool first);
  void begin();
  void check_start();
  void check_limits();
  double longest(const Stretch& stretch, const Direction& s);
  std::string contact_name(std::uint64_t key);
  void follow(const Stretch& stretch);
  void expect_no_rest(const Stretch& stretch) const;
  void pass(const Stretch& stretch, Sensitivity& result);
  /// dx/dp behind one or more impacts, in the order given, and how their times move.
  struct Struck {
    std::vector<Direction> s;
    std::vector<Vector> dt;
  };
  Struck strike(const Stretch& stretch, const std::vector<std::uint64_t>& order);
  void impacts(const Stretch& stretch, const std::vector<std::uint64_t>& keys, Sensitivity& result);
  double closing_rate(const Stretch& stretch, const Groups& at, std::span<const ContactMode> modes,
                      std::uint64_t key, Direction& rates);
  void change(const Stretch& stretch, const std::vector<Change>& changes, Sensitivity& result);
  bool ends_slack(const Stretch& stretch, std::uint64_t key) const;
  Difference::Function event_function(const Stretch& stretch, const Change& change) const;
  std::vector<Change> changes_of(const Stretch& stretch) const;

  /// dF/dp along the run: through the state and through the model.
  Vector total(std::size_t j, const Groups& groups, double t, const Direction& s,
               const Difference::Function& f,
               double longest = std::numeric_limits<double>::infinity());
  /// Row a of the contact at index i of the runner's place: |row| . x.
  double size_of_row(Runner& runner, std::size_t i, int a, const Vector& x) const;
  double tolerance() const { return model_.options().events.tolerance; }

  const Model& model_;
  std::span<const SensitivityParameter> parameters_;
  SensitivityOptions options_;
  Eigen::Index n_ = 0;
  std::unique_ptr<Runner> runner_;
  std::vector<Pair> pairs_;
  std::vector<Stretch> stretches_;
  std::vector<Event> at_start_;  ///< what happens at the start of the run
  std::vector<Event> rests_;     ///< hops taken together; they close where the first of them begins
  Groups start_;
  Vector scale_;       ///< of w and v, 2 n
  double time_ = 0.0;  ///< mean length of a stretch [s]
  std::unique_ptr<Difference> difference_;
  std::vector<Direction> s_;  ///< dx/dp, one a parameter
  double last_impact_ = -1e300;
};

}  // namespace saltus::sensitivity
