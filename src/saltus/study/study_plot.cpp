#include "saltus/study/study_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace saltus {
namespace {

// Layout of the drawing, in its own units.
constexpr double kWidth = 860.0, kHeight = 400.0;
constexpr double kLeft = 74.0, kRight = 566.0, kTop = 14.0, kBottom = 344.0;
constexpr double kLegend = 586.0;
constexpr std::size_t kMostLetters = 36;  ///< of a name next to the plot
constexpr double kLevel = 1e-12;  ///< ranges below this, relative to their values, are round-off

/// Maps values on an axis to pixels.
class Scale {
 public:
  Scale(bool log, double from, double to) : log_(log), from_(from), to_(to) {}

  void take(double value) {
    if (!shows(value)) return;
    const double u = log_ ? std::log10(value) : value;
    low_ = std::min(low_, u);
    high_ = std::max(high_, u);
  }
  bool shows(double value) const { return std::isfinite(value) && (!log_ || value > 0.0); }
  bool empty() const { return !(low_ <= high_); }
  /// Adds margins at both ends. A range of zero, or of round-off, is enlarged first.
  void widen(double below, double above) {
    if (empty()) low_ = high_ = 0.0;
    double range = high_ - low_;
    if (range <= kLevel * (log_ ? 1.0 : std::max(std::abs(low_), std::abs(high_)))) {
      range = log_ ? 1.0 : std::max(std::abs(high_), 1.0);
      low_ -= 0.5 * range;
      high_ += 0.5 * range;
    }
    low_ -= below * range;
    high_ += above * range;
  }
  double pixel(double value) const {
    const double u = log_ ? std::log10(value) : value;
    return from_ + (to_ - from_) * (u - low_) / (high_ - low_);
  }
  /// Pixels per unit; on a logarithmic axis per decade.
  double pixels() const { return (to_ - from_) / (high_ - low_); }

  /// Positions of ticks, at least about `apart` pixels from each other.
  std::vector<double> ticks(double apart) const { return log_ ? decades(apart) : numbers(apart); }

 private:
  std::vector<double> decades(double apart) const {
    std::vector<double> found;
    const double decade = std::abs(pixels());
    const int every = std::max(1, static_cast<int>(std::ceil(apart / decade)));
    const bool finer = decade >= 3.0 * apart;  // 1, 2, 5
    for (int e = static_cast<int>(std::floor(low_)); e <= static_cast<int>(std::ceil(high_)); ++e) {
      if ((e % every + every) % every != 0) continue;
      for (const double m : {1.0, 2.0, 5.0}) {
        const double u = e + std::log10(m);
        if (u >= low_ && u <= high_ && (m == 1.0 || finer)) found.push_back(std::pow(10.0, u));
      }
    }
    return found;
  }
  std::vector<double> numbers(double apart) const {
    const double least = apart / std::abs(pixels());
    const double power = std::pow(10.0, std::floor(std::log10(least)));
    double step = 10.0 * power;
    for (const double m : {1.0, 2.0, 5.0})
      if (m * power >= least) {
        step = m * power;
        break;
      }
    const double first = std::ceil(low_ / step - 1e-9), last = std::floor(high_ / step + 1e-9);
    const int most = static_cast<int>(std::abs(to_ - from_) / apart) + 1;
    std::vector<double> found;
    for (int i = 0; i < most && first + i <= last; ++i)
      found.push_back(first + i == 0.0 ? 0.0 : (first + i) * step);
    return found;
  }

  bool log_;
  double from_, to_;
  double low_ = std::numeric_limits<double>::infinity(), high_ = -low_;
};

std::string tick_text(const PlotAxis& axis, double value) {
  if (axis.text) return axis.text(value);
  if (!axis.log) return fmt::format("{:.4g}", value);
  const int e = static_cast<int>(std::floor(std::log10(value) + 1e-9));
  const double m = value / std::pow(10.0, e);
  if (e == 0 || e == 1) return fmt::format("{:g}", value);  // 2 and 20, not 2·1 and 2·10
  return (std::abs(m - 1.0) < 1e-6 ? "" : fmt::format("{:.0f}·", m)) + power_of_ten(e);
}

/// Shortens ASCII text so that it fits next to a plot.
std::string shortened(const std::string& label) {
  return label.size() <= kMostLetters ? label : label.substr(0, kMostLetters - 1) + "…";
}

class Drawing {
 public:
  explicit Drawing(const Plot& plot)
      : plot_(plot), x_(plot.x.log, kLeft, kRight), y_(plot.y.log, kBottom, kTop) {
    for (const PlotSeries& series : plot.series)
      for (const PlotPoint& point : series.points) {
        if (!x_.shows(point.x) || !y_.shows(point.y)) continue;
        x_.take(point.x);
        y_.take(point.y);
      }
    empty_ = x_.empty();
    if (plot.level && !empty_) y_.take(*plot.level);
    x_.widen(plot.x.log ? 0.04 : 0.0, plot.x.log ? 0.04 : 0.0);
    y_.widen(0.05, plot.slopes.empty() ? 0.05 : 0.12);
  }

  std::string operator()() {
    add("<svg viewBox=\"0 0 {:g} {:g}\" role=\"img\" aria-label=\"{}\">\n", kWidth, kHeight,
        html_text(plot_.name));
    axes();
    if (empty_) {
      add("<text class=\"label\" x=\"{:g}\" y=\"{:g}\" text-anchor=\"middle\">nothing to "
          "show</text>\n",
          0.5 * (kLeft + kRight), 0.5 * (kTop + kBottom));
    } else {
      level();
      for (const int order : plot_.slopes) slope(order);
      for (std::size_t i = 0; i < plot_.series.size(); ++i) curve(plot_.series[i], width_of(i));
    }
    legend();
    text_ += "</svg>\n";
    return std::move(text_);
  }

 private:
  template <typename... T>
  void add(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<T>(values)...);
  }

  void axes() {
    double last = -1e9;
    const bool wished = !plot_.x.ticks.empty();
    for (const double value : wished ? plot_.x.ticks : x_.ticks(64.0)) {
      const double x = x_.pixel(value);
      if (empty_ || x < kLeft - 0.5 || x > kRight + 0.5) continue;
      add("<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:g}\" y2=\"{2:g}\"/>\n", x,
          kTop, kBottom);
      if (std::abs(x - last) < 52.0) continue;
      last = x;
      add("<text class=\"tick\" x=\"{:.1f}\" y=\"{:g}\" text-anchor=\"middle\">{}</text>\n", x,
          kBottom + 17.0, html_text(tick_text(plot_.x, value)));
    }
    for (const double value : y_.ticks(26.0)) {
      const double y = y_.pixel(value);
      if (empty_ || y > kBottom + 0.5 || y < kTop - 0.5) continue;
      add("<line class=\"grid\" x1=\"{1:g}\" x2=\"{2:g}\" y1=\"{0:.1f}\" y2=\"{0:.1f}\"/>\n", y,
          kLeft, kRight);
      add("<text class=\"tick\" x=\"{:g}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
          kLeft - 7.0, y + 4.0, html_text(tick_text(plot_.y, value)));
    }
    add("<rect class=\"frame\" x=\"{:g}\" y=\"{:g}\" width=\"{:g}\" height=\"{:g}\"/>\n", kLeft,
        kTop, kRight - kLeft, kBottom - kTop);
    add("<text class=\"label\" x=\"{:g}\" y=\"{:g}\" text-anchor=\"middle\">{}</text>\n",
        0.5 * (kLeft + kRight), kBottom + 40.0, html_text(plot_.x.label));
    add("<text class=\"label\" transform=\"translate(16 {:g}) rotate(-90)\" "
        "text-anchor=\"middle\">{}</text>\n",
        0.5 * (kTop + kBottom), html_text(plot_.y.label));
  }

  void level() {
    if (!plot_.level) return;
    const double y = y_.pixel(*plot_.level);
    add("<line class=\"level\" x1=\"{0:g}\" x2=\"{1:g}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>\n", kLeft,
        kRight, y);
    const bool left = plot_.level_text_left;
    add("<text class=\"tick\" x=\"{:g}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n",
        left ? kLeft + 6.0 : kRight - 6.0, y - 5.0, left ? "start" : "end",
        html_text(plot_.level_text));
  }

  /// Draws a triangle with this slope in a corner without errors: short steps, large errors.
  void slope(int order) {
    constexpr double kRun = 46.0;
    const double rise = kRun * order * std::abs(y_.pixels() / x_.pixels());
    const double left = slope_at_, right = left + kRun, top = kTop + 10.0;
    if (rise > 0.6 * (kBottom - kTop)) return;
    add("<path class=\"slope\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}V{:.1f}Z\"/>\n", left, top + rise,
        right, top, top + rise);
    add("<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", right + 3.0,
        top + std::max(0.5 * rise, 4.0) + 4.0, order);
    slope_at_ = right + 22.0;
  }

  /// Later curves are thinner, so that they do not hide curves below them.
  double width_of(std::size_t i) const {
    return 1.5 + 0.2 * std::min(10.0, static_cast<double>(plot_.series.size() - 1 - i));
  }

  void curve(const PlotSeries& series, double width) {
    std::string path;
    bool on = false;
    for (const PlotPoint& point : series.points) {
      if (!x_.shows(point.x) || !y_.shows(point.y)) {
        on = false;
        continue;
      }
      fmt::format_to(std::back_inserter(path), "{}{:.1f} {:.1f}", on ? "L" : "M", x_.pixel(point.x),
                     y_.pixel(point.y));
      on = true;
    }
    if (path.empty()) return;
    add("<g class=\"{}\">\n<path class=\"curve\" style=\"stroke-width:{:.1f}\" d=\"{}\"/>\n",
        style_class(series.style), width, path);
    if (series.markers)
      for (const PlotPoint& point : series.points) {
        if (!x_.shows(point.x) || !y_.shows(point.y)) continue;
        const double x = x_.pixel(point.x), y = y_.pixel(point.y);
        if (point.ring) add("<circle class=\"ring\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"9\"/>\n", x, y);
        marker(series.style, x, y, point.hollow, point.tip);
      }
    text_ += "</g>\n";
  }

  static std::string style_class(int style) {
    return fmt::format("c{}{}", style % kPlotColours, style >= kPlotColours ? " dash" : "");
  }

  /// Draws a circle, square, diamond or triangle; the shape changes faster than the colour.
  void marker(int style, double x, double y, bool hollow, const std::string& tip) {
    const char* kind = hollow ? "hollow" : "full";
    const std::string inside =
        tip.empty() ? "/>\n" : "><title>" + html_text(tip) + "</title></path>\n";
    constexpr double r = 4.0;
    switch (style % 4) {
      case 0:
        add("<path class=\"{}\" d=\"M{:.1f} {:.1f}a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0 -{d} 0Z\"{}",
            kind, x - r, y, inside, fmt::arg("r", r), fmt::arg("d", 2.0 * r));
        break;
      case 1:
        add("<path class=\"{}\" d=\"M{:.1f} {:.1f}h7v7h-7Z\"{}", kind, x - 3.5, y - 3.5, inside);
        break;
      case 2:
        add("<path class=\"{}\" d=\"M{:.1f} {:.1f}l5 5l-5 5l-5 -5Z\"{}", kind, x, y - 5.0, inside);
        break;
      default:
        add("<path class=\"{}\" d=\"M{:.1f} {:.1f}l4.5 8h-9Z\"{}", kind, x, y - 5.0, inside);
    }
  }

  void legend() {
    double y = kTop + 10.0;
    const double apart =
        std::min(23.0, (kHeight - 2.0 * kTop) /
                           std::max<double>(1.0, static_cast<double>(plot_.series.size())));
    for (const PlotSeries& series : plot_.series) {
      add("<g class=\"{}\"><path class=\"curve\" d=\"M{:g} {:.1f}h26\"/>",
          style_class(series.style), kLegend, y);
      if (series.markers) marker(series.style, kLegend + 13.0, y, false, "");
      add("<text class=\"key\" x=\"{:g}\" y=\"{:.1f}\">{}</text></g>\n", kLegend + 33.0, y + 4.0,
          html_text(shortened(series.label)));
      y += apart;
    }
  }

  const Plot& plot_;
  Scale x_, y_;
  std::string text_;
  double slope_at_ = kLeft + 14.0;
  bool empty_ = false;
};

}  // namespace

std::string plot_svg(const Plot& plot) { return Drawing(plot)(); }

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  return out;
}

std::string power_of_ten(int exponent) {
  static constexpr const char* kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  if (exponent == 0) return "1";
  if (exponent == 1) return "10";
  std::string text = exponent < 0 ? "10⁻" : "10";
  for (const char c : std::to_string(std::abs(exponent)))
    text += kDigits[static_cast<std::size_t>(c - '0')];
  return text;
}

}  // namespace saltus
