#include "saltus/study/study_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/base/csv_read.h"
#include "saltus/base/error.h"
#include "saltus/base/suggest.h"

namespace saltus {
namespace {

constexpr std::size_t kLeastRows = 4;

/// "height [m]" -> "height".
std::string bare_name(const std::string& name) {
  const std::size_t bracket = name.rfind(" [");
  return bracket != std::string::npos && name.ends_with(']') ? name.substr(0, bracket) : name;
}

}  // namespace

ExactReference read_reference(const Scene& scene, const Model& model) {
  const std::string path = "reference.file";
  const CsvTable table = read_csv(scene.resolve(scene.spec.reference->file), path);
  const auto fail = [&](int line, const std::string& message, const std::string& hint) {
    return SceneError("", message, hint).at(table.file, line, 0);
  };
  if (table.names.empty() || bare_name(table.names[0]) != "t")
    throw fail(1, "has no column `t`", "name the columns in the first line: t, then outputs");
  if (table.columns < 2) throw fail(1, "has no column except `t`", "add one for each known output");
  ExactReference exact{table.file, table.column(0), {}, {}};
  for (int row = 1; row < table.rows; ++row)
    if (!(table.at(row, 0) > table.at(row - 1, 0)))
      throw fail(table.lines[static_cast<std::size_t>(row)], "the times do not increase", "");
  std::vector<std::string_view> names;
  for (const Probe& probe : model.probes()) names.emplace_back(probe.name);
  for (int column = 1; column < table.columns; ++column) {
    const std::string name = bare_name(table.names[static_cast<std::size_t>(column)]);
    const auto found = std::ranges::find(names, std::string_view(name));
    if (found == names.end())
      throw fail(1, "there is no output '" + name + "' in the scene", did_you_mean(name, names));
    exact.probes.push_back(static_cast<int>(found - names.begin()));
    exact.columns.push_back(table.column(column));
  }
  return exact;
}

Motion reference_motion(const ExactReference& exact, std::span<const Observable> observables,
                        const SamplePlan& plan, std::vector<std::size_t>& rows) {
  Motion motion;
  motion.width = observables.size();
  motion.values.assign((plan.count + 1) * motion.width, kNotMeasured);
  for (std::size_t i = 0; i < exact.times.size(); ++i) {
    const double k = exact.times[i] / plan.interval();
    const double whole = std::round(k);
    if (std::abs(k - whole) > 1e-6 || whole < 0.0 || whole > static_cast<double>(plan.count))
      continue;
    const auto row = static_cast<std::size_t>(whole);
    for (std::size_t o = 0; o < observables.size(); ++o) {
      const auto column = std::ranges::find(exact.probes, observables[o].probe);
      motion.values[row * motion.width + o] =
          exact.columns[static_cast<std::size_t>(column - exact.probes.begin())][i];
    }
    if (row > 0) rows.push_back(row);
  }
  if (rows.size() < kLeastRows)
    throw SceneError(
        "", fmt::format("only {} of its times coincide with steps of every run", rows.size()),
        fmt::format("use at least {} multiples of {:.9g} s up to {:.9g} s, or other --steps",
                    kLeastRows, plan.h_max, plan.time(plan.count)))
        .at(exact.file, 0, 0);
  return motion;
}

}  // namespace saltus
