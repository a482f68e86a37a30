// Distances between motions, and their order of convergence.
#pragma once
#include <span>
#include <vector>

#include "saltus/study/study_run.h"

namespace saltus {

/// Mean over the rows of |r(t_k) - r(0)|_1, one per observable; r(0) is row 0 of `start`.
std::vector<double> motion_scales(const Motion& r, const Motion& start,
                                  std::span<const std::size_t> rows,
                                  std::span<const Observable> observables);

/// (1) of study.h over these rows: the largest mean of |x - r|_1 in units of `scales`. Observables
/// with scale 0 are skipped. NaN if a row is missing or not finite.
double motion_error(const Motion& x, const Motion& r, std::span<const std::size_t> rows,
                    std::span<const double> scales, std::span<const Observable> observables);

/// Least squares of log e = log c + p log h over at least three points.
OrderFit fit_order(std::span<const double> h, std::span<const double> error);

/// Fits the measurable runs with status ok (`smooth`: their smooth errors); `why`: no order.
OrderFit scheme_order(const StudyScheme& scheme, bool smooth);

}  // namespace saltus
