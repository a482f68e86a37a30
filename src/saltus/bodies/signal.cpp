#include "saltus/bodies/signal.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "saltus/base/error.h"

namespace saltus {
namespace {

// Second derivatives m_i of the natural cubic spline: m_0 = m_n = 0 and inside, with
// h_i = t_{i+1} - t_i and the slopes s_i = (y_{i+1} - y_i)/h_i,
//     h_{i-1} m_{i-1} + 2 (h_{i-1} + h_i) m_i + h_i m_{i+1} = 6 (s_i - s_{i-1}),
// a diagonally dominant tridiagonal system.
std::vector<double> natural_spline(const std::vector<double>& t, const std::vector<double>& y) {
  const std::size_t n = t.size();
  std::vector<double> m(n, 0.0), ratio(n, 0.0);  // m_i = m[i] - ratio[i] m_{i+1} while eliminating
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double before = t[i] - t[i - 1], after = t[i + 1] - t[i];
    const double right = 6.0 * ((y[i + 1] - y[i]) / after - (y[i] - y[i - 1]) / before);
    const double pivot = 2.0 * (before + after) - before * ratio[i - 1];
    ratio[i] = after / pivot;
    m[i] = (right - before * m[i - 1]) / pivot;
  }
  for (std::size_t i = n - 1; i-- > 1;) m[i] -= ratio[i] * m[i + 1];
  return m;
}

}  // namespace

// One piece of a table,  a = (t_{i+1} - t)/h,  b = (t - t_i)/h:
//     y = a y_i + b y_{i+1} + h^2/6 ((a^3 - a) m_i + (b^3 - b) m_{i+1})
struct Signal::Piece {
  double h, a, b, y0, y1, m0, m1;

  /// Index of the piece that contains t; outside, of the first or the last one.
  static std::size_t at(const Table& table, double t) {
    const auto last = static_cast<std::ptrdiff_t>(table.t.size()) - 2;
    return static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(
        std::upper_bound(table.t.begin(), table.t.end(), t) - table.t.begin() - 1, 0, last));
  }
  Piece(const Table& table, double t) : Piece(table, at(table, t), t) {}
  Piece(const Table& table, std::size_t i, double t) {
    h = table.t[i + 1] - table.t[i];
    a = (table.t[i + 1] - t) / h;
    b = (t - table.t[i]) / h;
    y0 = table.value[i];
    y1 = table.value[i + 1];
    m0 = table.second.empty() ? 0.0 : table.second[i];
    m1 = table.second.empty() ? 0.0 : table.second[i + 1];
  }
  double value() const {
    return a * y0 + b * y1 + h * h / 6.0 * ((a * a * a - a) * m0 + (b * b * b - b) * m1);
  }
  double rate() const {
    return (y1 - y0) / h + h / 6.0 * ((1.0 - 3.0 * a * a) * m0 + (3.0 * b * b - 1.0) * m1);
  }
  double second() const { return a * m0 + b * m1; }
};

Signal Signal::constant(double value) {
  expects(std::isfinite(value), "a constant signal must be finite");
  Signal s;
  s.form_ = Line{value, 0.0};
  return s;
}

Signal Signal::line(double value, double rate) {
  expects(std::isfinite(value) && std::isfinite(rate),
          "the value and rate of a signal must be finite");
  Signal s;
  s.form_ = Line{value, rate};
  return s;
}

Signal Signal::harmonic(double amplitude, double omega, double phase, double mean) {
  expects(std::isfinite(amplitude) && std::isfinite(omega) && std::isfinite(phase) &&
              std::isfinite(mean),
          "the numbers of a harmonic signal must be finite");
  Signal s;
  s.form_ = Harmonic{amplitude, omega, phase, mean};
  return s;
}

Signal Signal::table(std::vector<double> t, std::vector<double> value, bool smooth) {
  const auto finite = [](double x) { return std::isfinite(x); };
  expects(t.size() == value.size(), "a signal needs one value for each time");
  expects(t.size() >= 2, "a signal given by points needs at least two of them");
  expects(std::ranges::all_of(t, finite) && std::ranges::all_of(value, finite),
          "the points of a signal must be finite");
  expects(std::ranges::adjacent_find(t, std::greater_equal{}) == t.end(),
          "the times of a signal must increase");
  auto points = std::make_shared<Table>();
  if (smooth && t.size() > 2) points->second = natural_spline(t, value);
  points->t = std::move(t);
  points->value = std::move(value);
  Signal s;
  s.form_ = std::shared_ptr<const Table>(std::move(points));
  return s;
}

double Signal::value(double t) const {
  if (const auto* line = std::get_if<Line>(&form_)) return line->value + line->rate * t;
  if (const auto* w = std::get_if<Harmonic>(&form_))
    return w->mean + w->amplitude * std::cos(w->omega * t + w->phase);
  const Table& table = *std::get<std::shared_ptr<const Table>>(form_);
  if (t <= table.t.front()) return table.value.front();
  if (t >= table.t.back()) return table.value.back();
  return Piece(table, t).value();
}

double Signal::rate(double t) const {
  if (const auto* line = std::get_if<Line>(&form_)) return line->rate;
  if (const auto* w = std::get_if<Harmonic>(&form_))
    return -w->amplitude * w->omega * std::sin(w->omega * t + w->phase);
  const Table& table = *std::get<std::shared_ptr<const Table>>(form_);
  if (t < table.t.front() || t > table.t.back()) return 0.0;
  return Piece(table, t).rate();
}

double Signal::second(double t) const {
  if (std::holds_alternative<Line>(form_)) return 0.0;
  if (const auto* w = std::get_if<Harmonic>(&form_))
    return -w->amplitude * w->omega * w->omega * std::cos(w->omega * t + w->phase);
  const Table& table = *std::get<std::shared_ptr<const Table>>(form_);
  if (table.second.empty() || t < table.t.front() || t > table.t.back()) return 0.0;
  return Piece(table, t).second();
}

double Signal::mean(double from, double to) const {
  if (from == to) return value(from);
  if (std::holds_alternative<Line>(form_)) return value(0.5 * (from + to));
  if (const auto* w = std::get_if<Harmonic>(&form_)) {
    // the mean of cos over a phase range of 2 x about its middle is cos(middle) sin(x)/x
    const double x = 0.5 * w->omega * (to - from);
    const double share = std::abs(x) < 1e-8 ? 1.0 : std::sin(x) / x;
    return w->mean + w->amplitude * share * std::cos(0.5 * w->omega * (from + to) + w->phase);
  }
  const Table& table = *std::get<std::shared_ptr<const Table>>(form_);
  const double first = table.t.front(), last = table.t.back();
  double sum = std::max(std::min(to, first) - from, 0.0) * table.value.front() +
               std::max(to - std::max(from, last), 0.0) * table.value.back();
  for (std::size_t i = Piece::at(table, from); i + 1 < table.t.size() && table.t[i] < to; ++i) {
    const double t0 = std::max(from, table.t[i]), t1 = std::min(to, table.t[i + 1]);
    if (!(t0 < t1)) continue;
    const auto value = [&](double t) { return Piece(table, i, t).value(); };
    sum += (t1 - t0) / 6.0 * (value(t0) + 4.0 * value(0.5 * (t0 + t1)) + value(t1));  // of a cubic
  }
  return sum / (to - from);
}

// The rate of a cubic is largest at an end of the piece or where its second derivative
// a m_i + b m_{i+1} is 0.
double Signal::fastest(double from, double to) const {
  if (const auto* line = std::get_if<Line>(&form_)) return std::abs(line->rate);
  if (const auto* w = std::get_if<Harmonic>(&form_)) {
    const auto half_turns = [&](double t) {
      return std::floor((w->omega * t + w->phase) / std::numbers::pi - 0.5);
    };
    const double most = std::abs(w->amplitude * w->omega);
    return half_turns(from) != half_turns(to)
               ? most
               : std::min(most, std::max(std::abs(rate(from)), std::abs(rate(to))));
  }
  const Table& table = *std::get<std::shared_ptr<const Table>>(form_);
  if (to < table.t.front() || from > table.t.back()) return 0.0;
  double most = 0.0;
  for (std::size_t i = Piece::at(table, from); i <= Piece::at(table, to); ++i) {
    const double t0 = table.t[i], t1 = table.t[i + 1];
    const auto look = [&](double t) {
      most = std::max(most, std::abs(Piece(table, i, std::clamp(t, t0, t1)).rate()));
    };
    look(from);
    look(to);
    if (table.second.empty()) continue;
    const double m0 = table.second[i], m1 = table.second[i + 1];
    if (m0 * m1 < 0.0) look(std::clamp(t0 + (t1 - t0) * m0 / (m0 - m1), from, to));
  }
  return most;
}

bool Signal::is_constant() const {
  if (const auto* line = std::get_if<Line>(&form_)) return line->rate == 0.0;
  if (const auto* w = std::get_if<Harmonic>(&form_)) return w->amplitude == 0.0 || w->omega == 0.0;
  const Table& table = *std::get<std::shared_ptr<const Table>>(form_);
  return std::ranges::all_of(table.value, [&](double y) { return y == table.value.front(); });
}

void Signal::jumps(std::vector<double>& t) const {
  const auto* const points = std::get_if<std::shared_ptr<const Table>>(&form_);
  if (!points) return;
  const Table& table = **points;
  const std::size_t last = table.t.size() - 1;
  for (std::size_t i = 0; i <= last; ++i) {
    if (!table.second.empty() && i != 0 && i != last) continue;
    const double before = i == 0      ? 0.0
                          : i == last ? rate(table.t[i])
                                      : rate(0.5 * (table.t[i - 1] + table.t[i])),
                 after = i == last ? 0.0 : rate(table.t[i]);
    constexpr double kSmooth = 1e-9;
    if (std::abs(after - before) > kSmooth * std::max(std::abs(before), std::abs(after)))
      t.push_back(table.t[i]);
  }
}

void Signal::points(std::vector<double>& t, bool between) const {
  const auto* const points = std::get_if<std::shared_ptr<const Table>>(&form_);
  if (!points) return;
  const Table& table = **points;
  if (!between || table.second.empty()) {
    t.insert(t.end(), table.t.begin(), table.t.end());
    return;
  }
  for (std::size_t i = 1; i < table.t.size(); ++i) t.push_back(0.5 * (table.t[i - 1] + table.t[i]));
}

}  // namespace saltus
