#include <algorithm>
#include <iterator>

#include "saltus/base/error.h"
#include "saltus/sensitivity/stretches_internal.h"

namespace saltus::sensitivity {

const ContactMode* mode_of(std::span<const ContactMode> modes, std::uint64_t key) {
  const auto mode = std::ranges::find(modes, key, &ContactMode::key);
  return mode != modes.end() ? &*mode : nullptr;
}

Run run_of(const Model& model, const EventTrace& trace, double end) {
  Run run;
  expects(!trace.steps.empty() && trace.steps[0].start.size() == model.groups().size(),
          "the trace must be of this model and contain its steps");
  run.start = trace.steps[0].start;
  std::size_t event = 0;
  std::ranges::copy_if(trace.events, std::back_inserter(run.rests),
                       [](const Event& e) { return e.kind == Event::Kind::rest; });
  // Events at the start of the run belong to its start.
  while (event < trace.events.size() && trace.events[event].t <= trace.steps[0].t0)
    run.at_start.push_back(trace.events[event++]);
  for (std::size_t k = 0; k < trace.steps.size() && trace.steps[k].t0 < end; ++k) {
    Stretch stretch;
    stretch.step = &trace.steps[k];
    const double t0 = stretch.step->t0;
    const bool last = k + 1 == trace.steps.size() || trace.steps[k + 1].t0 > end;
    const double until = last ? end : trace.steps[k + 1].t0;
    stretch.dt = until - t0;
    expects(stretch.dt <= stretch.step->h * (1.0 + 1e-9),
            "the trace does not reach the requested end");
    // The length of a step that an event ended early does not measure the time scale of the motion.
    stretch.e = stretch.step->h;
    if (k > 0) stretch.e = std::max(stretch.e, trace.steps[k - 1].h);
    if (k + 1 < trace.steps.size()) stretch.e = std::max(stretch.e, trace.steps[k + 1].h);
    stretch.e *= 1e-3;
    if (!last) stretch.next = &trace.steps[k + 1];
    for (; !last && event < trace.events.size() && trace.events[event].t <= until; ++event)
      stretch.events.push_back(trace.events[event]);
    run.stretches.push_back(std::move(stretch));
  }
  expects(!run.stretches.empty(), "the end must be after the start of the run");
  // Events of steps of zero length belong to the previous step.
  for (std::size_t k = run.stretches.size(); k-- > 1;)
    if (run.stretches[k].dt <= 0.0) {
      Stretch& before = run.stretches[k - 1];
      before.next = run.stretches[k].next;
      before.events.insert(before.events.end(), run.stretches[k].events.begin(),
                           run.stretches[k].events.end());
      run.stretches.erase(run.stretches.begin() + static_cast<std::ptrdiff_t>(k));
    }
  return run;
}

}  // namespace saltus::sensitivity
