// Input and result of one instant of event-driven integration.
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

/// Mode endings located by an event: these endings apply whatever the round-off of the forces
/// suggests.
struct EventEnding {
  /// - closes: the gap is 0 to the round-off of the search.
  /// - ends: a spring is no longer active.
  /// - stops: the slip has ended except for a distance below EventOptions::zeno.
  /// - jumps: not a contact, but a drive or support: joints and contacts impose its new rate on
  ///   their bodies.
  enum class Kind { closes, opens, slides, ends, stops, jumps };
  Kind kind = Kind::opens;
  std::uint64_t key = 0;
  std::array<double, 2> direction{};  ///< slides: of the slip that begins
};

struct Instant {
  double t = 0.0;  ///< [s]
  /// Time scale: contacts whose gaps close within 1e-12 of it close together [s].
  double scale = 0.0;
  /// Impacts of several contacts follow each other ever faster and are ended here: contacts closer
  /// than EventOptions::zeno close without restitution.
  bool crowded = false;
  std::span<const ContactMode> before;     ///< modes before the instant, sorted by key
  std::span<const EventEnding> endings{};  ///< of these modes
};

/// Sums of the results of one or more instants.
struct InstantReport {
  /// Work of impulses [J], split as in the energy balance; stops: of joints.
  double impact = 0.0, stops = 0.0, friction = 0.0, prescribed = 0.0;
  std::vector<std::pair<std::uint64_t, Vector3>> impulses;  ///< of contacts: key, (N, T1, T2) [N s]
  /// Impulses of the joints on their body b, as Simulation::joint_load [N s], [N m s]; empty: none.
  std::vector<std::array<Vector3, 2>> joints;
  double residual = 0.0;
  int iterations = 0;
  std::string_view failure;  ///< static string; empty: none
  /// Keys of two contacts whose order affected an impact (ImpactReport::tied).
  std::optional<std::array<std::uint64_t, 2>> tied;
};

/// Tolerance for the same instant, and for values that count as zero relative to their scale.
constexpr double kSameInstant = 1e-12;

/// The mode with this key; null: there is none.
const ContactMode* find_mode(std::span<const ContactMode> modes, std::uint64_t key);

}  // namespace saltus
