#include "saltus/bodies/mode_shapes.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "saltus/base/error.h"

using namespace saltus;

namespace {

struct Family {
  const char* name;
  std::unique_ptr<ModeShapes> shapes;
};

std::vector<Family> families() {
  std::vector<Family> all;
  all.push_back({"sine", sine_shapes(0.7, 12)});
  all.push_back({"quarter sine", quarter_sine_shapes(0.7, 12)});
  all.push_back({"cosine", cosine_shapes(0.7, 12)});
  all.push_back({"clamped-free beam", beam_shapes(BeamEnds::fixed_free, 0.7, 12)});
  all.push_back({"free beam", beam_shapes(BeamEnds::free_free, 0.7, 12)});
  all.push_back({"clamped beam", beam_shapes(BeamEnds::fixed_fixed, 0.7, 12)});
  return all;
}

double at(const ModeShapes& shapes, int j, double x) {
  Vector row(shapes.modes());
  shapes.row(x, row);
  return row[j];
}

}  // namespace

TEST_CASE("mode shapes of strings, bars and beams are orthonormal over the length") {
  for (const Family& family : families()) {
    CAPTURE(family.name);
    const int n = family.shapes->modes(), cells = 4000;
    Matrix G = Matrix::Zero(n, n);
    Vector row(n);
    for (int i = 0; i <= cells; ++i) {  // Simpson
      family.shapes->row(0.7 * i / cells, row);
      const double w = (i == 0 || i == cells ? 1.0 : i % 2 == 1 ? 4.0 : 2.0) * 0.7 / (3.0 * cells);
      G += w * row * row.transpose();
    }
    CHECK((G - Matrix::Identity(n, n)).cwiseAbs().maxCoeff() < 1e-7);
  }
}

TEST_CASE("beam roots are those of the tables") {
  const auto near = [](const std::vector<double>& roots, std::vector<double> known) {
    for (std::size_t j = 0; j < known.size(); ++j)
      CHECK(roots[j] == doctest::Approx(known[j]).epsilon(1e-12));
  };
  near(beam_roots(BeamEnds::fixed_free, 3),
       {1.8751040687119611, 4.6940911329741743, 7.8547574382376126});
  near(beam_roots(BeamEnds::fixed_fixed, 3),
       {4.7300407448627040, 7.8532046240958376, 10.995607838001671});
  near(beam_roots(BeamEnds::free_free, 3), {0.0, 0.0, 4.7300407448627040});
}

TEST_CASE("beams meet their end conditions, high modes too") {
  for (int j : {0, 1, 5, 39}) {
    CAPTURE(j);
    const auto clamped = beam_shapes(BeamEnds::fixed_fixed, 1.0, 40);
    CHECK(std::abs(at(*clamped, j, 0.0)) < 1e-12);
    CHECK(std::abs(at(*clamped, j, 1.0)) < 1e-12);
    const auto cantilever = beam_shapes(BeamEnds::fixed_free, 1.0, 40);
    CHECK(std::abs(at(*cantilever, j, 0.0)) < 1e-12);
    CHECK(at(*cantilever, j, 1.0) == doctest::Approx(j % 2 == 0 ? 2.0 : -2.0).epsilon(1e-9));
  }
}

TEST_CASE("tabulated shapes answer at their points and name the place elsewhere") {
  Matrix shape(2, 3);
  shape << 1, 2, 3, 4, 5, 6;
  const auto table = tabulated_shapes({0.1, 0.3}, shape);
  Vector row(3);
  table->row(0.3, row);
  CHECK(row == Vector(shape.row(1).transpose()));
  CHECK_THROWS_AS(table->row(0.2, row), SceneError);
}
