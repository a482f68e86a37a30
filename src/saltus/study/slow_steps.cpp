#include "saltus/study/slow_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace saltus {
namespace {

constexpr double kLong = 5.0;  // [s]
constexpr double kTimes = 20.0;
constexpr int kLike = 10;  // smallest number of steps for a mean

}  // namespace

std::string SlowSteps::look(const Model& model, const StepReport& report, double t,
                            double seconds) {
  const auto contacts = static_cast<unsigned>(std::max(report.contacts, 0)) + 1u;
  const auto own = std::min(of_.size() - 1, static_cast<std::size_t>(std::bit_width(contacts) - 1));
  Class like;
  for (std::size_t k = own; k < of_.size(); ++k) {
    like.seconds += of_[k].seconds;
    like.steps += of_[k].steps;
  }
  of_[own].seconds += seconds;
  ++of_[own].steps;
  const double mean = like.seconds / std::max(like.steps, 1);
  if (told_ || like.steps < kLike || !(seconds > kLong) || !(seconds > kTimes * mean)) return "";
  told_ = true;
  const StepOptions& options = model.options();
  const std::string halves =
      report.halvings > 0 ? fmt::format(", and it was subdivided {} times", report.halvings) : "";
  return fmt::format(
      "the step to t = {:.6g} s took {:.3g} s, {:.3g} times the mean of comparable steps: its "
      "contacts took {} iterations of solver {}{} in {} passes to residual {:.2g}{}; use a shorter "
      "time.step{}",
      t, seconds, seconds / mean, report.iterations, model.solver().name(),
      report.solver.empty() || report.solver == model.solver().name()
          ? ""
          : fmt::format(", {} last,", report.solver),
      report.passes, report.residual, halves,
      options.contact.tolerance < 1e-4 && !options.heap
          ? fmt::format(", or solver.tolerance above {:g}", options.contact.tolerance)
          : "");
}

}  // namespace saltus
