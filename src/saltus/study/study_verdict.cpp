#include "saltus/study/study_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace saltus {
namespace {

/// Times with a smaller ratio count as equal.
constexpr double kSameCost = 1.2;
/// Fraction of the energy above which a work term is reported.
constexpr double kMuch = 0.01;

struct Choice {
  int scheme = -1, run = -1;
};

const StudyRun& verdict_run(const StudyResult& r, Choice c) {
  return r.schemes[static_cast<std::size_t>(c.scheme)].runs[static_cast<std::size_t>(c.run)];
}
const std::string& label_of(const StudyResult& r, Choice c) {
  return r.schemes[static_cast<std::size_t>(c.scheme)].label;
}
/// Name and step, "newmark with h = 5 ms".
std::string name_of(const StudyResult& r, Choice c) {
  return fmt::format("{} with h = {}", label_of(r, c), step_text(verdict_run(r, c).h));
}

double own_error(const StudyResult& r) {
  return std::isfinite(r.reference.own_error) ? r.reference.own_error : 0.0;
}

std::vector<Choice> all_ok(const StudyResult& r) {
  std::vector<Choice> found;
  for (std::size_t s = 0; s < r.schemes.size(); ++s)
    for (std::size_t i = 0; i < r.schemes[s].runs.size(); ++i) {
      const StudyRun& run = r.schemes[s].runs[i];
      if (run.status == StudyStatus::ok && std::isfinite(run.error))
        found.push_back({static_cast<int>(s), static_cast<int>(i)});
    }
  return found;
}

/// A cost: seconds of computing per second of motion.
std::string cost_text(const StudyResult& r, const StudyRun& run) {
  return step_text(run.wall / r.end) + " of computing time per second of motion";
}

std::string none_text(const StudyResult& r, const std::vector<Choice>& ok) {
  if (ok.empty()) return "No run reached its end, so none can be recommended.";
  const Choice best =
      *std::ranges::min_element(ok, {}, [&](Choice c) { return verdict_run(r, c).error; });
  const StudyRun& run = verdict_run(r, best);
  std::string text =
      fmt::format("No run meets the tolerance {:g}. The most accurate is {}: error {:.2g}",
                  r.tolerance, name_of(r, best), run.error);
  if (own_error(r) > 0.5 * r.tolerance)
    return text +
           fmt::format(", but the reference itself is only accurate to {:.2g}.", own_error(r));
  const OrderFit& fit = r.schemes[static_cast<std::size_t>(best.scheme)].impacts;
  if (std::isfinite(fit.order) && fit.order > 0.3)
    return text + fmt::format("; at its order {:.2f} a step of about {} should meet it.", fit.order,
                              step_text(std::pow(r.tolerance / fit.constant, 1.0 / fit.order)));
  return text + ".";
}

std::string chosen_text(const StudyResult& r, Choice chosen, const std::vector<Choice>& good) {
  const StudyRun& run = verdict_run(r, chosen);
  std::string text = fmt::format("Use {}: error {:.2g}, tolerance {:g}, {}", name_of(r, chosen),
                                 run.error, r.tolerance, cost_text(r, run));
  if (good.size() == 1) return text + "; no other run meets the tolerance.";
  text += fmt::format("; the cheapest of the {} runs that meet the tolerance", good.size());
  const Choice* next = nullptr;  // of another scheme
  for (const Choice& c : good)
    if (c.scheme != chosen.scheme && (!next || verdict_run(r, c).wall < verdict_run(r, *next).wall))
      next = &c;
  if (!next) return text + ", all with this scheme.";
  const double ratio = verdict_run(r, *next).wall / std::max(run.wall, 1e-12);
  if (ratio < kSameCost)
    return text + fmt::format(" ({} costs the same, error {:.2g}).", name_of(r, *next),
                              verdict_run(r, *next).error);
  return text + fmt::format("; the next scheme, {}, costs {:.2g} times as much.", name_of(r, *next),
                            ratio);
}

void warn_of_run(const StudyResult& r, Choice chosen, std::vector<std::string>& out) {
  const StudyRun& run = verdict_run(r, chosen);
  const std::string& label = label_of(r, chosen);
  out.insert(out.end(), run.warnings.begin(), run.warnings.end());
  const double scale = r.energy_scale;
  if (scale > 0.0 && std::abs(run.scheme) > kMuch * scale)
    out.push_back(fmt::format("{} itself {} {:.2g} % of the energy ({:.3g} J)", label,
                              run.scheme < 0.0 ? "removes" : "adds",
                              100.0 * std::abs(run.scheme) / scale, std::abs(run.scheme)));
  if (scale > 0.0 && run.unexplained > kMuch * scale)
    out.push_back(
        fmt::format("no work term explains {:.3g} J in one step of {}", run.unexplained, label));
  if (run.penetration > 1e-12)
    out.push_back(fmt::format("{} lets bodies overlap by up to {:.3g} m", label, run.penetration));
  if (run.unsolved > 0)
    out.push_back(fmt::format("{} of the {} steps of {} were accepted although not solved",
                              run.unsolved, run.steps, label));
  if (run.residual > 1e-6)
    out.push_back(
        fmt::format("with {} the contact laws have a residual of {:.2g} at the end of steps", label,
                    run.residual));
}

/// Warns about other schemes: unstable steps, and limits that differ from the reference.
void warn_of_others(const StudyResult& r, std::vector<std::string>& out) {
  for (const StudyScheme& scheme : r.schemes) {
    double least = std::numeric_limits<double>::infinity();
    int count = 0;
    for (const StudyRun& run : scheme.runs)
      if (run.status == StudyStatus::unstable) {
        least = std::min(least, run.h);
        ++count;
      }
    if (count > 0)
      out.push_back(fmt::format("{} is unstable with h = {}{}", scheme.label, step_text(least),
                                count > 1 ? " and above" : ""));
  }
  if (r.reference.others > 0 && r.reference.agree == 0)
    out.push_back(fmt::format(
        "no other scheme converges to the reference; the closest, {}, differs by {:.2g}",
        r.reference.closest, own_error(r)));
}

}  // namespace

std::string step_text(double seconds) {
  const double a = std::abs(seconds);
  if (a == 0.0 || !std::isfinite(a)) return fmt::format("{:g} s", seconds);
  if (a < 0.9995e-6) return fmt::format("{:.3g} ns", 1e9 * seconds);
  if (a < 0.9995e-3) return fmt::format("{:.3g} us", 1e6 * seconds);
  if (a < 0.9995) return fmt::format("{:.3g} ms", 1e3 * seconds);
  return fmt::format("{:.3g} s", seconds);
}

StudyVerdict study_verdict(const StudyResult& result) {
  StudyVerdict verdict;
  const std::vector<Choice> ok = all_ok(result);
  std::vector<Choice> good;
  for (const Choice& c : ok)
    if (verdict_run(result, c).error + own_error(result) <= result.tolerance) good.push_back(c);
  if (good.empty()) {
    verdict.text = none_text(result, ok);
  } else {
    double cheapest = std::numeric_limits<double>::infinity();
    for (const Choice& c : good) cheapest = std::min(cheapest, verdict_run(result, c).wall);
    Choice chosen;
    for (const Choice& c : good)
      if (verdict_run(result, c).wall <= kSameCost * cheapest &&
          (chosen.scheme < 0 || verdict_run(result, c).error < verdict_run(result, chosen).error))
        chosen = c;
    verdict.scheme = chosen.scheme;
    verdict.run = chosen.run;
    verdict.text = chosen_text(result, chosen, good);
    warn_of_run(result, chosen, verdict.warnings);
  }
  warn_of_others(result, verdict.warnings);
  return verdict;
}

}  // namespace saltus
