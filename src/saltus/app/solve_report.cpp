#include "saltus/app/solve_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>

namespace saltus::app {
namespace {

/// Titles come from files: convert them to one line without control characters.
std::string title_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  const std::size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

std::string time_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} us", 1e6 * seconds);
  if (seconds < 1.0) return fmt::format("{:.3g} ms", 1e3 * seconds);
  return fmt::format("{:.4g} s", seconds);
}

std::string contacts_text(const SolvedProblem& p) {
  std::string text =
      fmt::format("{} in {}", p.contacts,
                  p.spacedim == 2 || (p.rolling && p.spacedim == 3) ? "the plane" : "space");
  if (p.rolling) text += " with rolling friction";
  if (p.equalities > 0)
    text += fmt::format(", {} {}", p.equalities, p.equalities == 1 ? "equality" : "equalities");
  text +=
      fmt::format("; {} unknowns, W {}", p.unknowns(), p.symmetric ? "symmetric" : "unsymmetric");
  if (p.global) text += ", condensed from the global form";
  return text;
}

void add_line(std::string& text, std::string_view name, const std::string& value) {
  fmt::format_to(std::back_inserter(text), "{:<15} {}\n", name, value);
}

std::string problem_text(const SolvedProblem& p, double tolerance) {
  const SolvedRow& row = p.rows.front();
  const ContactMeasures& m = row.measures;
  std::string text = p.title.empty() ? "" : title_line(p.title) + "\n";
  add_line(text, "contacts", contacts_text(p));
  for (const std::string& note : p.notes) add_line(text, "note", note);
  if (p.stored >= 0.0)
    add_line(text, "stored solution", fmt::format("residual {:.3g}; not used", p.stored));
  add_line(text, "solver", row.solver);
  for (int k = 0; k < row.report.attempted; ++k) {
    const Attempt& attempt = row.report.attempts[static_cast<std::size_t>(k)];
    add_line(text, k == 0 ? "attempts" : "",
             fmt::format("{}: {} iterations to {:.3g}", attempt.solver, attempt.iterations,
                         attempt.residual));
  }
  add_line(text, "iterations", fmt::format("{}", row.report.iterations));
  add_line(text, "residual",
           fmt::format("{:.3g}, {} {:g}", row.report.residual,
                       row.report.converged ? "within" : "NOT CONVERGED to", tolerance));
  add_line(
      text, "",
      fmt::format("{:.3g} by the measure of Siconos, {:.3g} by that of FCLIB", m.siconos, m.fclib));
  add_line(text, "penetration", fmt::format("{:.3g} m/s", m.penetration));
  add_line(text, "cone", fmt::format("violated by {:.3g} N s", m.cone));
  add_line(text, "angle", fmt::format("{:.3g} rad between slip and friction", m.angle));
  add_line(text, "duality gap", fmt::format("{:.3g} J", m.gap));
  add_line(text, "status",
           fmt::format("{} open, {} sticking, {} sliding", m.open, m.sticking, m.sliding));
  add_line(text, "time",
           time_text(row.time) + " processor time" +
               (row.repeats > 1 ? fmt::format(", the smallest of {} solves", row.repeats) : ""));
  return text;
}

std::string table_text(const SolveResult& result) {
  std::size_t wide = 7, name = 6;
  for (const SolvedProblem& p : result.problems) {
    wide = std::max(wide, std::filesystem::path(p.file).stem().string().size());
    for (const SolvedRow& row : p.rows) name = std::max(name, row.solver.size());
  }
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "{:<{}}  {:>8}  {:<{}}  {:>10}  {:>8}  {:>8}  {:>8}  {:>9}\n", "problem",
                 wide, "contacts", "solver", name, "iterations", "residual", "Siconos", "gap [J]",
                 "time");
  for (const SolvedProblem& p : result.problems) {
    std::string stem = std::filesystem::path(p.file).stem().string();
    std::string contacts = fmt::format("{}", p.contacts);
    for (const SolvedRow& row : p.rows) {
      fmt::format_to(out, "{:<{}}  {:>8}  {:<{}}  {:>10}  {:>8.1e}  {:>8.1e}  {:>8.1e}  {:>9}{}\n",
                     stem, wide, contacts, row.solver, name, row.report.iterations,
                     row.report.residual, row.measures.siconos, row.measures.gap,
                     time_text(row.time), row.report.converged ? "" : "  not converged");
      stem.clear();  // the next lines are for the same problem
      contacts.clear();
    }
    for (const std::string& note : p.notes) fmt::format_to(out, "  {}\n", note);
  }
  const auto solved = std::ranges::count_if(result.problems, &SolvedProblem::solved);
  fmt::format_to(out, "{} of {} problem{} solved to {:g}\n", solved, result.problems.size(),
                 result.problems.size() == 1 ? "" : "s", result.tolerance);
  return text;
}

}  // namespace

bool SolvedProblem::solved() const {
  return std::ranges::any_of(rows, [](const SolvedRow& row) { return row.report.converged; });
}

std::string solve_text(const SolveResult& result) {
  const bool one = result.problems.size() == 1 && result.problems.front().rows.size() == 1;
  std::string text =
      one ? problem_text(result.problems.front(), result.tolerance) : table_text(result);
  for (std::size_t k = 0; k < result.written.size(); ++k)
    add_line(text, k == 0 ? "written" : "", result.written[k]);
  return text;
}

std::string solve_json(const SolveResult& result) {
  using nlohmann::ordered_json;
  ordered_json json;
  json["tolerance"] = result.tolerance;
  json["solved"] = std::ranges::count_if(result.problems, &SolvedProblem::solved);
  json["problems"] = ordered_json::array();
  for (const SolvedProblem& p : result.problems) {
    ordered_json object = {
        {"file", p.file},         {"title", p.title},           {"spacedim", p.spacedim},
        {"contacts", p.contacts}, {"equalities", p.equalities}, {"unknowns", p.unknowns()},
        {"rolling", p.rolling},   {"global", p.global},         {"symmetric", p.symmetric},
        {"notes", p.notes},       {"stored_residual", nullptr}};
    if (p.stored >= 0.0) object["stored_residual"] = p.stored;
    object["solves"] = ordered_json::array();
    for (const SolvedRow& row : p.rows) {
      ordered_json solve = {{"solver", row.solver},
                            {"converged", row.report.converged},
                            {"iterations", row.report.iterations},
                            {"residual", row.report.residual},
                            {"siconos", row.measures.siconos},
                            {"fclib", row.measures.fclib},
                            {"penetration", row.measures.penetration},
                            {"cone", row.measures.cone},
                            {"angle", row.measures.angle},
                            {"gap", row.measures.gap},
                            {"open", row.measures.open},
                            {"sticking", row.measures.sticking},
                            {"sliding", row.measures.sliding},
                            {"cpu_time", row.time},
                            {"repeats", row.repeats},
                            {"attempts", ordered_json::array()}};
      for (int k = 0; k < row.report.attempted; ++k) {
        const Attempt& attempt = row.report.attempts[static_cast<std::size_t>(k)];
        solve["attempts"].push_back({{"solver", attempt.solver},
                                     {"iterations", attempt.iterations},
                                     {"residual", attempt.residual}});
      }
      object["solves"].push_back(std::move(solve));
    }
    json["problems"].push_back(std::move(object));
  }
  json["files"] = result.written;
  return json.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace saltus::app
