// Events of a smooth step: every function that must not become negative, as a polynomial in
// Bernstein form.
//
//     gap of contacts that are open, of springs that are not active
//     N of contacts that are closed            (mu N)^2 - |T|^2 of those that stick, bound^2 - T^2
//                                              of relays
//     u_T . d of those that slide, d the direction of the slip at the start of the step
//     -gap, and N with damping, of springs that are active
//     -N with damping, and -gap, of springs that have no force and are not yet left
//     of any that is held: whether its surfaces still have it, at the nodes
//     the margin of redundant contacts (event_driven/force_distribution.h): its sign alone,
//         at the nodes
//
// Each is sampled at the nodes of Chebyshev and Lobatto on the dense output; where the contacts
// that are known change from node to node, or the polynomial does not fit between them, the
// interval is halved. Roots are certain with respect to these polynomials: no pair of them is
// missed, however close they are.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "saltus/event_driven/constrained_motion.h"
#include "saltus/event_driven/surface_speeds.h"
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

  /// The start of a step: contacts that are closed here may be at gap 0, or below it. motion:
  /// started, with its modes, at the last rates() there. h: about how long the step is [s].
  void begin(double t, View v, double h);
  /// The earliest event of a step with its dense output; none if there is none. at_rates(theta) is
  /// called where the rates of the motion were taken.
  using AtRates = std::function<void(double theta)>;
  std::optional<Found> earliest(const OdeStep& step, const AtRates& at_rates);
  /// Value of one of the functions at the place of the last motion.rates() [of its kind]; not a
  /// number where it is not known.
  double value(const Found& of, double t, View w, View v);
  /// The direction in which mode `key` begins to slip, opposite to its friction at the last
  /// rates().
  std::array<double, 2> slip(std::uint64_t key) const;
  const SurfaceSpeeds& surfaces() const { return surfaces_; }

 private:
  struct Sample {
    Kind kind;
    std::uint64_t key;
    double value, size;  ///< size: of what is subtracted in it, for its round-off
    bool is(const Sample& other) const { return key == other.key && kind == other.kind; }
  };
  /// [from, to] of a step, after so many halvings because of speed (depth), and because functions
  /// do not fit (bends).
  struct Part {
    const OdeStep& step;
    double from, to;
    bool forces;
    int depth = 0, bends = 0;
    double theta(double x) const { return from + (to - from) * x; }  ///< x in [0, 1]
  };
  /// Functions at the nodes of a part, a row each, and between two pairs of nodes.
  struct Functions {
    std::vector<Sample> all;
    Matrix values;  ///< not a number: it is not known there
    double place[2] = {0.0, 0.0};
    std::vector<Sample> between[2];
  };
  void sample(double t, View w, View v, bool forces, std::vector<Sample>& out);
  std::optional<Found> part(const Part& of, const AtRates& at_rates);
  void sample_at(const Part& of, double x, std::vector<Sample>& out);
  std::optional<Found> lost_or_exhausted(const Part& of, std::span<const double> nodes,
                                         std::span<const std::vector<Sample>> at_node);
  Functions functions_of(std::span<const std::vector<Sample>> at_node) const;
  bool find_root(const Part& of, const Functions& functions, Eigen::Index r, double travel,
                 std::optional<Found>& best);
  bool find_root_of_unknown(const Part& of, const Sample& function,
                            const Eigen::RowVectorXd& values, double noise, double travel,
                            std::optional<Found>& best);
  Found bisect(const OdeStep& step, Kind kind, std::uint64_t key, double from, double to);
  Found last_contact(const OdeStep& step, std::uint64_t key, double from, double to);
  Found last_margin(const OdeStep& step, std::uint64_t key, double from, double to);
  double held_at(std::uint64_t key) const;
  const double* slack(std::uint64_t key) const;

  const Model& model_;
  ConstrainedMotion& motion_;
  SurfaceSpeeds surfaces_;
  bool forces_ = false;
  /// Contacts with a negative gap and no force at the start, and what was left of
  /// ContactLaw::pressing() there.
  std::vector<std::pair<std::uint64_t, double>> slack_;
  std::vector<double> force_;                           ///< size of the force of every mode [N]
  std::vector<std::pair<std::uint64_t, double>> held_;  ///< gaps <= 0 at the start
  double round_ = 0.0;                                  ///< of a gap at the start [m]
  Vector w_, v_, dw_, dv_;
};

}  // namespace saltus
