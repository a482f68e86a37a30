// The columns that a live run plots, and their reduction to fewer rows that keep the extremes.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "saltus/model/model.h"

namespace saltus::app {

/// A column plotted by a live run, for example the series "kinetic" of plot "energy".
struct LiveColumn {
  std::string plot, series;
};

/// For every run: energy, ledger, unexplained energy, residual, gap, contacts, iterations, cost;
/// then one column per probe.
std::vector<LiveColumn> live_columns(const Model& model);

/// Reduces rows of `width` numbers, of which the first is the time, to about `most` rows. Each
/// section keeps the smallest and the largest value of every column, at its first and its last
/// time.
std::vector<std::vector<double>> thinned_rows(const std::vector<double>& rows, std::size_t width,
                                              std::size_t most);

}  // namespace saltus::app
