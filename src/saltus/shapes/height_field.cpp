#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <limits>

#include "saltus/base/error.h"
#include "saltus/shapes/geometry.h"

namespace saltus {

std::shared_ptr<const HeightField> height_field(HeightField field) {
  if (field.columns < 2 || field.rows < 2)
    throw UsageError(
        fmt::format("a height field needs at least 2 columns and 2 rows, not {} and {}",
                    field.columns, field.rows));
  const auto columns = static_cast<std::size_t>(field.columns);
  const auto rows = static_cast<std::size_t>(field.rows);
  if (columns * rows > std::numeric_limits<int>::max() / 2)
    throw UsageError("a height field may have at most 1073741823 heights");
  if (field.height.size() != columns * rows)
    throw UsageError(fmt::format("the height field has {} heights instead of {} x {} = {}",
                                 field.height.size(), columns, rows, columns * rows));
  for (double spacing : {field.spacing_x, field.spacing_y})
    if (!(spacing >= kShortestLength && spacing <= kLongestLength))
      throw UsageError(fmt::format(
          "the spacing of a height field must be positive and finite, not {}", spacing));
  if (!is_place({field.origin_x, field.origin_y, 0.0}))
    throw UsageError("the origin of the height field is not finite");
  for (std::size_t k = 0; k < field.height.size(); ++k)
    if (!(std::abs(field.height[k]) <= kLongestLength))
      throw UsageError(fmt::format("height {} (column {}, row {}) is {}, not a finite length", k,
                                   k % columns, k / columns, field.height[k]));
  const auto [lowest, highest] = std::minmax_element(field.height.begin(), field.height.end());
  field.lowest = *lowest;
  field.highest = *highest;
  return std::make_shared<const HeightField>(std::move(field));
}

std::array<Vector3, 3> height_triangle(const HeightField& field, int t) {
  expects(t >= 0 && t < field.triangles(), "the height field has no such triangle");
  const int cell = t / 2, i = cell % (field.columns - 1), j = cell / (field.columns - 1);
  const auto node = [&](int a, int b) {
    return Vector3(
        field.origin_x + a * field.spacing_x, field.origin_y + b * field.spacing_y,
        field.height[static_cast<std::size_t>(a) +
                     static_cast<std::size_t>(field.columns) * static_cast<std::size_t>(b)]);
  };
  if (t % 2 == 0) return {node(i, j), node(i + 1, j), node(i + 1, j + 1)};
  return {node(i, j), node(i + 1, j + 1), node(i, j + 1)};
}

}  // namespace saltus
