// Plots as inline SVG: axes, ticks, lines with markers, a legend. Colours are CSS classes.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace saltus {

struct PlotPoint {
  double x = 0.0, y = 0.0;
  bool hollow = false;  ///< drawn, but not reliable
  std::string tip;      ///< tooltip
  bool ring = false;    ///< marks the chosen run
};

struct PlotSeries {
  std::string label;
  int style = 0;  ///< colour, marker and dashes; the same in all plots of a page
  bool markers = true;
  std::vector<PlotPoint> points;
};

struct PlotAxis {
  std::string label;
  bool log = true;
  std::string (*text)(double) = nullptr;  ///< label of a tick; null: powers of ten or plain numbers
  std::vector<double> ticks;              ///< preferred; chosen automatically if empty
};

struct Plot {
  std::string name;  ///< for screen readers
  PlotAxis x, y;
  std::vector<PlotSeries> series;
  std::vector<int> slopes;      ///< orders shown as triangles
  std::optional<double> level;  ///< a horizontal line at this y
  std::string level_text;
  bool level_text_left = false;
};

/// Number of distinct colours.
inline constexpr int kPlotColours = 7;

/// One <svg> element without external references. Points that an axis cannot show are omitted.
std::string plot_svg(const Plot& plot);

/// Escapes the markup characters of a text.
std::string html_text(std::string_view text);

/// "10⁻³".
std::string power_of_ten(int exponent);

}  // namespace saltus
