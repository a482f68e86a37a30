// Cyclic convolution of complex sequences with a fixed kernel, by a Fourier transform that leaves
// its output in scrambled order.
#pragma once
#include <complex>
#include <vector>

#include "saltus/math/aligned_array.h"

namespace saltus {

/// y_t = sum_s g_{(t - s) mod P} x_s ,  t, s = 0..P-1 , P = 8 m, m = 2^a 3^b.
/// Method: one radix-8 pass splits the sequence into 8 subsequences of length m, one per slot. They
/// are transformed together by decimation in frequency (radices 4, 3, 2), multiplied by the
/// transformed kernel in the resulting scrambled order, and transformed back by decimation in time.
/// Results are bit-identical for all instruction sets. Immutable; may be shared between threads.
class CyclicConvolution {
 public:
  /// The smallest admissible P >= length, length >= 1.
  static int size_for(int length);

  /// The length P of the kernel g must be admissible.
  explicit CyclicConvolution(const std::vector<std::complex<double>>& kernel);

  int size() const { return P_; }
  /// re + i im: x on entry, y on return; P values each. scratch: 2 P doubles.
  void apply(double* re, double* im, double* scratch) const;
  /// As apply(), with registers of 2, 4 or 8 doubles if the machine has them; for tests.
  void apply(double* re, double* im, double* scratch, int register_width) const;

  /// exp(-2 pi i t/P), t >= 0, reduced exactly and rounded from long double.
  static std::complex<double> root(long long t, long long P);

 private:
  template <int W>
  friend struct ConvolutionKernels;
  /// One pass over blocks of length radix * sub; twiddle = exp(-2 pi i j k/(radix sub)) as (re, im)
  /// at [j][k - 1], k = 1..radix-1.
  struct Stage {
    int radix, sub;
    std::vector<double> twiddle;
  };
  int P_, m_;
  std::vector<Stage> stages_;
  AlignedArray split_re_, split_im_;    ///< exp(-2 pi i j r/P) at [r][j], r < 8, j < m
  AlignedArray kernel_re_, kernel_im_;  ///< transform of the kernel / P, scrambled
};

}  // namespace saltus
