#include "saltus/app/live_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace saltus::app {

std::vector<LiveColumn> live_columns(const Model& model) {
  std::vector<LiveColumn> columns{
      {"energy", "kinetic"}, {"energy", "potential"}, {"energy", "total"}};
  for (const std::string& account : model.accounts()) columns.push_back({"ledger", account});
  for (const auto& [plot, series] : {std::pair{"unexplained", "of a step"},
                                     {"residual", "as solved"},
                                     {"residual", "after the step"},
                                     {"gap", "smallest"},
                                     {"contacts", "with impulse"},
                                     {"iterations", "iterations"},
                                     {"iterations", "passes"},
                                     {"step cost", "wall time"}})
    columns.push_back({plot, series});
  const auto taken = [&](const std::string& name) {
    return name == "time" || std::ranges::find(columns, name, &LiveColumn::plot) != columns.end();
  };
  for (const Probe& probe : model.probes()) {
    std::string plot = probe.name;
    for (int k = 2; taken(plot); ++k) plot = fmt::format("{}-{}", probe.name, k);
    columns.push_back({plot, probe.name});
  }
  return columns;
}

std::vector<std::vector<double>> thinned_rows(const std::vector<double>& rows, std::size_t width,
                                              std::size_t most) {
  const std::size_t count = rows.size() / width;
  const auto row = [&](std::size_t k) {
    const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(k * width);
    return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(width));
  };
  std::vector<std::vector<double>> kept;
  const std::size_t stretches = count <= most ? count : most / 2;
  for (std::size_t s = 0; s < stretches; ++s) {
    const std::size_t begin = s * count / stretches, end = (s + 1) * count / stretches;
    std::vector<double> low = row(begin), high = low;
    for (std::size_t k = begin + 1; k < end; ++k)
      for (std::size_t c = 1; c < width; ++c) {
        low[c] = std::fmin(low[c], rows[k * width + c]);
        high[c] = std::fmax(high[c], rows[k * width + c]);
      }
    high[0] = rows[(end - 1) * width];
    kept.push_back(std::move(low));
    if (end > begin + 1) kept.push_back(std::move(high));
  }
  return kept;
}

}  // namespace saltus::app
