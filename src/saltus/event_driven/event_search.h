// Events of a smooth step: every function that must not become negative, as a polynomial in Bernstein form.
//
//     gap of contacts that are open, of springs that do not press
//     N of contacts that are closed            (mu N)^2 - |T|^2 of those that stick, bound^2 - T^2 of relays
//     u_T . d of those that slide, d the direction of the slip at the start of the step
//     -gap, and N with damping, of springs that press
//     -N with damping, and -gap, of springs that press no more and are not yet left
//     of any that is held: whether its surfaces show it, at the nodes
//     the room of contacts that share a load (event_driven/force_distribution.h): its sign alone, at the nodes
//
// Each is sampled at the nodes of Chebyshev and Lobatto on the dense output; where the contacts that are known change from
// node to node, or the polynomial does not fit between them, the interval is halved. Roots are certain with respect to
// these polynomials: no pair of them is missed, however close they are.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "saltus/event_driven/constrained_motion.h"
#include "saltus/math/bernstein.h"

namespace saltus {

class EventSearch {
 public:
  enum class Kind { gap, presses, holds, slips, ends, resumes, leaves, bears, lost };
  struct Found {
    Kind kind = Kind::gap;
    std::uint64_t key = 0;
    double theta = 0.0;  ///< of the step
    double slope = 0.0;  ///< rate of the function there [1/s]; 0: not known
  };

  EventSearch(const Model& model, ConstrainedMotion& motion);

  /// The start of a step: contacts that touch here may be at gap 0, or below it. motion: started, with its modes, at the last
  /// rates() there. h: about how long the step is [s].
  void begin(double t, View v, double h);
  /// The earliest event of a step with its dense output; none if there is none. at_rates(theta) is called where the rates of
  /// the motion were taken.
  using AtRates = std::function<void(double theta)>;
  std::optional<Found> earliest(const OdeStep& step, const AtRates& at_rates);
  /// Value of one of the functions at the place of the last motion.rates() [of its kind]; not a number where it is not known.
  double value(const Found& of, double t, View w, View v);
  /// The direction in which mode `key` begins to slip, opposite to its friction at the last rates().
  std::array<double, 2> slip(std::uint64_t key) const;
  bool needs_forces() const { return forces_; }
  /// The largest speed of a surface by what it is told to follow in [from, to] [m/s].
  double fastest_drift(double from, double to) const;

 private:
  struct Sample {
    Kind kind;
    std::uint64_t key;
    double value, size;  ///< size: of what is subtracted in it, for its round-off
  };
  /// Of a body with shapes (body -1: all of the group, which are moved), or a boundary surface: its vertices.
  struct Surface {
    int group = 0, body = -1, first = 0;
    double reach = 0.0;  ///< largest distance of its shapes from its frame [m]; infinite: planes
    int boundary = -1;   ///< of Surfaces::boundary surfaces
    PointRows rows;      ///< of its vertices, where the step starts
  };
  void sample(double t, View w, View v, bool forces, std::vector<Sample>& out);
  /// On [from, to], after so many halvings because of speed, and because functions do not fit.
  std::optional<Found> part(const OdeStep& step, double from, double to, bool forces, int depth,
                            int bends, const AtRates& at_rates);
  void see_surfaces(double t);
  void take_part(const OdeStep& step, double from, double to, Eigen::Index first,
                 Eigen::Index count);
  double speed(const Surface& one, const OdeStep& step, double from, double to, double reach);
  double closing(const OdeStep& step, double from, double to);
  Found bisect(const OdeStep& step, Kind kind, std::uint64_t key, double from, double to);
  Found hidden(const OdeStep& step, std::uint64_t key, double from, double to);
  Found last_room(const OdeStep& step, std::uint64_t key, double from, double to);
  double held_at(std::uint64_t key) const;
  const double* slack(std::uint64_t key) const;

  const Model& model_;
  ConstrainedMotion& motion_;
  bool forces_ = false;
  /// Contacts that are pressed and have let go at the start, and what was left of ContactLaw::pressing() there.
  std::vector<std::pair<std::uint64_t, double>> slack_;
  std::vector<double> force_;  ///< size of the force of every mode [N]
  std::vector<Surface> surfaces_;
  /// From the frame of a plane no surface is farther away where the step starts [m].
  double span_ = 0.0;
  Matrix part_;                                         ///< v of a part of the step, Bernstein
  std::vector<std::pair<std::uint64_t, double>> held_;  ///< gaps <= 0 at the start
  double round_ = 0.0;                                  ///< of a gap at the start [m]
  Vector w_, v_, dw_, dv_;
};

}  // namespace saltus
