#include "saltus/bodies/string.h"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <numbers>

#include "../../support/skip.h"
#include "saltus/base/csv_read.h"
#include "saltus/bodies/mode_shapes.h"

using namespace saltus;
using std::numbers::pi;

namespace {
const StringData kGuitar{1.002, 180.5, 1.17e-3, 1.78e-5, 1001, false};
const StringLosses kGuitarLosses{0.43e-3, 1.8e-5, 1.2, 4.5e-3, 2.03e-4, false};
}  // namespace

TEST_CASE("the hundredth mode of the guitar string has the worked-out frequency and damping") {
  CHECK(string_frequencies(kGuitar)[99] == doctest::Approx(21272.601292).epsilon(1e-10));
  CHECK(string_damping(kGuitar, kGuitarLosses)[99] == doctest::Approx(78.061183151).epsilon(1e-10));
  // 1/Q = 2.030000e-4 + 2.148067e-5 + 9.435780e-4
  CHECK(string_damping(kGuitar, kGuitarLosses)[99] / (pi * 21272.601292) ==
        doctest::Approx(2.030000e-4 + 2.148067e-5 + 9.435780e-4).epsilon(1e-6));
}

TEST_CASE(
    "the string builder repeats the modes of the measured guitar string where those follow the "
    "formulas") {
  const auto file =
      std::filesystem::path(SALTUS_SHARED) / "golden" / "music" / "one_contact_1001_modes.csv";
  if (!std::filesystem::exists(file)) SALTUS_SKIP("no data of measured strings (golden/music)");
  const CsvTable modes = read_csv(file);
  const Vector nu = string_frequencies(kGuitar), sigma = string_damping(kGuitar, kGuitarLosses);
  double worst_nu = 0.0, worst_sigma = 0.0;
  for (int j = 41; j <= 1000; ++j) {
    worst_nu = std::max(worst_nu, std::abs(nu[j - 1] / modes.at(j - 1, 1) - 1.0));
    worst_sigma = std::max(worst_sigma, std::abs(sigma[j - 1] / modes.at(j - 1, 2) - 1.0));
  }
  CHECK(worst_nu <= 2e-15);
  CHECK(worst_sigma <= 2e-15);
}

TEST_CASE("first-order dispersion is the expansion of the hinged one") {
  StringData soft = kGuitar, first = kGuitar;
  soft.inharmonicity = first.inharmonicity = 1e-9;
  first.first_order = true;
  CHECK((string_frequencies(soft) - string_frequencies(first)).cwiseAbs().maxCoeff() /
            string_frequencies(soft)[1000] <
        1e-6);
  first.inharmonicity = 1.78e-5;
  CHECK(string_frequencies(first)[99] > string_frequencies(kGuitar)[99]);
}

TEST_CASE("a plucked string passes through its triangle at every point") {
  const double L = 0.863, H = 3.6e-3;
  const int N = 50;
  const Vector q = plucked(L, N, 0.6, H);
  const auto shapes = sine_shapes(L, N);
  Vector row(N);
  const int m = static_cast<int>(std::lround(0.6 / L * (N + 1)));
  for (int i = 1; i <= N; ++i) {
    const double x = i * L / (N + 1), x_m = m * L / (N + 1);
    shapes->row(x, row);
    const double u = i <= m ? H * x / x_m : H * (L - x) / (L - x_m);
    CHECK(row.dot(q) == doctest::Approx(u).epsilon(1e-12));
  }
}
