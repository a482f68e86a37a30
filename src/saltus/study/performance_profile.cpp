#include "saltus/study/performance_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "saltus/base/error.h"
#include "saltus/study/study_plot.h"
#include "saltus/study/sweep_table.h"

namespace saltus {
namespace {

constexpr std::string_view kStyle =
    "text{fill:#1c1f24;font:12px system-ui,sans-serif}.tick{fill:#5d6570}"
    ".grid{stroke:#d9dde3}.frame{fill:none;stroke:#5d6570}"
    ".curve{fill:none;stroke:currentColor;stroke-linejoin:round}.dash .curve{stroke-dasharray:6 4}"
    ".c0{color:#0067a6}.c1{color:#c74e00}.c2{color:#00805c}.c3{color:#a83279}.c4{color:#7a6200}"
    ".c5{color:#6a4fc4}.c6{color:#5a5f66}";

}  // namespace

void PerformanceProfile::add(const std::vector<double>& times) {
  expects(times.size() == solvers_.size(), "a problem has one time for each solver");
  for (const double time : times) expects(time > 0.0, "times are > 0");
  const double best = std::ranges::min(times);
  std::vector<double>& ratio = ratios_.emplace_back();
  for (const double time : times) ratio.push_back(std::isinf(time) ? time : time / best);
}

double PerformanceProfile::fraction(std::size_t solver, double tau) const {
  if (ratios_.empty()) return 0.0;
  const auto within =
      std::ranges::count_if(ratios_, [&](const auto& ratio) { return ratio[solver] <= tau; });
  return static_cast<double>(within) / static_cast<double>(ratios_.size());
}

std::vector<double> PerformanceProfile::factors() const {
  std::vector<double> found{1.0};
  for (const auto& ratio : ratios_)
    std::ranges::copy_if(ratio, std::back_inserter(found),
                         [](double r) { return std::isfinite(r); });
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::string PerformanceProfile::csv() const {
  std::string text = "tau";
  for (const std::string& solver : solvers_) text += "," + csv_cell(solver);
  text += "\n";
  for (const double tau : factors()) {
    fmt::format_to(std::back_inserter(text), "{}", tau);
    for (std::size_t s = 0; s < solvers_.size(); ++s)
      fmt::format_to(std::back_inserter(text), ",{}", fraction(s, tau));
    text += "\n";
  }
  return text;
}

std::string PerformanceProfile::svg() const {
  Plot plot;
  plot.name = "performance profile";
  plot.x.label = "factor relative to the best time";
  plot.y.label = "fraction of problems solved";
  plot.y.log = false;
  std::vector<double> steps = factors();
  steps.push_back(std::max(2.0, 1.2 * steps.back()));  // where the curves are flat
  for (std::size_t s = 0; s < solvers_.size(); ++s) {
    PlotSeries& series = plot.series.emplace_back();
    series.label = solvers_[s];
    series.style = static_cast<int>(s);
    series.markers = false;
    double before = fraction(s, 1.0);
    for (const double tau : steps) {
      const double here = fraction(s, tau);
      if (here != before) series.points.push_back({tau, before, false, "", false});
      series.points.push_back({tau, here, false, "", false});
      before = here;
    }
  }
  const std::string drawing = plot_svg(plot);
  const std::size_t head = drawing.find('>') + 1;
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"{}"
      "<style>{}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>{}",
      drawing.substr(4, head - 4), kStyle, drawing.substr(head));
}

}  // namespace saltus
