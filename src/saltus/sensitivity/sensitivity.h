// Derivatives of the end of an event-driven run with respect to its start and to the data of its
// scene, where they exist.
//
// Between events the steps of the run are made again beside it, in both directions, and the
// difference is taken (internal numerical differentiation). An event at t_e, where phi(t, x, p) =
// 0, moves with the parameter and bends the flow:
//
//     tau = dt_e/dp = -dphi/phi',     s+ = D R (s- + tau f-) - tau f+
//
// s = dx/dp, R the impact map (identity where only a mode changes), f the rates before and after:
// Xi of saltation, of its own model in each direction. A plain derivative through time steps misses
// tau, and is wrong in every digit. Equations, and what is refused: docs/theory/sensitivities.md.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "saltus/event_driven/event_trace.h"
#include "saltus/model/model.h"

namespace saltus {

/// A number on which a run depends: through its start, through its model, or through both.
struct SensitivityParameter {
  std::string name;
  /// Direction of the start: increments w of the positions (Dynamics::retract) and of the
  /// velocities, of all groups in order, n each; empty: 0.
  Vector w, v;
  /// The model with the parameter `delta` lower and higher: same groups, contacts and joints. Their
  /// starts count too.
  std::optional<Model> minus, plus;
  double delta = 0.0;  ///< [unit of the parameter]
};

/// The start of one coordinate (velocity false) or velocity of a group as a parameter; `i` counts
/// its velocities.
SensitivityParameter start_parameter(const Model& model, int group, int i, bool velocity);
/// A number of the model. `make(x)` gives the model with the value x; delta 0: 1e-4 of max(|x|,
/// `scale`), where the error of the difference, delta^2, and round-off, 1/delta, are both below
/// 1e-8.
template <class Make>
SensitivityParameter model_parameter(std::string name, const Make& make, double x,
                                     double scale = 0.0, double delta = 0.0) {
  const double size = x < 0.0 ? -x : x;
  if (delta == 0.0) delta = 1e-4 * (size > scale ? size : scale);
  return {std::move(name), {}, {}, make(x - delta), make(x + delta), delta};
}

struct SensitivityOptions {
  /// Size of the differences, relative to the increments and the velocities of a step [1]. They are
  /// of order 4.
  double difference = 1e-4;
  /// An impact is grazing where the gap, were there no contact, would become negative by less than
  /// this many times the tolerance of the run, relative to the path of a step; and a miss where it
  /// stays open by less.
  double grazing = 1e3;
};

struct Sensitivity {
  /// smooth: no event. saltation: through events. none: there is no derivative, `reason`
  /// says why and at what time.
  enum class Validity { smooth, saltation, none };
  /// An event, and how it moves with the parameters.
  struct Moved {
    Event::Kind kind = Event::Kind::impact;
    double t = 0.0;         ///< [s]
    std::uint64_t key = 0;  ///< of the contact
    Vector dt;              ///< a parameter each [s/unit]
  };
  Validity validity = Validity::smooth;
  std::string reason;  ///< of none, one line
  double t = 0.0;      ///< end [s]
  /// 2 n rows: increments of the positions of all groups at the end, then their velocities. A
  /// column a parameter. Empty with none.
  Matrix state;
  std::vector<GroupState> end;  ///< the state itself. Empty with none
  std::vector<Moved> events;    ///< up to the end, or to where there is no derivative
};
std::string_view name_of(Sensitivity::Validity validity);

/// Derivatives of the state at `end` [s] of the run of `model` that `trace` tells. UsageError:
/// parameters of other sizes, models of another structure, an `end` that the trace does not reach.
/// Physics never throws: look at `validity`.
Sensitivity sensitivities(const Model& model, const EventTrace& trace, double end,
                          std::span<const SensitivityParameter> parameters,
                          const SensitivityOptions& options = {});

/// The same of the run of `model`, which is made for it: from its start to StepOptions::end,
/// event-driven. A run that fails, or that would be handed over to the schemes, has none.
/// UsageError also: a model of another mode.
Sensitivity sensitivities(const Model& model, std::span<const SensitivityParameter> parameters,
                          const SensitivityOptions& options = {});

}  // namespace saltus
