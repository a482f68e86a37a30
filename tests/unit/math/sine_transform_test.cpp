#include "saltus/math/sine_transform.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>
#include <vector>

#include "saltus/base/error.h"
#include "saltus/math/cyclic_convolution.h"
#include "saltus/math/pack.h"

using namespace saltus;

namespace {

using Array = std::vector<double>;
using Method = SineTransform::Method;

Array wave(int n, double rate) {
  Array x(static_cast<std::size_t>(n));
  for (std::size_t j = 0; j < x.size(); ++j)
    x[j] = std::sin(rate * static_cast<double>(j * j) + 1) + 0.1;
  return x;
}

double norm1(const Array& x) {
  double sum = 0;
  for (double value : x) sum += std::abs(value);
  return sum;
}

/// The definition, in long double, with the angle reduced exactly.
Array exact(const Array& x) {
  const long long N = static_cast<long long>(x.size()), M = N + 1;
  std::vector<long double> sine(static_cast<std::size_t>(2 * M));
  for (std::size_t t = 0; t < sine.size(); ++t)
    sine[t] =
        std::sin(std::acos(-1.0L) * static_cast<long double>(t) / static_cast<long double>(M));
  Array y;
  for (long long i = 1; i <= N; ++i) {
    long double sum = 0;
    for (long long j = 1; j <= N; ++j)
      sum += x[static_cast<std::size_t>(j - 1)] * sine[static_cast<std::size_t>(i * j % (2 * M))];
    y.push_back(static_cast<double>(sum));
  }
  return y;
}

double largest_difference(const Array& a, const Array& b) {
  double largest = 0;
  for (std::size_t j = 0; j < a.size(); ++j) largest = std::max(largest, std::abs(a[j] - b[j]));
  return largest;
}

}  // namespace

TEST_CASE("the sine transform meets its definition for every small N and for large ones") {
  std::vector<int> sizes;
  for (int N = 1; N <= 70; ++N) sizes.push_back(N);
  for (int N : {100, 101, 255, 256, 499, 728, 862, 999, 1000, 1001, 1023, 2002}) sizes.push_back(N);
  SineTransform::Workspace workspace;  // shared by all: it may be larger than needed
  for (int N : sizes) {
    CAPTURE(N);
    const Array x = wave(N, 0.3), expected = exact(x);
    for (Method method : {Method::dense, Method::fourier, Method::automatic}) {
      const SineTransform transform(N, method);
      CHECK(transform.size() == N);
      if (method != Method::automatic) CHECK(transform.method() == method);
      Array y(x.size(), std::nan(""));
      transform.apply(x.data(), y.data(), workspace);
      CHECK(largest_difference(y, expected) <= 2e-15 * norm1(x));
    }
  }
}

TEST_CASE("each basis vector of the sine transform gives its column") {
  for (int N : {30, 31, 862})
    for (Method method : {Method::dense, Method::fourier}) {
      const SineTransform transform(N, method);
      SineTransform::Workspace workspace;
      for (int j : {1, 2, N / 2, N / 2 + 1, N - 1, N}) {
        Array x(static_cast<std::size_t>(N)), y(x.size());
        x[static_cast<std::size_t>(j - 1)] = 1;
        transform.apply(x.data(), y.data(), workspace);
        CHECK(largest_difference(y, exact(x)) <= 1e-14);
      }
    }
}

TEST_CASE("the sine transform applied twice is (N + 1)/2 times the identity, and repeatable") {
  for (int N : {1, 2, 862, 1001, 30011}) {
    CAPTURE(N);
    const SineTransform transform(N);
    SineTransform::Workspace workspace, other;
    const Array x = wave(N, 0.7);
    Array y(x.size()), z(x.size()), again(x.size());
    transform.apply(x.data(), y.data(), workspace);
    transform.apply(y.data(), z.data(), workspace);
    for (double& value : z) value *= 2.0 / (N + 1);
    CHECK(largest_difference(z, x) <= 1e-13 * std::sqrt(N) * 1.1);
    transform.apply(x.data(), again.data(), other);
    CHECK(again == y);
  }
}

TEST_CASE("a sine transform is dense when small, fast when large, and may be moved") {
  CHECK(SineTransform(1).method() == Method::dense);
  CHECK(SineTransform(20).method() == Method::dense);
  CHECK(SineTransform(862).method() == Method::fourier);
  SineTransform a(5);
  SineTransform b = std::move(a);
  const Array x = wave(5, 0.2);
  Array y(5);
  SineTransform::Workspace workspace;
  b.apply(x.data(), y.data(), workspace);
  CHECK(largest_difference(y, exact(x)) <= 1e-15 * norm1(x));
  CHECK_THROWS_AS(SineTransform(0), UsageError);
  CHECK_THROWS_AS(SineTransform(-3), UsageError);
}

TEST_CASE("the cyclic convolution meets its definition with every register width, same bits") {
  for (int P : {8, 16, 24, 32, 48, 64, 72, 96, 128, 144, 216, 432, 512, 648, 1296}) {
    CAPTURE(P);
    const std::size_t n = static_cast<std::size_t>(P);
    const Array a = wave(P, 0.3), b = wave(P, 0.7), c = wave(P, 1.1), d = wave(P, 1.9);
    std::vector<std::complex<double>> kernel, expected(n);
    for (std::size_t t = 0; t < n; ++t) kernel.emplace_back(a[t], b[t]);
    for (std::size_t t = 0; t < n; ++t)
      for (std::size_t s = 0; s < n; ++s)
        expected[t] += kernel[(t + n - s) % n] * std::complex<double>(c[s], d[s]);
    const CyclicConvolution convolution(kernel);
    REQUIRE(convolution.size() == P);
    Array re = c, im = d, scratch(2 * n);
    convolution.apply(re.data(), im.data(), scratch.data());
    double error = 0;
    for (std::size_t t = 0; t < n; ++t)
      error = std::max(error, std::abs(expected[t] - std::complex<double>(re[t], im[t])));
    CHECK(error <= 2e-15 * P);
    for (int width = 2; width <= simd::register_width(); width *= 2) {
      CAPTURE(width);
      Array re_w = c, im_w = d;
      convolution.apply(re_w.data(), im_w.data(), scratch.data(), width);
      CHECK(re_w == re);
      CHECK(im_w == im);
    }
  }
}

TEST_CASE("a cyclic convolution is given a length of the form 8 2^a 3^b") {
  CHECK(CyclicConvolution::size_for(1) == 8);
  CHECK(CyclicConvolution::size_for(9) == 16);
  CHECK(CyclicConvolution::size_for(33) == 48);
  CHECK(CyclicConvolution::size_for(1293) == 1296);
  CHECK(CyclicConvolution::size_for(1297) == 1536);
  CHECK_THROWS_AS(CyclicConvolution::size_for(0), UsageError);
  CHECK_THROWS_AS(CyclicConvolution(std::vector<std::complex<double>>(40)), UsageError);
  CHECK_THROWS_AS(CyclicConvolution(std::vector<std::complex<double>>()), UsageError);
  Array re(8), im(8), scratch(16);
  const CyclicConvolution smallest(std::vector<std::complex<double>>(8));
  CHECK_THROWS_AS(smallest.apply(re.data(), im.data(), scratch.data(), 16), UsageError);
}
