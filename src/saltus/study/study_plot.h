// Plots as inline SVG: axes, ticks, lines with markers, a legend. Colours come from classes of the
// page.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace saltus {

struct PlotPoint {
  double x = 0.0, y = 0.0;
  bool hollow = false;  ///< drawn, but not to be trusted
  std::string tip;      ///< shown under the pointer
  bool ring = false;    ///< the one that is chosen
};

struct PlotSeries {
  std::string label;
  int style = 0;  ///< colour, marker and dashes; equal in all plots of a page
  bool markers = true;
  std::vector<PlotPoint> points;
};

struct PlotAxis {
  std::string label;
  bool log = true;
  std::string (*text)(double) = nullptr;  ///< of a tick; powers of ten or plain numbers if null
  std::vector<double> ticks;              ///< wished for; chosen if empty
};

struct Plot {
  std::string name;  ///< for readers of screens
  PlotAxis x, y;
  std::vector<PlotSeries> series;
  std::vector<int> slopes;      ///< orders shown as triangles
  std::optional<double> level;  ///< a line across, at this y
  std::string level_text;
  bool level_text_left = false;
};

/// Number of styles that look different.
inline constexpr int kPlotColours = 7;

/// One <svg> element without any reference to the outside. Points that an axis cannot show are left
/// out.
std::string plot_svg(const Plot& plot);

/// Text with the characters of markup replaced.
std::string html_text(std::string_view text);

/// "10⁻³".
std::string power_of_ten(int exponent);

}  // namespace saltus
