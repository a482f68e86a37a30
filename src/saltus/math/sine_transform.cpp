#include "saltus/math/sine_transform.h"

#include <cmath>
#include <complex>
#include <vector>

#include "saltus/base/error.h"
#include "saltus/math/cyclic_convolution.h"
#include "saltus/math/kernels.h"

namespace saltus {

/// One method to compute the transform for M = N + 1.
struct SineTransform::Plan {
  explicit Plan(int M_) : M(M_) {}
  virtual ~Plan() = default;
  virtual Method method() const = 0;
  virtual std::size_t workspace() const = 0;  ///< number of doubles needed
  virtual void apply(const double* x, double* y, double* work) const = 0;
  const int M;
};

namespace {

using Complex = std::complex<double>;
using Method = SineTransform::Method;

std::size_t count(int n) { return static_cast<std::size_t>(n); }

/// exp(i pi t^2/m), the square reduced mod 2 m in integers.
Complex chirp(int t, int m) {
  const long long square = static_cast<long long>(t) * t;
  return std::conj(CyclicConvolution::root(square % (2LL * m), 2LL * m));
}

/// The convolution with exp(-i pi t^2/m) for t = first..last; P >= last - first + 1.
CyclicConvolution chirp_convolution(int first, int last, int m) {
  const int P = CyclicConvolution::size_for(last - first + 1);
  std::vector<Complex> kernel(count(P));
  for (int t = first; t <= last; ++t) kernel[count((t + P) % P)] = std::conj(chirp(t, m));
  return CyclicConvolution(kernel);
}

// sin(pi i (M - j)/M) = -(-1)^i sin(pi i j/M), so for j up to the middle
//     i odd : y_i = sum_j (x_j + x_{M-j}) sin(pi i j/M)      (the middle term x_{M/2} once)
//     i even: y_i = sum_j (x_j - x_{M-j}) sin(pi i j/M)
struct Dense final : SineTransform::Plan {
  explicit Dense(int M_) : Plan(M_), odd(M_ / 2), even((M_ - 1) / 2) {
    fill(table_odd, odd, 1);
    fill(table_even, even, 2);
  }
  void fill(AlignedArray& table, int n, int first) {
    table.reserve(count(n) * count(n));
    for (int i = first; i < M; i += 2)
      for (int j = 1; j <= n; ++j)
        table.push_back(-CyclicConvolution::root(static_cast<long long>(i) * j, 2LL * M).imag());
  }
  Method method() const override { return Method::dense; }
  std::size_t workspace() const override { return 4 * count(odd); }
  void apply(const double* x, double* y, double* work) const override {
    double *plus = work, *minus = plus + odd, *y_odd = minus + odd, *y_even = y_odd + odd;
    for (int j = 1; j <= even; ++j) {
      plus[j - 1] = x[j - 1] + x[M - j - 1];
      minus[j - 1] = x[j - 1] - x[M - j - 1];
    }
    if (odd > even) plus[odd - 1] = x[odd - 1];
    multiply_rows(table_odd.data(), odd, odd, odd, plus, y_odd);
    multiply_rows(table_even.data(), even, even, even, minus, y_even);
    for (int k = 0; k < odd; ++k) y[2 * k] = y_odd[k];
    for (int k = 0; k < even; ++k) y[2 * k + 1] = y_even[k];
  }
  const int odd, even;  ///< number of odd and even i in 1..M-1, and of their terms
  AlignedArray table_odd, table_even;
};

// M = 2 m + 1. Since sin(pi (M - 2 l) k/M) = (-1)^{k+1} sin(2 pi l k/M), one complex sum serves
// all x:  z_l = x_{2l} + i x_{M-2l} ,  T_k = sum_{l=1..m} z_l sin(2 pi l k/M) ,  k = 1..m ,
//     y_k = Re T_k + (-1)^{k+1} Im T_k ,   y_{M-k} = -Re T_k + (-1)^{k+1} Im T_k .
// Chirp (Bluestein): l k = (l^2 + k^2 - (k - l)^2)/2 and c_t = exp(i pi t^2/M) give
//     T_k = (c_k/2i)(C_k - C_{-k}) ,   C_k = sum_l (z_l c_l) conj(c_{k-l}) ,  -2m <= k - l < m .
struct OddFourier final : SineTransform::Plan {
  explicit OddFourier(int M_)
      : Plan(M_), m(M_ / 2), convolution(chirp_convolution(-2 * m, m - 1, M_)) {
    for (int k = 1; k <= m; ++k) c.push_back(chirp(k, M));
  }
  Method method() const override { return Method::fourier; }
  std::size_t workspace() const override { return 4 * count(convolution.size()); }
  void apply(const double* x, double* y, double* work) const override {
    const int P = convolution.size();
    double *re = work, *im = re + P;
    for (int l = 1; l <= m; ++l) {
      const double a = x[2 * l - 1], b = x[M - 2 * l - 1];
      const double u = c[count(l - 1)].real(), v = c[count(l - 1)].imag();
      re[l - 1] = a * u - b * v;
      im[l - 1] = a * v + b * u;
    }
    for (int t = m; t < P; ++t) re[t] = im[t] = 0;
    convolution.apply(re, im, im + P);
    for (int k = 1; k <= m; ++k) {  // C_k lies at k - 1 mod P
      const int minus = P - k - 1;
      const double a = 0.5 * (re[k - 1] - re[minus]), b = 0.5 * (im[k - 1] - im[minus]);
      const double u = c[count(k - 1)].real(), v = c[count(k - 1)].imag();
      const double T_re = a * v + b * u, T_im = b * v - a * u;
      const double other = k % 2 == 1 ? T_im : -T_im;
      y[k - 1] = other + T_re;
      y[M - k - 1] = other - T_re;
    }
  }
  const int m;
  CyclicConvolution convolution;
  std::vector<Complex> c;  ///< c_1..c_m
};

// M = 2 m. With s_j = sin(pi j/M)(x_j + x_{M-j}) + (x_j - x_{M-j})/2 , s_0 = 0, and the real
// Fourier sums R_k + i I_k = sum_j s_j exp(+2 pi i j k/M):
//     y_{2k} = I_k ,   y_1 = R_0/2 ,   y_{2k+1} = y_{2k-1} + R_k .
// The real sums follow from one complex transform of m values z_j = s_{2j} + i s_{2j+1},
//     Z_k = sum_j z_j exp(-2 pi i j k/m) ,   w = exp(-2 pi i/M) ,   Z_m = Z_0 ,
//     R_k - i I_k = [ Z_k + conj(Z_{m-k}) - i w^k (Z_k - conj(Z_{m-k})) ]/2 ,
// and Z by the chirp d_t = exp(-i pi t^2/m):  Z_k = d_k sum_j (z_j d_j) conj(d_{k-j}).
struct EvenFourier final : SineTransform::Plan {
  explicit EvenFourier(int M_) : Plan(M_), m(M_ / 2), convolution(make(m)) {
    for (int k = 0; k < m; ++k) {
      d.push_back(std::conj(chirp(k, m)));
      w.push_back(CyclicConvolution::root(k, M));
    }
    for (int j = 0; j < M; ++j) sine.push_back(-CyclicConvolution::root(j, 2LL * M).imag());
  }
  static CyclicConvolution make(int m) {
    const int P = CyclicConvolution::size_for(2 * m - 1);
    std::vector<Complex> kernel(count(P));
    for (int t = 1 - m; t < m; ++t) kernel[count((t + P) % P)] = chirp(t, m);
    return CyclicConvolution(kernel);
  }
  Method method() const override { return Method::fourier; }
  std::size_t workspace() const override { return 4 * count(convolution.size()); }
  double s(const double* x, int j) const {
    if (j == 0) return 0;
    const double a = x[j - 1], b = x[M - j - 1];
    return sine[count(j)] * (a + b) + 0.5 * (a - b);
  }
  void apply(const double* x, double* y, double* work) const override {
    const int P = convolution.size();
    double *re = work, *im = re + P;
    for (int j = 0; j < m; ++j) {
      const double a = s(x, 2 * j), b = s(x, 2 * j + 1);
      const double u = d[count(j)].real(), v = d[count(j)].imag();
      re[j] = a * u - b * v;
      im[j] = a * v + b * u;
    }
    for (int t = m; t < P; ++t) re[t] = im[t] = 0;
    convolution.apply(re, im, im + P);
    for (int k = 0; k < m; ++k) {
      const double a = re[k], u = d[count(k)].real(), v = d[count(k)].imag();
      re[k] = a * u - im[k] * v;
      im[k] = a * v + im[k] * u;
    }
    double odd = 0.5 * (re[0] + im[0]);  // R_0/2, R_0 = Re Z_0 + Im Z_0
    y[0] = odd;
    for (int k = 1; k < m; ++k) {
      const double p_re = re[k] + re[m - k], p_im = im[k] - im[m - k];  // Z_k + conj(Z_{m-k})
      const double n_re = re[k] - re[m - k], n_im = im[k] + im[m - k];  // Z_k - conj(Z_{m-k})
      const double u = w[count(k)].real(), v = w[count(k)].imag();
      y[2 * k - 1] = -0.5 * (p_im - (n_re * u - n_im * v));
      odd += 0.5 * (p_re + (n_re * v + n_im * u));
      y[2 * k] = odd;
    }
  }
  const int m;
  CyclicConvolution convolution;
  std::vector<Complex> d, w;
  std::vector<double> sine;  ///< sin(pi j/M)
};

/// Time [ns] of the two methods, fitted on one machine; only their ratio matters.
double dense_cost(int N) { return 20 + 0.11 * N * N; }
double fourier_cost(int N) {
  const int P = CyclicConvolution::size_for(N % 2 == 0 ? 3 * (N / 2) : N);
  return 60 + 4.0 * N + 0.55 * P * std::log2(P);
}

}  // namespace

SineTransform::SineTransform(int N, Method method) : N_(N) {
  expects(N >= 1 && N < 1 << 27, "a sine transform needs 1 to 2^27 points");
  const int M = N + 1;
  if (method == Method::automatic)
    method = dense_cost(N) <= fourier_cost(N) ? Method::dense : Method::fourier;
  if (method == Method::dense)
    plan_ = std::make_unique<Dense>(M);
  else if (M % 2 == 1)
    plan_ = std::make_unique<OddFourier>(M);
  else
    plan_ = std::make_unique<EvenFourier>(M);
}

SineTransform::~SineTransform() = default;
SineTransform::SineTransform(SineTransform&&) noexcept = default;
SineTransform& SineTransform::operator=(SineTransform&&) noexcept = default;

SineTransform::Method SineTransform::method() const { return plan_->method(); }

void SineTransform::apply(const double* x, double* y, Workspace& workspace) const {
  if (workspace.memory_.size() < plan_->workspace()) workspace.memory_.resize(plan_->workspace());
  plan_->apply(x, y, workspace.memory_.data());
}

}  // namespace saltus
