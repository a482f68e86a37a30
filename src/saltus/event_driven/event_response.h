// Response of contacts at one instant: impacts, ends of Zeno sequences, and the contacts that stay
// closed, stick or slide from there on.
//
// Velocities are treated first (event_driven/impact.h, event_driven/zeno_closing.h), then
// accelerations (event_driven/mode_choice.h).
#pragma once
#include <span>
#include <vector>

#include "saltus/event_driven/active_contacts.h"
#include "saltus/event_driven/constrained_motion.h"
#include "saltus/event_driven/event_projection.h"
#include "saltus/event_driven/impact.h"
#include "saltus/event_driven/instant.h"

namespace saltus {

class EventResponse {
 public:
  EventResponse(const Model& model, ConstrainedMotion& motion);
  /// Impacts end unsolved if `stop` is requested.
  void stop_by(Stop* stop) { stop_ = stop; }
  EventProjection& projection() { return projection_; }

  /// Resolves the active contacts at the instant, changes v of `groups`, and sets the modes from
  /// here on. Appends events and adds to the report. False: report.failure contains the reason.
  bool resolve(const Instant& instant, std::vector<GroupState>& groups,
               std::vector<ContactMode>& modes, std::vector<Event>& events, InstantReport& report);

  /// Predicts the mode endings within `ahead` after t that accelerations at t do not indicate: when
  /// a force reaches its limit, the acceleration starts from 0. choose_modes() is evaluated along
  /// the motion of the modes, at times that grow tenfold, until its result changes. Empty: no
  /// change was found.
  std::vector<EventEnding> foresee(double t, double ahead, const std::vector<GroupState>& groups,
                                   std::span<const ContactMode> modes, InstantReport& report);

 private:
  /// Contacts that an impact may change, and their rows of H.
  struct Impact {
    std::vector<ImpactContact> contacts;
    std::vector<const ActiveContact*> of;
    std::vector<int> rows;
  };
  bool closes_with_speed() const;
  Impact impact_of(const Instant& now) const;
  void apply_impacts(const Instant& now, std::vector<Event>& events, InstantReport& report);
  void record_impacts(const Instant& now, const Impact& impact, const Vector& P,
                      const ImpactReport& solved, std::vector<Event>& events,
                      InstantReport& report);
  void report_modes(const Instant& now, std::span<const ContactMode> after,
                    std::vector<Event>& events) const;
  Limits limits() const;

  const Model& model_;
  ConstrainedMotion& motion_;
  ActiveContacts active_;
  EventProjection projection_;
  Stop* stop_ = nullptr;
};

}  // namespace saltus
