// What contacts do at one instant: impacts, hops taken to their end, and which of them hold, stick or slide from here on.
//
// Velocities first (impact), then accelerations: the contact problem of the accelerations, solved by the same solvers,
//
//     u' = W lambda + b,   b = H M^-1 F + bias,     0 <= u'_N perp N >= 0,  Coulomb's cone where u_T = 0
//
// says which contacts stay closed. One that slides presses along its row of friction, N (n - mu d).
#pragma once
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "saltus/event_driven/constrained_motion.h"
#include "saltus/event_driven/impact.h"

namespace saltus {

/// What an event located: contacts whose mode is known to end, whatever the round-off of their forces says.
struct EventEnding {
  /// closes: its gap is 0, to the round-off of the search.  ends: a spring presses no more.
  /// stops: its slip is over but for a way below EventOptions::zeno.
  /// jumps: no contact, but a drive or support: joints and contacts give their bodies its new rate.
  enum class Kind { closes, opens, slides, ends, stops, jumps };
  Kind kind = Kind::opens;
  std::uint64_t key = 0;
  std::array<double, 2> direction{};  ///< slides: of the slip that begins
};

class EventResponse {
 public:
  EventResponse(const Model& model, ConstrainedMotion& motion);
  /// Impacts end unsolved where `stop` is requested.
  void stop_by(Stop* stop) { stop_ = stop; }

  /// What the instant did, added up until clear().
  struct Account {
    double impact = 0.0, stops = 0.0, friction = 0.0,
           prescribed = 0.0;  ///< work of impulses [J], as the ledger splits it; stops: of joints
    std::vector<std::array<Vector3, 2>>
        joints;  ///< impulses of the joints on their b, as Simulation::joint_load
    double residual = 0.0, impulse = 0.0;
    int iterations = 0;
    std::string_view failure;  ///< static; empty: none
    /// Keys of two contacts whose order decided an impact (ImpactReport::tied).
    std::optional<std::array<std::uint64_t, 2>> tied;
    void clear() { *this = {}; }
  };

  /// At t with `groups` (v is changed): resolves what touches, from the modes before. `scale`: times that count as one, so that
  /// contacts whose gaps close within 1e-12 of it close together [s]. Events are appended; `impulses` gets those of contacts
  /// (key, N, T1, T2). crowded: impacts of
  /// several contacts follow each other ever faster, and end here: what is nearer than EventOptions::zeno closes with them,
  /// without restitution. False: account.failure says why.
  bool resolve(double t, double scale, bool crowded, std::vector<GroupState>& groups,
               std::span<const ContactMode> before, std::span<const EventEnding> endings,
               std::vector<ContactMode>& modes, std::vector<Event>& events,
               std::vector<std::pair<std::uint64_t, Vector3>>& impulses, Account& account);

  /// What the modes at t end with next, within `ahead`, though no acceleration says so yet: where forces come to the last that
  /// the laws allow, accelerations begin at 0. (4) is asked along the motion of the modes, after times that grow tenfold, until
  /// its answer is another. Empty: it is not.
  std::vector<EventEnding> foresee(double t, double ahead, const std::vector<GroupState>& groups,
                                   std::span<const ContactMode> modes, Account& account);

  /// Takes the drift of joints and closed contacts out of positions and velocities. Velocities stay, and it is false, where
  /// that would change more kinetic energy than drift does (allow()): the modes do not hold there.
  bool project(double t, std::vector<GroupState>& groups, std::span<const ContactMode> modes,
               bool positions);
  static constexpr std::string_view kNotHeld =
      "velocities miss what contacts that are held ask for by more than the error of a step";
  /// What project() may change of the kinetic energy is a part of that in play, of what bodies get that fall freely for an
  /// interval, and of the work of forces over a distance that does not count [J].
  void allow(double in_play) { in_play_ = in_play; }
  void allow(double of_fall, double of_distance) {
    of_fall_ = of_fall;
    of_distance_ = of_distance;
  }

 private:
  static constexpr double kDrift = 1e-5, kWays = 10.0;
  /// A contact that touches. Rows first .. first + rows - 1 of H.
  struct Touching {
    std::uint64_t key = 0;
    std::size_t index = 0;  ///< in motion_.contacts()
    int first = 0, rows = 0;
    const ContactLaw* law = nullptr;
    double gap = 0.0;    ///< at which it is held
    double still = 0.0;  ///< velocities below are none [m/s]
    bool held = false;   ///< it has a mode
    bool ended = false;  ///< an event says that it opens
    ContactMode::Kind kind = ContactMode::Kind::closed;
    std::array<double, 2> direction{};
    bool stopped = false;  ///< what is left of its slip does not count
    bool given = false;    ///< `direction` is that of a slip that begins
  };
  struct Instant {
    double t, scale;
    std::vector<Event>& events;
    std::vector<std::pair<std::uint64_t, Vector3>>& impulses;
    Account& account;
  };
  void look(const Instant& now, std::span<const ContactMode> before);
  void look_from(const Instant& now, std::span<const ContactMode> before);
  std::vector<ContactMode> springs(std::span<const ContactMode> before) const;
  void meet_jump(const Instant& now, std::span<const ContactMode> before);
  void take_as_before();
  bool strike(const Instant& now);
  bool choose(const Instant& now);
  bool close_hops(const Instant& now, std::vector<GroupState>& groups);
  void give(const Instant& now, const Touching& c, const Vector3& impulse, const Vector& u_after);
  void put_velocity(std::vector<GroupState>& groups) const;
  Vector velocities(std::span<const GroupState> groups) const;
  void gather(std::vector<ContactMode>& modes) const;
  void tell(const Instant& now, std::span<const ContactMode> before,
            std::span<const ContactMode> after) const;
  void give_joints(const Instant& now, const Vector& p);
  Vector along(const Touching& c) const;

  const Model& model_;
  ConstrainedMotion& motion_;
  Stop* stop_ = nullptr;
  double in_play_ = 0.0, of_fall_ = 0.0, of_distance_ = 0.0;  ///< of allow()
  std::vector<Touching> touching_;
  std::vector<EventEnding> endings_;
  Vector w_, v_, a_;    ///< a: free acceleration with the joints held
  Matrix H_, X_, W_;    ///< X = M^-1 H^T, W = H X, with the joints held
  Matrix joint_share_;  ///< joint impulses for an impulse of 1 in each row
  Vector joint_drift_;
  bool crowded_ = false, jumped_ = false;
  Vector joint_rate_, u_, drift_, bias_;
  Vector u_before_, drift_before_,
      joint_drift_before_;  ///< with what impulses work: other than now where drives jump
};

}  // namespace saltus
