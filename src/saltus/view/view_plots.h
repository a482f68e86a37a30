// Rows of a results file as plots of few moments.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "saltus/results/results_reader.h"

namespace saltus {

struct ViewSeries {
  std::string name, note;    ///< note: what a reader must know, may be empty
  std::vector<double> data;  ///< as many as the plot has moments; NaN: none
};

struct ViewPlot {
  std::string title, unit;
  bool log = false;
  std::vector<double> time;  ///< [s], not decreasing
  std::vector<ViewSeries> series;
};

inline constexpr std::size_t kViewMoments = 4000;

/// Columns of equal length, thinned to at most `most` moments (>= 4). Where there are more rows the
/// first and the last stay, and of each of the equal stretches between them the least and the
/// largest value of each column, in the order in which they came: at their own times where there is
/// one column, else at those of the first and the last row of the stretch. What is not finite
/// becomes NaN and counts only where a stretch holds nothing else.
/// read(first, count): rows of the columns, times in front. It is called for increasing rows.
struct ThinnedRows {
  std::vector<double> time;
  std::vector<std::vector<double>> columns;
};
using ReadRows =
    std::function<std::vector<std::vector<double>>(std::size_t first, std::size_t count)>;
ThinnedRows thinned_rows(std::size_t rows, const ReadRows& read, std::size_t most = kViewMoments);

/// Energy, ledger, unexplained energy, residual, gap, contacts, iterations, cost of the steps,
/// probes: those the file has.
std::vector<ViewPlot> view_plots(const ResultsReader& results);

}  // namespace saltus
