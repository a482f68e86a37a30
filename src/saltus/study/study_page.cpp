#include "saltus/study/study_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "saltus/study/study_plot.h"
#include "saltus/study/study_table.h"
#include "saltus/study/study_verdict.h"
#include "saltus/version.h"

namespace saltus {
namespace {

constexpr std::size_t kMostPoints = 400;  ///< of a curve over time

constexpr std::string_view kPageStyle = R"(
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1c1f24; --soft: #5d6570; --line: #d9dde3; --box: #f3f5f8;
  --mark: #e4f3ea; --c0: #0067a6; --c1: #c74e00; --c2: #00805c; --c3: #a83279; --c4: #7a6200; --c5: #6a4fc4;
  --c6: #5a5f66; }
@media (prefers-color-scheme: dark) { :root { --paper: #15181d; --ink: #e6e9ee; --soft: #a0a8b4; --line: #333a44;
  --box: #1e232b; --mark: #1d3a2b; --c0: #5cb3f0; --c1: #ff9250; --c2: #35cf9f; --c3: #ec8fc4; --c4: #dcc24a;
  --c5: #ab97ff; --c6: #b4bac3; } }
body { background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; margin: 0 auto;
  max-width: 1180px; padding: 24px 20px 60px; }
h1 { font-size: 24px; margin: 0; } h2 { font-size: 18px; margin: 36px 0 8px; }
p { margin: 6px 0; } .soft { color: var(--soft); }
.verdict { background: var(--mark); border-radius: 8px; padding: 14px 18px; margin: 18px 0; font-size: 17px; }
ul { margin: 6px 0; padding-left: 22px; }
figure { margin: 0 0 28px; } figcaption { color: var(--soft); font-size: 13px; }
svg { display: block; height: auto; width: 100%; }
svg text { fill: var(--ink); font: 12px system-ui, sans-serif; } svg .tick { fill: var(--soft); }
svg .grid { stroke: var(--line); stroke-width: 1; } svg .frame { fill: none; stroke: var(--soft); }
svg .level { stroke: var(--soft); stroke-dasharray: 3 4; stroke-width: 1.5; }
svg .slope { fill: var(--box); stroke: var(--soft); }
svg .curve { fill: none; stroke: currentColor; stroke-width: 1.8; stroke-linejoin: round; }
svg .dash .curve { stroke-dasharray: 6 4; }
svg .full { fill: currentColor; stroke: var(--paper); stroke-width: 0.8; }
svg .ring { fill: none; stroke: var(--ink); stroke-width: 1.5; }
svg .hollow { fill: var(--paper); stroke: currentColor; stroke-width: 1.5; }
.c0 { color: var(--c0); } .c1 { color: var(--c1); } .c2 { color: var(--c2); } .c3 { color: var(--c3); }
.c4 { color: var(--c4); } .c5 { color: var(--c5); } .c6 { color: var(--c6); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; width: 100%; }
th, td { padding: 3px 9px; text-align: right; white-space: nowrap; }
th { border-bottom: 1px solid var(--soft); font-weight: 600; vertical-align: bottom; }
td.name, th.name { text-align: left; } td.why { color: var(--soft); text-align: left; white-space: normal; }
tr.first td { border-top: 1px solid var(--line); } tr.chosen td { background: var(--mark); }
dl { display: grid; gap: 4px 18px; grid-template-columns: max-content 1fr; margin: 8px 0; }
dt { color: var(--soft); } dd { margin: 0; }
)";

std::string number(double value, const char* none = "–") {
  return std::isfinite(value) ? fmt::format("{:.2g}", value) : none;
}

std::string tick_of_step(double h) { return step_text(h); }

/// Tooltip for a run.
std::string tip(const StudyScheme& scheme, const StudyRun& run, const std::string& what) {
  return fmt::format("{}, h = {}: {}", scheme.label, step_text(run.h), what);
}

bool is_chosen(const StudyVerdict& verdict, std::size_t scheme, std::size_t run) {
  return verdict.scheme == static_cast<int>(scheme) && verdict.run == static_cast<int>(run);
}

struct Figure {
  const char* heading;
  Plot plot;
  std::string caption;
};

/// Errors, energies and costs of the runs as plots.
class StudyFigures {
 public:
  explicit StudyFigures(const StudyResult& result)
      : r_(result), impacts_(std::isfinite(result.first_impact)) {}

  std::vector<Figure> operator()() {
    if (impacts_)
      error_plot(
          "Error with impacts", false,
          "Over the whole run. After each name: its measured order. Hollow: too close to the error "
          "of the reference to count.");
    if (r_.smooth_times > 0)
      error_plot(impacts_ ? "Error before the first impact" : "Error", true,
                 "On smooth motion, in the same units. After each name: its measured order.");
    energy_plot();
    drift_plot();
    cost_plot();
    return std::move(figures_);
  }

 private:
  /// One curve for each scheme with runs; `point` makes the point of a run.
  template <typename Label, typename Point>
  std::vector<PlotSeries> curves(const Label& label, const Point& point) const {
    std::vector<PlotSeries> series;
    for (std::size_t s = 0; s < r_.schemes.size(); ++s) {
      const StudyScheme& scheme = r_.schemes[s];
      if (scheme.runs.empty()) continue;
      PlotSeries curve{label(scheme), static_cast<int>(s), true, {}};
      for (std::size_t i = 0; i < scheme.runs.size(); ++i) {
        if (scheme.runs[i].status != StudyStatus::ok) continue;
        curve.points.push_back(point(scheme, scheme.runs[i]));
        curve.points.back().ring = is_chosen(r_.verdict, s, i);
      }
      series.push_back(std::move(curve));
    }
    return series;
  }

  static std::string with_order(const StudyScheme& scheme, const OrderFit& fit) {
    return scheme.label + (std::isfinite(fit.order) ? fmt::format(" · {:.2f}", fit.order) : "");
  }

  void error_plot(const char* heading, bool smooth, const std::string& caption) {
    Plot plot;
    plot.name = heading;
    plot.x = {"step h", true, tick_of_step, r_.steps};
    plot.y = {"relative error", true, nullptr, {}};
    plot.slopes = smooth ? std::vector<int>{1, 2, 4} : std::vector<int>{1, 2};
    if (!smooth || !impacts_) {
      plot.level = r_.tolerance;
      plot.level_text = fmt::format("tolerance {:g}", r_.tolerance);
    }
    plot.series =
        curves([&](const StudyScheme& s) { return with_order(s, smooth ? s.smooth : s.impacts); },
               [&](const StudyScheme& s, const StudyRun& run) {
                 const double e = smooth ? run.smooth_error : run.error;
                 return PlotPoint{run.h, e, !(smooth ? run.smooth_measurable : run.measurable),
                                  tip(s, run, fmt::format("error {:.3g}", e))};
               });
    figures_.push_back({heading, std::move(plot), caption});
  }

  /// The run of a scheme with the step closest to that of the scene.
  const StudyRun* middle_run(const StudyScheme& scheme, double& h) const {
    const auto nearest = std::ranges::min_element(
        r_.steps, {}, [&](double step) { return std::abs(std::log(step / r_.scene_step)); });
    h = *nearest;
    for (const StudyRun& run : scheme.runs)
      if (run.h == h) return &run;
    return nullptr;
  }

  void energy_plot() {
    if (!(r_.energy_scale > 0.0)) return;
    Plot plot;
    plot.name = "Energy over time";
    plot.x = {"t [s]", false, nullptr, {}};
    plot.y = {"energy, relative to the largest of the reference", false, nullptr, {}};
    double h = 0.0;
    for (std::size_t s = 0; s < r_.schemes.size(); ++s) {
      const StudyRun* run = middle_run(r_.schemes[s], h);
      if (!run) continue;
      PlotSeries curve{r_.schemes[s].label, static_cast<int>(s), false, {}};
      const std::size_t every = 1 + run->energy.size() / kMostPoints;
      if (run->status == StudyStatus::ok)
        for (std::size_t k = 0; k < run->energy.size(); k += every)
          curve.points.push_back({r_.times[k], run->energy[k] / r_.energy_scale, false, {}});
      plot.series.push_back(std::move(curve));
    }
    figures_.push_back(
        {"Energy over time", std::move(plot),
         fmt::format("With h = {}. Kinetic plus potential energy, as each scheme defines it.",
                     step_text(h))});
  }

  void drift_plot() {
    if (!(r_.energy_scale > 0.0)) return;
    Plot plot;
    plot.name = "Numerical energy drift";
    plot.x = {"step h", true, tick_of_step, r_.steps};
    plot.y = {"energy drift, relative", true, nullptr, {}};
    plot.slopes = {1, 2};
    plot.series = curves([](const StudyScheme& s) { return s.label; },
                         [&](const StudyScheme& s, const StudyRun& run) {
                           const double e = std::abs(run.drift) / r_.energy_scale;
                           return PlotPoint{run.h, e > 1e-12 ? e : kNotMeasured, false,
                                            tip(s, run, fmt::format("{:.3g} J", run.drift))};
                         });
    figures_.push_back(
        {"Energy drift", std::move(plot),
         "Magnitude of the work terms scheme, projection and unexplained at the end. Schemes "
         "without a curve stay below 1e-12."});
  }

  void cost_plot() {
    Plot plot;
    plot.name = "Error against cost";
    plot.x = {"computing time per second of motion", true, tick_of_step, {}};
    plot.y = {"relative error", true, nullptr, {}};
    plot.level = r_.tolerance;
    plot.level_text = fmt::format("tolerance {:g}", r_.tolerance);
    plot.level_text_left = true;
    plot.series = curves([](const StudyScheme& s) { return s.label; },
                         [&](const StudyScheme& s, const StudyRun& run) {
                           return PlotPoint{run.wall / r_.end, run.error, !run.measurable,
                                            tip(s, run, fmt::format("error {:.3g}", run.error))};
                         });
    figures_.push_back({"Error against cost", std::move(plot),
                        "Lower left is better. The ring marks the run of the verdict."});
  }

  const StudyResult& r_;
  bool impacts_;
  std::vector<Figure> figures_;
};

class Page {
 public:
  explicit Page(const StudyResult& result)
      : r_(result), impacts_(std::isfinite(result.first_impact)) {}

  std::string operator()() {
    head();
    verdict();
    for (const Figure& figure : StudyFigures(r_)())
      add("<h2>{}</h2>\n<figure>\n{}<figcaption>{}</figcaption>\n</figure>\n", figure.heading,
          plot_svg(figure.plot), html_text(figure.caption));
    orders();
    runs();
    method();
    text_ += "</body>\n</html>\n";
    return std::move(text_);
  }

 private:
  template <typename... T>
  void add(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<T>(values)...);
  }

  std::string title() const { return html_text(r_.title.empty() ? r_.scene : r_.title); }

  void head() {
    text_ += "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n";
    text_ += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n";
    add("<title>{}: schemes and steps</title>\n<style>{}</style>\n</head>\n<body>\n", title(),
        kPageStyle);
    add("<h1>{}</h1>\n<p class=\"soft\">{} schemes, {} steps from {} to {}, t = 0 to {:.6g} s. "
        "Scene: {}</p>\n",
        title(), r_.schemes.size(), r_.steps.size(), step_text(r_.steps.front()),
        step_text(r_.steps.back()), r_.end, html_text(r_.scene));
  }

  void verdict() {
    add("<p class=\"verdict\">{}</p>\n", html_text(r_.verdict.text));
    list(r_.verdict.warnings);
    list(r_.notes);
  }

  void list(const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    text_ += "<ul>\n";
    for (const std::string& line : lines) add("<li>{}</li>\n", html_text(line));
    text_ += "</ul>\n";
  }

  void orders() {
    text_ +=
        "<h2>Orders</h2>\n<div class=\"scroll\">\n<table>\n<tr><th class=\"name\">scheme</th>"
        "<th>theory, smooth</th><th>measured, smooth</th>";
    if (impacts_) text_ += "<th>measured, with impacts</th>";
    text_ += "<th class=\"name\">remark</th></tr>\n";
    for (const StudyScheme& scheme : r_.schemes) {
      std::string remark = scheme.refused;
      if (remark.empty() && impacts_) remark = scheme.impacts.why;
      if (remark.empty() && scheme.smooth.why != r_.no_smooth) remark = scheme.smooth.why;
      if (!scheme.kept.empty())
        remark += fmt::format("{}does not support {}", remark.empty() ? "" : "; ",
                              fmt::join(scheme.kept, ", "));
      const bool ran = scheme.refused.empty();
      add("<tr><td class=\"name\">{}</td><td>{}</td><td>{}</td>", html_text(scheme.label),
          ran ? theory_text(scheme) : "–", ran ? order_text(scheme.smooth) : "–");
      if (impacts_) add("<td>{}</td>", ran ? order_text(scheme.impacts) : "–");
      add("<td class=\"why\">{}</td></tr>\n", html_text(remark));
    }
    text_ += "</table>\n</div>\n";
  }

  void runs() {
    text_ +=
        "<h2>Runs</h2>\n<div class=\"scroll\">\n<table>\n<tr><th class=\"name\">scheme</th>"
        "<th>step</th><th>error</th><th>before impact</th><th>energy drift</th><th>by the "
        "scheme</th><th>overlap [m]</th><th>residual</th><th>passes</th><th>cost per "
        "second</th></tr>\n";
    for (std::size_t s = 0; s < r_.schemes.size(); ++s) {
      const StudyScheme& scheme = r_.schemes[s];
      if (!scheme.refused.empty())
        add("<tr class=\"first\"><td class=\"name\">{}</td><td class=\"why\" "
            "colspan=\"9\">refused: {}</td></tr>\n",
            html_text(scheme.label), html_text(scheme.refused));
      for (std::size_t i = 0; i < scheme.runs.size(); ++i) run_row(s, i);
    }
    text_ += "</table>\n</div>\n";
  }

  std::string percent_of_energy(double joule) const {
    if (!(r_.energy_scale > 0.0)) return "–";
    const double percent = 100.0 * joule / r_.energy_scale;
    return (std::abs(percent) < 1e-9 ? "0" : number(percent)) + " %";
  }

  void run_row(std::size_t s, std::size_t i) {
    const StudyScheme& scheme = r_.schemes[s];
    const StudyRun& run = scheme.runs[i];
    add("<tr class=\"{}{}\"><td class=\"name\">{}</td><td>{}</td>", i == 0 ? "first" : "",
        is_chosen(r_.verdict, s, i) ? " chosen" : "", i == 0 ? html_text(scheme.label) : "",
        step_text(run.h));
    if (run.status != StudyStatus::ok) {
      add("<td class=\"why\" colspan=\"8\">{}: {}</td></tr>\n", name_of(run.status),
          html_text(run.reason));
      return;
    }
    add("<td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{:.3g}</td>"
        "<td>{}</td></tr>\n",
        html_text(error_text(r_, run)), number(run.smooth_error), percent_of_energy(run.drift),
        percent_of_energy(run.scheme), number(run.penetration), number(run.residual),
        static_cast<double>(run.passes) /
            static_cast<double>(std::max<std::uint64_t>(run.steps, 1)),
        step_text(run.wall / r_.end));
  }

  void entry(const char* name, const std::string& what) {
    add("<dt>{}</dt><dd>{}</dd>\n", name, html_text(what));
  }

  void method() {
    text_ += "<h2>How this was measured</h2>\n<dl>\n";
    entry("error", scale_text(r_));
    entry("reference", reference_text(r_));
    entry("smooth stretch", smooth_text(r_));
    entry("order",
          "slope of log error over log step by least squares, for the runs whose error is at least "
          "four times that of the reference");
    entry("energy drift",
          "work terms scheme, projection and unexplained at the end, relative to the largest "
          "energy of the reference");
    entry("residual", "largest residual of the contact laws at the end of steps");
    entry("passes", "per step, on average");
    entry("cost",
          "computing time of the steps only, on the machine that wrote this page; the median of "
          "three for short runs");
    entry("program", fmt::format("Saltus {} ({})", version(), commit()));
    text_ += "</dl>\n";
  }

  const StudyResult& r_;
  bool impacts_;
  std::string text_;
};

}  // namespace

std::string study_page(const StudyResult& result) { return Page(result)(); }

}  // namespace saltus
