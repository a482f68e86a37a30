#include "saltus/view/view_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace saltus {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kBlockRows = 1 << 16;  ///< rows read at once

/// Smallest and largest value of a stretch, and their rows.
struct Extremes {
  double lo = kNoNumber, hi = kNoNumber, lo_time = 0.0, hi_time = 0.0;
  void add(double time, double value) {
    if (!std::isfinite(value)) return;
    if (!(value >= lo)) lo = value, lo_time = time;
    if (!(value <= hi)) hi = value, hi_time = time;
  }
};

struct PlotColumn {
  std::string table, name, note;
  bool magnitude = false;
  PlotColumn(std::string table_, std::string name_, std::string note_ = "", bool magnitude_ = false)
      : table(std::move(table_)),
        name(std::move(name_)),
        note(std::move(note_)),
        magnitude(magnitude_) {}
};

class PlotMaker {
 public:
  explicit PlotMaker(const ResultsReader& results) : results_(results) {}

  void plot(const std::string& title, const std::string& unit, bool log,
            const std::vector<PlotColumn>& columns) {
    std::vector<h5::Dataset> data;
    for (const PlotColumn& column : columns)
      data.emplace_back(results_.hdf5().dataset(column.table)).expect_columns(1);
    const h5::Dataset time = results_.hdf5().dataset("step/time");
    ThinnedRows rows = thinned_rows(results_.rows(), [&](std::size_t first, std::size_t count) {
      std::vector<std::vector<double>> block{time.reals(first, count)};
      for (std::size_t c = 0; c < columns.size(); ++c) {
        block.push_back(data[c].reals(first, count));
        if (columns[c].magnitude)
          for (double& value : block.back()) value = std::abs(value);
      }
      return block;
    });
    ViewPlot& made = plots.emplace_back();
    made.title = title;
    made.unit = unit;
    made.log = log;
    made.time = std::move(rows.time);
    for (std::size_t c = 0; c < columns.size(); ++c)
      made.series.push_back({columns[c].name, columns[c].note, std::move(rows.columns[c])});
  }
  std::vector<ViewPlot> plots;

 private:
  const ResultsReader& results_;
};

void energy_plot(const ResultsReader& results, PlotMaker& out) {
  bool exact = false;
  for (const BodyColumn& body : results.bodies()) exact = exact || body.scheme == "modal-exact";
  // the sum needs both columns of a row: extremes of a sum are not sums of extremes
  const h5::Dataset time = results.hdf5().dataset("step/time"),
                    kinetic = results.hdf5().dataset("step/kinetic"),
                    potential = results.hdf5().dataset("step/potential");
  ThinnedRows rows = thinned_rows(results.rows(), [&](std::size_t first, std::size_t count) {
    std::vector<std::vector<double>> block{time.reals(first, count), kinetic.reals(first, count),
                                           potential.reals(first, count),
                                           std::vector<double>(count)};
    for (std::size_t k = 0; k < count; ++k) block[3][k] = block[1][k] + block[2][k];
    return block;
  });
  const std::string note =
      exact ? "only the sum with the other part is meaningful for bodies with modal-exact" : "";
  ViewPlot& plot = out.plots.emplace_back();
  plot.title = "energy";
  plot.unit = "J";
  plot.time = std::move(rows.time);
  plot.series = {{"kinetic", note, std::move(rows.columns[0])},
                 {"potential", note, std::move(rows.columns[1])},
                 {"total", "", std::move(rows.columns[2])}};
}

}  // namespace

ThinnedRows thinned_rows(std::size_t rows, const ReadRows& read, std::size_t most) {
  expects(most >= 4, "thinned_rows: at least four times");
  ThinnedRows thin;
  const bool all = rows <= most;
  const std::size_t stretches = (most - 2) / 2, inner = rows < 2 ? 0 : rows - 2;
  std::vector<Extremes> found;
  double first_time = 0.0, before = 0.0;
  std::size_t stretch = 0, end = 0;
  const auto keep = [&](double time, const std::vector<std::vector<double>>& block, std::size_t k) {
    thin.time.push_back(time);
    for (std::size_t c = 0; c + 1 < block.size(); ++c) {
      const double value = block[c + 1][k];
      thin.columns[c].push_back(std::isfinite(value) ? value : kNoNumber);
    }
  };
  const auto close = [&] {
    const bool one = found.size() == 1 && std::isfinite(found[0].lo);
    thin.time.push_back(one ? std::min(found[0].lo_time, found[0].hi_time) : first_time);
    thin.time.push_back(one ? std::max(found[0].lo_time, found[0].hi_time) : before);
    for (std::size_t c = 0; c < found.size(); ++c) {
      const Extremes& e = found[c];
      const bool low_first = e.lo_time <= e.hi_time;
      thin.columns[c].push_back(low_first ? e.lo : e.hi);
      thin.columns[c].push_back(low_first ? e.hi : e.lo);
    }
  };
  for (std::size_t first = 0; first < rows; first += kBlockRows) {
    const std::size_t count = std::min(kBlockRows, rows - first);
    const std::vector<std::vector<double>> block = read(first, count);
    thin.columns.resize(block.size() - 1);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t row = first + k;
      const double time = block[0][k];
      if (all || row == 0) {
        keep(time, block, k);
        continue;
      }
      if (row > end) {  // row 1, or the first row of the next stretch
        if (end > 0) close();
        found.assign(block.size() - 1, {});
        first_time = time;
        end = inner * ++stretch / stretches;
      }
      if (row + 1 == rows) {
        keep(time, block, k);
        continue;
      }
      for (std::size_t c = 0; c < found.size(); ++c) found[c].add(time, block[c + 1][k]);
      before = time;
    }
  }
  return thin;
}

std::vector<ViewPlot> view_plots(const ResultsReader& results) {
  PlotMaker out(results);
  if (results.rows() == 0) return {};
  for (const ProbeColumn& probe : results.probes()) {
    const std::string note =
        probe.delay > 0.0 ? fmt::format("values are delayed by {:g} s", probe.delay) : "";
    out.plot(probe.name, probe.unit, false, {{"probes/" + probe.name, probe.quantity, note}});
    out.plots.back().own = true;
  }
  energy_plot(results, out);
  if (!results.accounts().empty()) {
    std::vector<PlotColumn> accounts;
    const h5::Group ledger = results.hdf5().group("ledger");
    for (const std::string& account : results.accounts())
      accounts.emplace_back("ledger/" + account, ledger.dataset(account).text("name"));
    out.plot("ledger", "J", false, accounts);
  }
  out.plot("unexplained", "J", true, {{"step/unexplained_step", "of the step", "magnitude", true}});
  out.plot("residual", "1", true,
           {{"step/residual", "as solved"}, {"step/residual_after", "after the step"}});
  std::vector<PlotColumn> gaps{{"step/gap", "smallest gap"}};
  if (results.hdf5().has("joints")) gaps.emplace_back("step/joint_gap", "of joints [m, rad]");
  out.plot("gap", "m", false, gaps);
  out.plot("contacts", "1", false, {{"step/contacts", "contacts"}});
  out.plot("iterations", "1", false,
           {{"step/iterations", "iterations"}, {"step/passes", "passes"}});
  const h5::File& file = results.hdf5();
  if (file.has("timing") && file.has("timing/step") &&
      file.dataset("timing/step").rows() >= results.rows())
    out.plot("step cost", "s", true, {{"timing/step", "wall time of the step"}});
  return std::move(out.plots);
}

}  // namespace saltus
