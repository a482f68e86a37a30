#include "saltus/math/cyclic_convolution.h"

#include <cmath>
#include <cstddef>

#include "saltus/base/error.h"
#include "saltus/math/pack.h"

namespace saltus {

using simd::at;
using simd::Slot;
using simd::V;

namespace {

/// X_k = sum_l x_l exp(-2 pi i l k/p) for p = 2, 3, 4, 8 in registers.
template <int p, int W>
SALTUS_INLINE void butterfly(V<W>* re, V<W>* im) {
  if constexpr (p == 2) {
    const V<W> a = re[0], b = im[0];
    re[0] = a + re[1], im[0] = b + im[1];
    re[1] = a - re[1], im[1] = b - im[1];
  } else if constexpr (p == 3) {
    constexpr double c = 0.5, s = 0.86602540378443864676;  // -cos, sin of 2 pi/3
    const V<W> sum_re = re[1] + re[2], sum_im = im[1] + im[2];
    const V<W> dif_re = s * (re[1] - re[2]), dif_im = s * (im[1] - im[2]);
    const V<W> mid_re = re[0] - c * sum_re, mid_im = im[0] - c * sum_im;
    re[0] = re[0] + sum_re, im[0] = im[0] + sum_im;
    re[1] = mid_re + dif_im, im[1] = mid_im - dif_re;
    re[2] = mid_re - dif_im, im[2] = mid_im + dif_re;
  } else if constexpr (p == 4) {
    const V<W> a_re = re[0] + re[2], a_im = im[0] + im[2];
    const V<W> b_re = re[0] - re[2], b_im = im[0] - im[2];
    const V<W> c_re = re[1] + re[3], c_im = im[1] + im[3];
    const V<W> d_re = re[1] - re[3], d_im = im[1] - im[3];
    re[0] = a_re + c_re, im[0] = a_im + c_im;
    re[1] = b_re + d_im, im[1] = b_im - d_re;
    re[2] = a_re - c_re, im[2] = a_im - c_im;
    re[3] = b_re - d_im, im[3] = b_im + d_re;
  } else {
    // X_k = E_k + w^k O_k, X_{k+4} = E_k - w^k O_k, w = exp(-i pi/4) = (1 - i) sqrt(1/2)
    constexpr double s = 0.70710678118654752440;
    V<W> e_re[4], e_im[4], o_re[4], o_im[4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) {
      e_re[k] = re[2 * k], e_im[k] = im[2 * k];
      o_re[k] = re[2 * k + 1], o_im[k] = im[2 * k + 1];
    }
    butterfly<4, W>(e_re, e_im);
    butterfly<4, W>(o_re, o_im);
    const V<W> t1 = s * (o_re[1] + o_im[1]), t2 = o_re[2], t3 = s * (o_im[3] - o_re[3]);
    o_im[1] = s * (o_im[1] - o_re[1]), o_re[1] = t1;
    o_re[2] = o_im[2], o_im[2] = -t2;
    o_im[3] = -s * (o_re[3] + o_im[3]), o_re[3] = t3;
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) {
      re[k] = e_re[k] + o_re[k], im[k] = e_im[k] + o_im[k];
      re[k + 4] = e_re[k] - o_re[k], im[k + 4] = e_im[k] - o_im[k];
    }
  }
}

/// (re + i im) <- (re + i im)(c + i s), with one factor per element or one for all.
template <int W>
SALTUS_INLINE void turn(V<W>& re, V<W>& im, const Slot<W>& c, const Slot<W>& s) {
  const V<W> old = re;
  re = old * c.v - im * s.v;
  im = old * s.v + im * c.v;
}
template <int W>
SALTUS_INLINE void turn_all(V<W>& re, V<W>& im, double c, double s) {
  const V<W> old = re;
  re = old * c - im * s;
  im = old * s + im * c;
}

}  // namespace

/// The passes for registers of W doubles. The scratch array holds element j of subsequence r at
/// [j][r].
template <int W>
struct ConvolutionKernels {
  using Stage = CyclicConvolution::Stage;

  /// All butterflies of one stage; twiddle factors after them (frequency) or before them (time).
  template <int p, bool time>
  static SALTUS_INLINE void pass(const Stage& stage, int m, double* re, double* im) {
    const int sub = stage.sub;
    const double* w = stage.twiddle.data();
    for (int j = 0; j < sub; ++j, w += 2 * (p - 1))
      for (int b = j; b < m; b += p * sub)
        for (int slot = 0; slot < 8; slot += W) {
          V<W> x[p], y[p];
#pragma GCC unroll 4
          for (int k = 0; k < p; ++k) {
            x[k] = at<W>(re + 8 * (b + k * sub) + slot).v;
            y[k] = at<W>(im + 8 * (b + k * sub) + slot).v;
            if (time && k > 0) turn_all<W>(x[k], y[k], w[2 * k - 2], w[2 * k - 1]);
          }
          butterfly<p, W>(x, y);
#pragma GCC unroll 4
          for (int k = 0; k < p; ++k) {
            if (!time && k > 0) turn_all<W>(x[k], y[k], w[2 * k - 2], w[2 * k - 1]);
            at<W>(re + 8 * (b + k * sub) + slot).v = x[k];
            at<W>(im + 8 * (b + k * sub) + slot).v = y[k];
          }
        }
  }

  template <bool time>
  static SALTUS_INLINE void any_pass(const Stage& stage, int m, double* re, double* im) {
    if (stage.radix == 4)
      pass<4, time>(stage, m, re, im);
    else if (stage.radix == 3)
      pass<3, time>(stage, m, re, im);
    else
      pass<2, time>(stage, m, re, im);
  }

  /// U subsequence elements j..j+U-1, moved between the sequence (natural order) and the scratch
  /// array.
  template <int U, bool time>
  static SALTUS_INLINE void split_block(const CyclicConvolution& c, int j, double* re, double* im,
                                        double* sub_re, double* sub_im) {
    const int m = c.m_;
    V<U> x[8], y[8];
    double block_re[8][U], block_im[8][U];
    if constexpr (time) {
      for (int r = 0; r < 8; ++r)
        for (int i = 0; i < U; ++i) {
          block_re[r][i] = sub_re[8 * (j + i) + r];
          block_im[r][i] = sub_im[8 * (j + i) + r];
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < 8; ++r) {
      x[r] = time ? at<U>(block_re[r]).v : at<U>(re + r * m + j).v;
      y[r] = time ? at<U>(block_im[r]).v : at<U>(im + r * m + j).v;
      if (time && r > 0)
        turn<U>(x[r], y[r], at<U>(c.split_re_.data() + r * m + j),
                at<U>(c.split_im_.data() + r * m + j));
    }
    butterfly<8, U>(x, y);
#pragma GCC unroll 8
    for (int r = 0; r < 8; ++r) {
      if (!time && r > 0)
        turn<U>(x[r], y[r], at<U>(c.split_re_.data() + r * m + j),
                at<U>(c.split_im_.data() + r * m + j));
      at<U>(time ? re + r * m + j : block_re[r]).v = x[r];
      at<U>(time ? im + r * m + j : block_im[r]).v = y[r];
    }
    if constexpr (!time) {
      for (int i = 0; i < U; ++i)
        for (int r = 0; r < 8; ++r) {
          sub_re[8 * (j + i) + r] = block_re[r][i];
          sub_im[8 * (j + i) + r] = block_im[r][i];
        }
    }
  }

  template <bool time>
  static SALTUS_INLINE void split(const CyclicConvolution& c, double* re, double* im,
                                  double* sub_re, double* sub_im) {
    int j = 0;
    for (; j + W <= c.m_; j += W) split_block<W, time>(c, j, re, im, sub_re, sub_im);
    for (; j < c.m_; ++j) split_block<1, time>(c, j, re, im, sub_re, sub_im);
  }

  /// Sequence -> transform in scrambled order, in the scratch array.
  static SALTUS_INLINE void forward(const CyclicConvolution& c, double* re, double* im,
                                    double* sub_re, double* sub_im) {
    split<false>(c, re, im, sub_re, sub_im);
    for (const Stage& stage : c.stages_) any_pass<false>(stage, c.m_, sub_re, sub_im);
  }

  /// The transform with exp(+i) is the one with exp(-i) with real and imaginary parts exchanged.
  static SALTUS_INLINE void apply(const CyclicConvolution& c, double* re, double* im,
                                  double* sub_re, double* sub_im) {
    forward(c, re, im, sub_re, sub_im);
    const double *g_re = c.kernel_re_.data(), *g_im = c.kernel_im_.data();
    for (int t = 0; t < c.P_; t += W) {
      V<W> a = at<W>(sub_re + t).v, b = at<W>(sub_im + t).v;
      turn<W>(a, b, at<W>(g_re + t), at<W>(g_im + t));
      at<W>(sub_re + t).v = a, at<W>(sub_im + t).v = b;
    }
    for (std::size_t k = c.stages_.size(); k-- > 0;)
      any_pass<true>(c.stages_[k], c.m_, sub_im, sub_re);
    split<true>(c, im, re, sub_im, sub_re);
  }
};

namespace {

using Apply = void(const CyclicConvolution&, double*, double*, double*, double*);

#define SALTUS_CONVOLUTION(set, W)                                                         \
  SALTUS_TARGET_##set void apply_##set(const CyclicConvolution& c, double* re, double* im, \
                                       double* sub_re, double* sub_im) {                   \
    ConvolutionKernels<W>::apply(c, re, im, sub_re, sub_im);                               \
  }
SALTUS_CONVOLUTION(baseline, 2)
#if SALTUS_CLONES
SALTUS_CONVOLUTION(avx2, 4)
SALTUS_CONVOLUTION(avx512f, 8)
#endif

Apply* choose(int register_width) {
#if SALTUS_CLONES
  if (register_width >= 8) return apply_avx512f;
  if (register_width >= 4) return apply_avx2;
#endif
  return register_width >= 2 ? apply_baseline : nullptr;
}

}  // namespace

std::complex<double> CyclicConvolution::root(long long t, long long P) {
  constexpr long double two_pi = 6.283185307179586476925286766559L;
  const long double angle = two_pi * static_cast<long double>(t % P) / static_cast<long double>(P);
  return {static_cast<double>(std::cos(angle)), static_cast<double>(-std::sin(angle))};
}

int CyclicConvolution::size_for(int length) {
  expects(length >= 1 && length <= 1 << 28, "a convolution needs a length of 1 to 2^28");
  for (int m = (length + 7) / 8;; ++m) {
    int rest = m;
    while (rest % 2 == 0) rest /= 2;
    while (rest % 3 == 0) rest /= 3;
    if (rest == 1) return 8 * m;
  }
}

CyclicConvolution::CyclicConvolution(const std::vector<std::complex<double>>& kernel)
    : P_(static_cast<int>(kernel.size())), m_(P_ / 8) {
  expects(P_ > 0 && P_ == size_for(P_), "the kernel must have 8 2^a 3^b values");
  for (int length = m_; length > 1;) {
    const int radix = length % 4 == 0 ? 4 : length % 3 == 0 ? 3 : 2;
    Stage stage{radix, length / radix, {}};
    for (int j = 0; j < stage.sub; ++j)
      for (int k = 1; k < radix; ++k) {
        const auto w = root(static_cast<long long>(j) * k, length);
        stage.twiddle.insert(stage.twiddle.end(), {w.real(), w.imag()});
      }
    length = stage.sub;
    stages_.push_back(std::move(stage));
  }
  for (int r = 0; r < 8; ++r)
    for (int j = 0; j < m_; ++j) {
      const auto w = root(static_cast<long long>(j) * r, P_);
      split_re_.push_back(w.real());
      split_im_.push_back(w.imag());
    }
  AlignedArray re, im;
  for (const auto& g : kernel) {
    re.push_back(g.real() / P_);
    im.push_back(g.imag() / P_);
  }
  kernel_re_.resize(kernel.size());
  kernel_im_.resize(kernel.size());
  ConvolutionKernels<2>::forward(*this, re.data(), im.data(), kernel_re_.data(), kernel_im_.data());
}

void CyclicConvolution::apply(double* re, double* im, double* scratch) const {
  static Apply* const best = choose(simd::register_width());
  best(*this, re, im, scratch, scratch + P_);
}

void CyclicConvolution::apply(double* re, double* im, double* scratch, int register_width) const {
  expects(register_width >= 2 && register_width <= simd::register_width(),
          "registers of this width are not available");
  choose(register_width)(*this, re, im, scratch, scratch + P_);
}

}  // namespace saltus
