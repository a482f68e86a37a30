#include "saltus/study/study_error.h"

#include <algorithm>
#include <cmath>

namespace saltus {
namespace {

constexpr std::size_t kLeast = 3;  ///< smallest number of runs for an order

}  // namespace

std::vector<double> motion_scales(const Motion& r, const Motion& start,
                                  std::span<const std::size_t> rows,
                                  std::span<const Observable> observables) {
  std::vector<double> scales;
  std::size_t column = 0;
  for (const Observable& observable : observables) {
    double sum = 0.0;
    for (const std::size_t k : rows)
      for (std::size_t i = 0; i < static_cast<std::size_t>(observable.width); ++i)
        sum += std::abs(r.row(k)[column + i] - start.row(0)[column + i]);
    scales.push_back(rows.empty() ? 0.0 : sum / static_cast<double>(rows.size()));
    column += static_cast<std::size_t>(observable.width);
  }
  return scales;
}

double motion_error(const Motion& x, const Motion& r, std::span<const std::size_t> rows,
                    std::span<const double> scales, std::span<const Observable> observables) {
  double worst = 0.0;
  std::size_t column = 0;
  if (rows.empty() || rows.back() >= x.rows() || rows.back() >= r.rows()) return kNotMeasured;
  for (std::size_t o = 0; o < observables.size(); ++o) {
    const auto width = static_cast<std::size_t>(observables[o].width);
    double sum = 0.0;
    for (const std::size_t k : rows)
      for (std::size_t i = 0; i < width; ++i)
        sum += std::abs(x.row(k)[column + i] - r.row(k)[column + i]);
    column += width;
    if (!std::isfinite(sum)) return kNotMeasured;
    if (scales[o] > 0.0)
      worst = std::max(worst, sum / static_cast<double>(rows.size()) / scales[o]);
  }
  return worst;
}

OrderFit fit_order(std::span<const double> h, std::span<const double> error) {
  OrderFit fit;
  fit.runs = static_cast<int>(h.size());
  if (h.size() < kLeast) return fit;
  const auto n = static_cast<double>(h.size());
  double mx = 0.0, my = 0.0, sxx = 0.0, sxy = 0.0;
  for (std::size_t i = 0; i < h.size(); ++i) {
    mx += std::log(h[i]) / n;
    my += std::log(error[i]) / n;
  }
  for (std::size_t i = 0; i < h.size(); ++i) {
    const double x = std::log(h[i]) - mx;
    sxx += x * x;
    sxy += x * (std::log(error[i]) - my);
  }
  fit.order = sxy / sxx;
  fit.constant = std::exp(my - fit.order * mx);
  return fit;
}

OrderFit scheme_order(const StudyScheme& scheme, bool smooth) {
  std::vector<double> h, error;
  std::size_t good = 0, near = 0;
  for (const StudyRun& run : scheme.runs) {
    const double e = smooth ? run.smooth_error : run.error;
    if (run.status != StudyStatus::ok || !std::isfinite(e)) continue;
    ++good;
    if (!(smooth ? run.smooth_measurable : run.measurable)) {
      ++near;
      continue;
    }
    if (e >= 1.0) continue;  // as large as the motion: not yet in the asymptotic range
    h.push_back(run.h);
    error.push_back(e);
  }
  OrderFit fit = fit_order(h, error);
  if (h.size() >= kLeast) return fit;
  if (!scheme.refused.empty())
    fit.why = "refused";
  else if (smooth && near == good && good > 0)
    fit.why = "exact within the measurable accuracy";
  else if (near > 0)
    fit.why = "errors too close to that of the reference";
  else if (scheme.runs.size() < kLeast)
    fit.why = "needs three steps";
  else
    fit.why = "fewer than three runs can be measured";
  return fit;
}

}  // namespace saltus
