#include "saltus/results/step_row.h"

#include "saltus/results/layout.h"

namespace saltus {

double* put_step(const StepReport& report, const State& state, bool substeps, double* row) {
  *row++ = state.t;
  *row++ = report.contacts;
  *row++ = report.iterations;
  *row++ = report.passes;
  *row++ = report.halvings;
  *row++ = report.converged ? 1.0 : 0.0;
  *row++ = report.residual;
  *row++ = report.residual_after;
  *row++ = report.gap;
  *row++ = report.joint_gap;
  *row++ = report.impulse;
  *row++ = report.impact;
  *row++ = state.energy.kinetic;
  *row++ = state.energy.potential;
  *row++ = report.unexplained;
  if (!substeps) return row;
  *row++ = report.steps;
  *row++ = report.rejected;
  *row++ = report.error;
  *row++ = report.events;
  *row++ = report.evaluations;
  return row;
}

void add_step(std::span<const double> row, RunStatistics& statistics) {
  const double* value = row.data();
  StepReport report;
  Energy energy;
  const double t = *value++;
  report.contacts = static_cast<int>(*value++);
  report.iterations = static_cast<int>(*value++);
  report.passes = static_cast<int>(*value++);
  report.halvings = static_cast<int>(*value++);
  report.converged = *value++ != 0.0;
  report.residual = *value++;
  report.residual_after = *value++;
  report.gap = *value++;
  report.joint_gap = *value++;
  report.impulse = *value++;
  report.impact = *value++;
  energy.kinetic = *value++;
  energy.potential = *value++;
  report.unexplained = *value++;
  if (row.size() > layout::kStep.size()) {
    report.steps = static_cast<int>(*value++);
    report.rejected = static_cast<int>(*value++);
    report.error = *value++;
    report.events = static_cast<int>(*value++);
    report.evaluations = static_cast<int>(*value++);
  }
  statistics.add(report, energy, t);
}

}  // namespace saltus
