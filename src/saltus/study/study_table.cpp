#include "saltus/study/study_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "saltus/study/study_verdict.h"

namespace saltus {
namespace {

using Json = nlohmann::ordered_json;

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

/// 17 digits; empty if not finite.
std::string cell(double value) { return std::isfinite(value) ? fmt::format("{:.17g}", value) : ""; }

/// null if not finite.
Json json_number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json fit_json(const OrderFit& fit) {
  return {{"order", json_number(fit.order)},
          {"constant", json_number(fit.constant)},
          {"runs", fit.runs},
          {"why_not", fit.why}};
}

Json reference_json(const StudyReference& r) {
  return {{"file", r.file},   {"scheme", r.scheme},
          {"step", r.h},      {"own_error", json_number(r.own_error)},
          {"agree", r.agree}, {"others", r.others}};
}

Json run_json(const StudyResult& result, const StudyRun& run) {
  Json json;
  json["step"] = run.h;
  json["steps"] = run.steps;
  json["status"] = name_of(run.status);
  json["reason"] = run.reason;
  json["error"] = json_number(run.error);
  json["error_measurable"] = run.measurable;
  json["smooth_error"] = json_number(run.smooth_error);
  json["smooth_error_measurable"] = run.smooth_measurable;
  json["meets_tolerance"] = run.accurate;
  json["energy"] = {{"start", json_number(run.energy_start)},
                    {"end", json_number(run.energy_end)},
                    {"impact", json_number(run.impact)},
                    {"scheme", json_number(run.scheme)},
                    {"drift", json_number(run.drift)},
                    {"unexplained_in_a_step", json_number(run.unexplained)}};
  json["penetration"] = run.penetration;
  json["residual_after"] = json_number(run.residual);
  json["passes"] = run.passes;
  json["contact_steps"] = run.contact_steps;
  json["unsolved_steps"] = run.unsolved;
  json["first_contact"] = json_number(run.first_contact);
  json["warnings"] = run.warnings;
  json["cost"] = {{"wall", run.wall}, {"wall_per_second", run.wall / result.end}};
  return json;
}

/// As a percentage of the energy of the motion, "-" if that is zero.
std::string share(double joule, double scale) {
  if (!(scale > 0.0) || !std::isfinite(joule)) return "-";
  const double percent = 100.0 * joule / scale;
  return std::abs(percent) < 1e-9 ? "0 %" : fmt::format("{:.2g} %", percent);
}

/// Column widths of the table of runs, for ASCII names.
struct Columns {
  std::size_t label = 6;
};

void run_lines(const StudyResult& r, const Columns& columns, std::string& text) {
  for (std::size_t s = 0; s < r.schemes.size(); ++s) {
    const StudyScheme& scheme = r.schemes[s];
    if (!scheme.refused.empty()) {
      fmt::format_to(std::back_inserter(text), "  {:<{}}  refused: {}\n", scheme.label,
                     columns.label, scheme.refused);
      continue;
    }
    for (std::size_t i = 0; i < scheme.runs.size(); ++i) {
      const StudyRun& run = scheme.runs[i];
      const bool chosen =
          r.verdict.scheme == static_cast<int>(s) && r.verdict.run == static_cast<int>(i);
      fmt::format_to(std::back_inserter(text), "{} {:<{}}  {:>6}  {:>9}  ", chosen ? '>' : ' ',
                     i == 0 ? scheme.label : "", columns.label, i == 0 ? theory_text(scheme) : "",
                     step_text(run.h));
      if (run.status == StudyStatus::ok)
        fmt::format_to(std::back_inserter(text), "{:>9}  {:>10}  {:>9.2g}  {:>9.2g}  {:>9}\n",
                       error_text(r, run), share(run.drift, r.energy_scale), run.penetration,
                       run.residual, step_text(run.wall / r.end));
      else
        fmt::format_to(std::back_inserter(text), "{}: {}\n", name_of(run.status), run.reason);
    }
    if (!scheme.kept.empty())
      fmt::format_to(std::back_inserter(text), "  {:<{}}  does not support {}\n", "", columns.label,
                     fmt::join(scheme.kept, ", "));
  }
}

void order_lines(const StudyResult& r, const Columns& columns, std::string& text) {
  const bool impacts = std::isfinite(r.first_impact);
  for (const StudyScheme& scheme : r.schemes) {
    if (!scheme.refused.empty()) continue;
    fmt::format_to(std::back_inserter(text), "  {:<{}}  {:>6}  {:>8}", scheme.label, columns.label,
                   theory_text(scheme), order_text(scheme.smooth));
    if (impacts) fmt::format_to(std::back_inserter(text), "  {:>12}", order_text(scheme.impacts));
    const std::string& why = impacts && !scheme.impacts.why.empty() ? scheme.impacts.why
                             : scheme.smooth.why != r.no_smooth     ? scheme.smooth.why
                                                                    : std::string();
    text += why.empty() ? "\n" : "  " + why + "\n";
  }
}

}  // namespace

std::string order_text(const OrderFit& fit) {
  return std::isfinite(fit.order) ? fmt::format("{:.2f}", fit.order) : "-";
}

std::string theory_text(const StudyScheme& scheme) {
  if (!scheme.theory) return "?";
  return std::isinf(*scheme.theory) ? "exact" : fmt::format("{:g}", *scheme.theory);
}

std::string error_text(const StudyResult& r, const StudyRun& run) {
  if (run.status != StudyStatus::ok || !std::isfinite(run.error)) return "-";
  if (run.measurable) return fmt::format("{:.1e}", run.error);
  return fmt::format("< {:.0e}", std::max({run.error, r.reference.own_error, 1e-13}));
}

std::string reference_text(const StudyResult& r) {
  const StudyReference& ref = r.reference;
  if (!ref.file.empty()) return ref.file + ", assumed exact";
  if (ref.scheme.empty()) return "none";
  std::string text = fmt::format("{} with h = {}, accurate to {:.1e}", ref.scheme, step_text(ref.h),
                                 ref.own_error);
  if (ref.others > 0)
    text +=
        fmt::format("; {} of {} other schemes converge to the same motion", ref.agree, ref.others);
  else
    text += "; no other scheme to compare with";
  return text;
}

std::string scale_text(const StudyResult& r) {
  std::string text;
  for (const StudyObservable& o : r.observables)
    text += fmt::format("{}{} ({:.3g}{}{})", text.empty() ? "" : ", ", o.name, o.scale,
                        o.unit.empty() ? "" : " ", o.unit);
  return fmt::format(
      "mean distance from the reference over mean distance from the start, of {}, at {} times{}",
      text, r.times.size() - 1, r.observables.size() > 1 ? "; the largest" : "");
}

std::string smooth_text(const StudyResult& r) {
  if (!std::isfinite(r.first_impact)) return "the whole run, which has no impact";
  if (!r.no_smooth.empty()) return "not measured: " + r.no_smooth;
  std::string text =
      fmt::format("{} times before the first impact at {:.4g} s", r.smooth_times, r.first_impact);
  const StudyReference& ref = r.smooth_reference;
  if (ref.file.empty() && !ref.scheme.empty())
    text += fmt::format(", against {} with h = {}, accurate to {:.1e}", ref.scheme,
                        step_text(ref.h), ref.own_error);
  return text;
}

std::string choice_text(const StudyChoice& c) {
  if (c.method.empty()) return "no choice: " + c.unmet;
  if (!std::isfinite(c.estimate))
    return fmt::format("{} with {}; against {} (accurate to {:.2g}) its error is {:.2g}; {}",
                       c.method,
                       c.events ? fmt::format("tolerance {:.2g}", c.x) : "h = " + step_text(c.x),
                       c.reference, c.known, c.error, c.unmet);
  return fmt::format(
      "{} with {}: estimated error {:.2g}, tolerance {:g}; against {} (accurate to {:.2g}) its "
      "error is {:.2g}: {}{}",
      c.method, c.events ? fmt::format("tolerance {:.2g}", c.x) : "h = " + step_text(c.x),
      c.estimate, c.tolerance, c.reference, c.known, c.error,
      c.holds ? "the estimate is valid" : "THE ESTIMATE IS NOT VALID",
      c.unmet.empty() ? "" : "; " + c.unmet);
}

std::string study_text(const StudyResult& r) {
  std::string text = r.title.empty() ? "" : r.title + "\n";
  const auto row = [&](std::string_view name, const std::string& what) {
    fmt::format_to(std::back_inserter(text), "{:<15} {}\n", name, what);
  };
  row("study",
      fmt::format("{} schemes, {} steps from {} to {}, to t = {:.6g} s", r.schemes.size(),
                  r.steps.size(), step_text(r.steps.front()), step_text(r.steps.back()), r.end));
  row("error", scale_text(r));
  row("reference", reference_text(r));
  row("smooth stretch", smooth_text(r));
  Columns columns;
  for (const StudyScheme& scheme : r.schemes)
    columns.label = std::max(columns.label, scheme.label.size());
  fmt::format_to(std::back_inserter(text), "\n  {:<{}}  {:>6}  {:>8}{}\n", "order", columns.label,
                 "theory", "smooth", std::isfinite(r.first_impact) ? "  with impacts" : "");
  order_lines(r, columns, text);
  fmt::format_to(std::back_inserter(text),
                 "\n  {:<{}}  {:>6}  {:>9}  {:>9}  {:>10}  {:>9}  {:>9}  {:>9}\n", "scheme",
                 columns.label, "order", "step", "error", "E drift", "inside m", "residual",
                 "cost/s");
  run_lines(r, columns, text);
  text += "\n";
  for (const std::string& note : r.notes) row("note", note);
  for (const std::string& warning : r.verdict.warnings) row("beware", warning);
  row("verdict", r.verdict.text);
  if (r.choice) row("auto", choice_text(*r.choice));
  return text;
}

std::string study_csv(const StudyResult& r) {
  std::string text =
      "scheme,theoretical order,smooth order,order with impacts,step [s],steps,status,reason,error,"
      "error measurable,smooth error,smooth error measurable,meets tolerance,energy start [J],"
      "energy end [J],impact [J],scheme [J],drift [J],unexplained in a step [J],penetration [m],"
      "residual,passes,contact steps,unsolved steps,wall [s],wall per second\r\n";
  for (const StudyScheme& scheme : r.schemes) {
    const std::string head =
        quoted(scheme.label) + "," + (scheme.theory ? theory_text(scheme) : "") + "," +
        cell(scheme.smooth.order) + "," +
        (std::isfinite(r.first_impact) ? cell(scheme.impacts.order) : "") + ",";
    if (!scheme.refused.empty()) {
      text += head + ",,refused," + quoted(scheme.refused) + std::string(18, ',') + "\r\n";
      continue;
    }
    for (const StudyRun& run : scheme.runs) {
      text += head;
      text +=
          fmt::format("{},{},{},{},{},{},{},{},{},", cell(run.h), run.steps, name_of(run.status),
                      quoted(run.reason), cell(run.error), run.measurable ? 1 : 0,
                      cell(run.smooth_error), run.smooth_measurable ? 1 : 0, run.accurate ? 1 : 0);
      for (const double value : {run.energy_start, run.energy_end, run.impact, run.scheme,
                                 run.drift, run.unexplained, run.penetration, run.residual})
        text += cell(value) + ",";
      text += fmt::format("{},{},{},{},{}\r\n", run.passes, run.contact_steps, run.unsolved,
                          cell(run.wall), cell(run.wall / r.end));
    }
  }
  return text;
}

std::string study_json(const StudyResult& r) {
  Json json;
  json["scene"] = r.scene;
  json["title"] = r.title;
  json["end"] = r.end;
  json["scene_step"] = r.scene_step;
  json["tolerance"] = r.tolerance;
  json["steps"] = r.steps;
  json["times"] = r.times.size() - 1;
  json["observables"] = Json::array();
  for (const StudyObservable& o : r.observables)
    json["observables"].push_back({{"name", o.name}, {"unit", o.unit}, {"scale", o.scale}});
  json["error_is"] = scale_text(r);
  json["contacts"] = r.contacts;
  json["first_impact"] = json_number(r.first_impact);
  json["smooth_times"] = r.smooth_times;
  json["no_smooth"] = r.no_smooth;
  json["reference"] = reference_json(r.reference);
  json["smooth_reference"] = reference_json(r.smooth_reference);
  json["energy_scale"] = r.energy_scale;
  json["schemes"] = Json::array();
  for (const StudyScheme& scheme : r.schemes) {
    Json entry;
    entry["scheme"] = scheme.label;
    entry["kept_by_other_schemes"] = scheme.kept;
    entry["refused"] = scheme.refused;
    entry["theoretical_order"] =
        scheme.theory ? std::isinf(*scheme.theory) ? Json("exact") : Json(*scheme.theory) : Json();
    entry["smooth_order"] = fit_json(scheme.smooth);
    entry["order_with_impacts"] = std::isfinite(r.first_impact) ? fit_json(scheme.impacts) : Json();
    entry["runs"] = Json::array();
    for (const StudyRun& run : scheme.runs) entry["runs"].push_back(run_json(r, run));
    json["schemes"].push_back(entry);
  }
  json["verdict"] = {{"text", r.verdict.text}, {"scheme", Json()}, {"step", Json()}};
  if (r.verdict.scheme >= 0) {
    const StudyScheme& scheme = r.schemes[static_cast<std::size_t>(r.verdict.scheme)];
    json["verdict"]["scheme"] = scheme.label;
    json["verdict"]["step"] = scheme.runs[static_cast<std::size_t>(r.verdict.run)].h;
  }
  json["warnings"] = r.verdict.warnings;
  if (r.choice) {
    const StudyChoice& c = *r.choice;
    json["auto"] = {{"method", c.method},
                    {"mode", c.events ? "events" : "stepping"},
                    {"lane", c.events ? "events" : "stepping"},
                    {"x", c.x},
                    {"tolerance", c.tolerance},
                    {"estimate", c.estimate},
                    {"error", c.error},
                    {"known", c.known},
                    {"reference", c.reference},
                    {"work", c.work},
                    {"holds", c.holds},
                    {"unmet", c.unmet}};
  }
  json["notes"] = r.notes;
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace saltus
