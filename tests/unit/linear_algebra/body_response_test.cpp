// The response of one body that rows hold, against the same by matrices.
#include "saltus/linear_algebra/body_response.h"

#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "saltus/base/base.h"
#include "support/dense.h"

using namespace saltus;

namespace {
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

RowMatrix sample(int rows, int columns, std::mt19937& random) {
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  RowMatrix X(rows, columns);
  for (double& x : X.reshaped()) x = value(random);
  return X;
}
}  // namespace

TEST_CASE("a body that rows hold answers with A - A G^T Z G A, and nothing along the rows") {
  std::mt19937 random(11);
  for (const int rows : {0, 1, 5, 10, 17}) {
    CAPTURE(rows);
    RowMatrix R = sample(6, 6, random), G = sample(rows, 6, random), Z = sample(rows, rows, random);
    const RowMatrix A = R * R.transpose() + RowMatrix::Identity(6, 6);
    Z = (Z + Z.transpose()).eval();
    const bool held = rows > 0 && rows <= 5;
    if (held) Z = test::inverse_of(G * A * G.transpose());
    std::vector<double> work(held_response_work(rows)), D(6 * kResponseStride, 7.0);
    held_response(rows, G.data(), Z.data(), A.data(), D.data(), work.data());
    const Eigen::Map<RowMatrix> wide(D.data(), 6, kResponseStride);
    const RowMatrix expected = A - A * G.transpose() * Z * G * A;
    const double scale = expected.cwiseAbs().maxCoeff() + A.cwiseAbs().maxCoeff();
    CHECK((wide.leftCols(6) - expected).cwiseAbs().maxCoeff() <= 1e-13 * scale);
    CHECK(wide.rightCols(2).isZero(0.0));

    const RowMatrix H = sample(3, 6, random);
    double out[3] = {1.0, 2.0, 3.0};
    add_row_responses(3, H.data(), D.data(), out);
    for (int i = 0; i < 3; ++i)
      CHECK(std::abs(out[i] - (i + 1) - H.row(i).dot(expected * H.row(i).transpose())) <=
            1e-12 * scale);
    if (!held) continue;
    double along[5] = {};
    add_row_responses(rows, G.data(), D.data(), along);
    for (int i = 0; i < rows; ++i) CHECK(std::abs(along[i]) <= 1e-12 * scale);
  }
}
