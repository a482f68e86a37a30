// Effect of events on derivatives (saltation): impacts, and contacts that change their modes.
#pragma once
#include <vector>

#include "saltus/sensitivity/parameter_differences_internal.h"

namespace saltus::sensitivity {

class EventDerivatives {
 public:
  EventDerivatives(ParameterDifferences& differences, const Run& run)
      : d_(differences), run_(run), n_(differences.size()) {}

  /// Transforms s = dx/dp through the events at the end of a stretch that is not the last. Throws
  /// Refusal.
  void pass(const Stretch& stretch, std::vector<Direction>& s, Sensitivity& result);
  /// Throws Refusal if a Zeno sequence ends within the stretch or begins at its end.
  void expect_no_rest(const Stretch& stretch) const;

 private:
  /// The mode of a contact before and after an instant.
  struct Change {
    std::uint64_t key = 0;
    const ContactMode *before = nullptr, *after = nullptr;
  };
  /// dx/dp after one or more impacts in the given order, and the derivatives of their times.
  struct Impacts {
    std::vector<Direction> s;
    std::vector<Vector> dt;
  };
  Impacts after_impacts(const Stretch& stretch, const std::vector<std::uint64_t>& order,
                        const std::vector<Direction>& s);
  void pass_impacts(const Stretch& stretch, const std::vector<std::uint64_t>& keys,
                    std::vector<Direction>& s, Sensitivity& result);
  double closing_rate(const Stretch& stretch, const Groups& at, std::span<const ContactMode> modes,
                      std::uint64_t key, Direction& rates);
  void pass_changes(const Stretch& stretch, const std::vector<Change>& changes,
                    std::vector<Direction>& s, Sensitivity& result);
  void pass_change(const Stretch& stretch, const Change& change, const Direction& rates,
                   const Vector& jump, bool smooth, std::vector<Direction>& s, Sensitivity& result);
  bool ends_without_force(const Stretch& stretch, std::uint64_t key) const;
  Difference::Function event_function(const Stretch& stretch, const Change& change) const;
  std::vector<Change> changes_of(const Stretch& stretch) const;

  ParameterDifferences& d_;
  const Run& run_;
  Eigen::Index n_;
  double last_impact_ = -1e300;  ///< [s]
};

}  // namespace saltus::sensitivity
