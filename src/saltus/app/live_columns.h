// The columns that a live run plots, and fewer rows of them that keep their extremes.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "saltus/model/model.h"

namespace saltus::app {

/// A column of what a live run plots: of plot "energy" the series "kinetic".
struct LiveColumn {
  std::string plot, series;
};

/// Of every run: energy, ledger, unexplained energy, residual, gap, contacts, iterations, cost;
/// then one for each probe.
std::vector<LiveColumn> live_columns(const Model& model);

/// At most about `most` of the rows of `width` numbers, the first one time: of each stretch the
/// least and the largest value of every column are kept, at its first and its last time.
std::vector<std::vector<double>> thinned_rows(const std::vector<double>& rows, std::size_t width,
                                              std::size_t most);

}  // namespace saltus::app
