// Plots of a results file with a limited number of points.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "saltus/results/results_reader.h"

namespace saltus {

struct ViewSeries {
  std::string name, note;    ///< note: shown with the curve, may be empty
  std::vector<double> data;  ///< as many as the plot has times; NaN: no value
};

struct ViewPlot {
  std::string title, unit;
  bool log = false;
  std::vector<double> time;  ///< [s], nondecreasing
  std::vector<ViewSeries> series;
  bool own = false;  ///< an output of the scene
};

inline constexpr std::size_t kViewMoments = 4000;

/// Columns of equal length, thinned to at most `most` times (>= 4). If there are more rows, the
/// first and the last are kept, and the rows between them are divided into equal stretches; of each
/// stretch the smallest and the largest value of each column are kept in their order: at their own
/// times if there is one column, otherwise at the times of the first and the last row of the
/// stretch. Values that are not finite become NaN and are used only if a stretch contains no finite
/// value. read(first, count): rows of the columns, with the time as first column. It is called with
/// increasing rows.
struct ThinnedRows {
  std::vector<double> time;
  std::vector<std::vector<double>> columns;
};
using ReadRows =
    std::function<std::vector<std::vector<double>>(std::size_t first, std::size_t count)>;
ThinnedRows thinned_rows(std::size_t rows, const ReadRows& read, std::size_t most = kViewMoments);

/// The probes, then energy, ledger, unexplained energy, residual, gap, contacts, iterations, cost
/// of the steps, as far as the file contains them.
std::vector<ViewPlot> view_plots(const ResultsReader& results);

}  // namespace saltus
