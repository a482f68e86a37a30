// Derivatives of the end of an event-driven run with respect to its start and to the data of its
// scene, where they exist.
//
// Between events the steps of the run are repeated with perturbations in both directions, and the
// difference is taken (internal numerical differentiation). An event at t_e, where
// phi(t, x, p) = 0, is shifted by the parameter and changes the derivative:
//
//     tau = dt_e/dp = -dphi/phi',     s+ = D R (s- + tau f-) - tau f+
//
// where s = dx/dp, R is the impact map (identity if only a mode changes), and f are the rates
// before and after the event; this is the saltation matrix Xi, with a separate model in each
// direction. A plain derivative through time steps lacks tau, and is wrong in every digit.
// Equations and refused cases: docs/theory/sensitivities.md.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "saltus/event_driven/event_trace.h"
#include "saltus/model/model.h"

namespace saltus {

/// A parameter of a run: of its start, of its model, or of both.
struct SensitivityParameter {
  std::string name;
  /// Direction of the start: increments w of the positions (Dynamics::retract) and of the
  /// velocities, for all groups in order, n each; empty: 0.
  Vector w, v;
  /// The model with the parameter lower and higher by `delta`: same groups, contacts and joints.
  /// Their starts are included in the difference.
  std::optional<Model> minus, plus;
  double delta = 0.0;  ///< [unit of the parameter]
};

/// The initial value of one coordinate (velocity false) or velocity of a group as a parameter; `i`
/// is the index of a velocity in the group.
SensitivityParameter start_parameter(const Model& model, int group, int i, bool velocity);
/// A parameter of the model. `make(x)` returns the model with the value x; delta 0: 1e-4 of
/// max(|x|, `scale`), for which the error of the difference, delta^2, and round-off, 1/delta, are
/// both below 1e-8.
template <class Make>
SensitivityParameter model_parameter(std::string name, const Make& make, double x,
                                     double scale = 0.0, double delta = 0.0) {
  const double size = x < 0.0 ? -x : x;
  if (delta == 0.0) delta = 1e-4 * (size > scale ? size : scale);
  return {std::move(name), {}, {}, make(x - delta), make(x + delta), delta};
}

struct SensitivityOptions {
  /// Size of the differences, relative to the increments and velocities of a step [1]. The
  /// differences are of order 4.
  double difference = 1e-4;
  /// An impact is grazing if the gap would, without contact, become negative by less than this many
  /// times the tolerance of the run, relative to the displacement in a step; a near miss is a gap
  /// that stays open by less than that.
  double grazing = 1e3;
};

struct Sensitivity {
  /// smooth: no event. saltation: through events. none: there is no derivative; `reason` gives the
  /// cause and the time.
  enum class Validity { smooth, saltation, none };
  /// An event and the derivative of its time.
  struct Moved {
    Event::Kind kind = Event::Kind::impact;
    double t = 0.0;         ///< [s]
    std::uint64_t key = 0;  ///< of the contact
    Vector dt;              ///< one entry per parameter [s/unit]
  };
  Validity validity = Validity::smooth;
  std::string reason;  ///< with none: one line
  double t = 0.0;      ///< end [s]
  /// 2 n rows: increments of the positions of all groups at the end, then their velocities. One
  /// column per parameter. Empty with none.
  Matrix state;
  std::vector<GroupState> end;  ///< the state itself; empty with none
  /// up to the end, or to the time where the derivative ceases to exist
  std::vector<Moved> events;
};
std::string_view name_of(Sensitivity::Validity validity);

/// Derivatives of the state at `end` [s] of the run of `model` recorded in `trace`. UsageError:
/// parameters of another size, models of another structure, an `end` that the trace does not reach.
/// Physics never throws: check `validity`.
Sensitivity sensitivities(const Model& model, const EventTrace& trace, double end,
                          std::span<const SensitivityParameter> parameters,
                          const SensitivityOptions& options = {});

/// Runs `model` for this purpose, event-driven from its start to StepOptions::end, and returns its
/// derivatives. There are none if the run fails or would be handed over to time stepping.
/// Additional UsageError: a model of another mode.
Sensitivity sensitivities(const Model& model, std::span<const SensitivityParameter> parameters,
                          const SensitivityOptions& options = {});

}  // namespace saltus
