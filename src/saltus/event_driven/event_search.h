// Events of a smooth step: zeros of functions that must not become negative, represented as
// polynomials in Bernstein form.
//
//     gap of open contacts and of inactive springs
//     N of closed contacts, (mu N)^2 - |T|^2 of sticking contacts, bound^2 - T^2 of sticking relays
//     u_T . d of sliding contacts, d the direction of the slip at the start of the step
//     -gap, and N with damping, of active springs
//     -N with damping, and -gap, of springs that exert no force although still compressed
//     whether the surfaces of a closed contact still have it, at the nodes
//     the margin of redundant contacts (event_driven/force_distribution.h): only its sign,
//         at the nodes
//
// Each function is sampled at Chebyshev-Lobatto nodes on the dense output; if the detected contacts
// change from node to node, or the polynomial does not fit between nodes, the interval is halved.
// Roots are reliable for these polynomials: no pair of roots is missed, however close they are.
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
    double theta = 0.0;  ///< fraction of the step
    double slope = 0.0;  ///< rate of the function there [1/s]; 0: unknown
  };

  EventSearch(const Model& model, ConstrainedMotion& motion);

  /// Prepares the start of a step: contacts closed at this point may have gaps at or below 0.
  /// motion: started, with its modes, at its last rates() there. h: approximate length of the step
  /// [s].
  void begin(double t, View v, double h);
  /// The earliest event of a step with its dense output; none if there is none. at_rates(theta) is
  /// called wherever the rates of the motion were evaluated.
  using AtRates = std::function<void(double theta)>;
  std::optional<Found> earliest(const OdeStep& step, const AtRates& at_rates);
  /// Value of one of the functions at the state of the last motion.rates() [unit of its kind]; NaN
  /// if unknown.
  double value(const Found& of, double t, View w, View v);
  /// The direction in which mode `key` begins to slip, opposite to its friction at the last
  /// rates().
  std::array<double, 2> slip(std::uint64_t key) const;
  const SurfaceSpeeds& surfaces() const { return surfaces_; }

 private:
  struct Sample {
    Kind kind;
    std::uint64_t key;
    double value, size;  ///< size: magnitude of the terms that are subtracted, for its round-off
    bool is(const Sample& other) const { return key == other.key && kind == other.kind; }
  };
  /// [from, to] of a step, after `depth` halvings because of speed and `bends` halvings because
  /// functions do not fit.
  struct Part {
    const OdeStep& step;
    double from, to;
    bool forces;
    int depth = 0, bends = 0;
    double theta(double x) const { return from + (to - from) * x; }  ///< x in [0, 1]
  };
  /// Functions at the nodes of a part, one row each, and between two pairs of nodes.
  struct Functions {
    std::vector<Sample> all;
    Matrix values;  ///< NaN: unknown there
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
  /// Contacts with a negative gap and no force at the start, and the value of
  /// ContactLaw::pressing() there.
  std::vector<std::pair<std::uint64_t, double>> slack_;
  std::vector<double> force_;                           ///< size of the force of every mode [N]
  std::vector<std::pair<std::uint64_t, double>> held_;  ///< gaps <= 0 at the start
  double round_ = 0.0;                                  ///< round-off of a gap at the start [m]
  Vector w_, v_, dw_, dv_;
};

}  // namespace saltus
