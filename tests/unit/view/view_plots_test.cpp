// Rows thinned for plots.
#include "saltus/view/view_plots.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace saltus;

namespace {

/// Columns in memory, with a noise that has no pattern.
struct Noise {
  std::vector<std::vector<double>> columns;

  Noise(std::size_t rows, std::size_t count) : columns(count + 1) {
    std::uint64_t state = 12345;
    for (std::size_t k = 0; k < rows; ++k) {
      columns[0].push_back(1e-3 * static_cast<double>(k));
      for (std::size_t c = 0; c < count; ++c) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        columns[c + 1].push_back(static_cast<double>(state >> 11) * 0x1p-53 - 0.5);
      }
    }
  }
  ReadRows reader() const {
    return [this](std::size_t first, std::size_t count) {
      std::vector<std::vector<double>> block;
      for (const std::vector<double>& column : columns)
        block.emplace_back(column.begin() + static_cast<std::ptrdiff_t>(first),
                           column.begin() + static_cast<std::ptrdiff_t>(first + count));
      return block;
    };
  }
};

}  // namespace

TEST_CASE("rows that fit are all kept, what is not finite as NaN") {
  Noise noise(100, 2);
  noise.columns[1][50] = std::numeric_limits<double>::infinity();
  const ThinnedRows thin = thinned_rows(100, noise.reader(), 100);
  CHECK(thin.time == noise.columns[0]);
  CHECK(thin.columns[1] == noise.columns[2]);
  CHECK(std::isnan(thin.columns[0][50]));
  CHECK(thin.columns[0][51] == noise.columns[1][51]);
}

TEST_CASE("thinned rows keep the least and the largest of each stretch and the ends") {
  for (std::size_t rows : {101u, 1000u, 70'000u, 200'001u})
    for (std::size_t columns : {1u, 3u}) {
      CAPTURE(rows);
      CAPTURE(columns);
      Noise noise(rows, columns);
      noise.columns[columns][rows / 3] = 17.0;   // one sample alone
      noise.columns[columns][rows / 2] = -23.0;  // and another
      const ThinnedRows thin = thinned_rows(rows, noise.reader(), 100);
      CHECK(thin.time.size() <= 100);
      CHECK(thin.time.size() >= 98);
      CHECK(std::is_sorted(thin.time.begin(), thin.time.end()));
      CHECK(thin.time.front() == noise.columns[0].front());
      CHECK(thin.time.back() == noise.columns[0].back());
      for (std::size_t c = 0; c < columns; ++c) {
        const std::vector<double>& kept = thin.columns[c];
        const std::vector<double>& all = noise.columns[c + 1];
        REQUIRE(kept.size() == thin.time.size());
        CHECK(kept.front() == all.front());
        CHECK(kept.back() == all.back());
        CHECK(*std::max_element(kept.begin(), kept.end()) ==
              *std::max_element(all.begin(), all.end()));
        CHECK(*std::min_element(kept.begin(), kept.end()) ==
              *std::min_element(all.begin(), all.end()));
        // every row lies between the two values of its stretch
        std::size_t i = 1, outside = 0;
        const std::size_t stretches = (100 - 2) / 2;
        for (std::size_t k = 1; k + 1 < rows; ++k) {
          while (k > (rows - 2) * ((i + 1) / 2) / stretches) i += 2;
          outside +=
              all[k] < std::min(kept[i], kept[i + 1]) || all[k] > std::max(kept[i], kept[i + 1]);
        }
        CHECK(outside == 0);
      }
    }
}

TEST_CASE("of one column the extremes stay at their times") {
  Noise noise(10'000, 1);
  noise.columns[1][1234] = 5.0;
  const ThinnedRows thin = thinned_rows(10'000, noise.reader(), 50);
  const auto at = std::max_element(thin.columns[0].begin(), thin.columns[0].end());
  CHECK(thin.time[static_cast<std::size_t>(at - thin.columns[0].begin())] ==
        noise.columns[0][1234]);
}

TEST_CASE("a stretch without a finite value is a gap in the plot") {
  Noise noise(10'000, 1);
  std::fill(noise.columns[1].begin() + 2000, noise.columns[1].begin() + 8000,
            std::numeric_limits<double>::infinity());
  const ThinnedRows thin = thinned_rows(10'000, noise.reader(), 100);
  CHECK(std::is_sorted(thin.time.begin(), thin.time.end()));
  CHECK(std::isnan(thin.columns[0][50]));
  CHECK(std::isfinite(thin.columns[0][10]));
  CHECK(std::isfinite(thin.columns[0][90]));
}
