// One instant of event-driven integration: what is known of it, and what happens in it.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "saltus/base/base.h"
#include "saltus/state/state.h"

namespace saltus {

/// What an event located: contacts whose mode is known to end, whatever the round-off of their
/// forces says.
struct EventEnding {
  /// closes: its gap is 0, to the round-off of the search.  ends: a spring is no longer active.
  /// stops: its slip is over but for a distance below EventOptions::zeno.
  /// jumps: no contact, but a drive or support: joints and contacts give their bodies its new rate.
  enum class Kind { closes, opens, slides, ends, stops, jumps };
  Kind kind = Kind::opens;
  std::uint64_t key = 0;
  std::array<double, 2> direction{};  ///< slides: of the slip that begins
};

struct Instant {
  double t = 0.0;  ///< [s]
  /// Times that count as one: contacts whose gaps close within 1e-12 of it close together [s].
  double scale = 0.0;
  /// Impacts of several contacts follow each other ever faster, and end here: what is nearer than
  /// EventOptions::zeno closes with them, without restitution.
  bool crowded = false;
  std::span<const ContactMode> before;     ///< modes before the instant, by key
  std::span<const EventEnding> endings{};  ///< of these modes
};

/// What one or more instants did, added up.
struct InstantReport {
  /// Work of impulses [J], as the energy balance splits it; stops: of joints.
  double impact = 0.0, stops = 0.0, friction = 0.0, prescribed = 0.0;
  std::vector<std::pair<std::uint64_t, Vector3>> impulses;  ///< of contacts: key, (N, T1, T2) [N s]
  /// Of the joints on their b, as Simulation::joint_load [N s], [N m s]; empty: none.
  std::vector<std::array<Vector3, 2>> joints;
  double residual = 0.0;
  int iterations = 0;
  std::string_view failure;  ///< static; empty: none
  /// Keys of two contacts whose order decided an impact (ImpactReport::tied).
  std::optional<std::array<std::uint64_t, 2>> tied;
};

/// What counts as the same instant, and as nothing relative to what is there.
constexpr double kSameInstant = 1e-12;

/// The mode with this key, null: there is none.
const ContactMode* find_mode(std::span<const ContactMode> modes, std::uint64_t key);

}  // namespace saltus
