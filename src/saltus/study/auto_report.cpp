// An automatic choice as text and as JSON.
#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "saltus/study/auto_choice.h"
#include "saltus/study/study_verdict.h"

namespace saltus {
namespace {

using AutoJson = nlohmann::ordered_json;

/// "tolerance 3e-07" for event-driven integration, else "h = 1.2 ms".
std::string resolution_text(const AutoMethod& method, double x) {
  return method.events ? fmt::format("tolerance {:.2g}", x) : "h = " + step_text(x);
}

AutoJson number_of(double value) { return std::isfinite(value) ? AutoJson(value) : AutoJson(); }

std::string mode_of(const AutoMethod& method) {
  return method.events ? "event-driven integration" : method.label + " in time stepping";
}

}  // namespace

std::string auto_text(const AutoChoice& choice) {
  const AutoMethod& method = choice.method();
  const double x = choice.runs.empty() ? method.x : choice.runs.back().x;
  const double last = choice.runs.empty() ? 0.0 : choice.runs.back().work;
  std::string text =
      fmt::format("{:<15} {}, {}\n", "chosen", mode_of(method),
                  resolution_text(method, std::isfinite(choice.estimate) ? x : method.x));
  const auto out = std::back_inserter(text);
  if (std::isfinite(choice.estimate))
    fmt::format_to(out, "{:<15} {:.2g} of the motion (estimate); tolerance {:g}{}\n", "error",
                   choice.estimate, choice.tolerance,
                   choice.met ? "" : ": NOT MET, " + choice.unmet);
  else
    fmt::format_to(out, "{:<15} {}; tolerance {:g}\n", "error",
                   choice.unmet.empty() ? "not estimated" : choice.unmet, choice.tolerance);
  fmt::format_to(out, "{:<15} {} runs, {:.3g} evaluations, {:.2g} of them in the last run\n",
                 "search", choice.runs.size(), choice.work(), last / std::max(choice.work(), 1.0));
  for (std::size_t i = 0; i < choice.methods.size(); ++i) {
    const AutoMethod& other = choice.methods[i];
    if (static_cast<int>(i) == choice.chosen) continue;
    const std::string why =
        other.left_out.empty() ? fmt::format("{:.3g} evaluations expected, {:.3g} times the choice",
                                             other.work, method.work)
                               : other.left_out;
    fmt::format_to(out, "{:<15} {}: {}\n", "  left out", other.label, why);
  }
  return text;
}

std::string auto_json(const AutoChoice& choice) {
  AutoJson json;
  const AutoMethod& method = choice.method();
  json["tolerance"] = choice.tolerance;
  json["estimate"] = number_of(choice.estimate);
  json["met"] = choice.met;
  json["unmet"] = choice.unmet;
  json["mode"] = json["lane"] = method.events ? "events" : "stepping";
  json["method"] = method.label;
  json["step"] = choice.step;
  json["work"] = choice.work();
  json["methods"] = AutoJson::array();
  for (const AutoMethod& one : choice.methods)
    json["methods"].push_back({{"method", one.label},
                               {"order", one.order},
                               {"stable_step", one.limit > 0.0 ? AutoJson(one.limit) : AutoJson()},
                               {"x", one.x},
                               {"expected_work", number_of(one.work)},
                               {"left_out", one.left_out}});
  json["runs"] = AutoJson::array();
  for (const AutoRun& run : choice.runs)
    json["runs"].push_back({{"method", run.method},
                            {"x", run.x},
                            {"end", run.end},
                            {"work", run.work},
                            {"change", number_of(run.change)},
                            {"estimate", number_of(run.estimate)},
                            {"handed_over", run.handed_over},
                            {"failure", run.failure}});
  return json.dump(1, ' ', false, AutoJson::error_handler_t::replace);
}

}  // namespace saltus
