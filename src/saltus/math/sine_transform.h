// The discrete sine transform of a string: modal amplitudes <-> displacements at the points.
#pragma once
#include <memory>

#include "saltus/math/aligned_array.h"

namespace saltus {

/// y_i = sum_{j=1..N} x_j sin(pi i j/(N+1)) ,  i = 1..N  (arrays hold element 1 first).
/// The transform is symmetric and its own inverse up to the factor 2/(N+1).
/// Immutable after construction; may be shared between threads if each thread uses its own
/// Workspace. Deterministic: the same input gives bit-identical results on any machine.
/// Error <= 1e-13 sum |x_j| for N <= 1e5.
class SineTransform {
 public:
  /// Method of computation; automatic picks the cheapest by operation count.
  enum class Method {
    automatic,
    dense,    ///< the N x N product, halved by the parity of i
    fourier,  ///< one cyclic convolution of length about 1.5 N (N even) or N (N odd)
  };

  /// Scratch memory of one thread; grows on first use and may be used for several transforms.
  class Workspace {
    friend class SineTransform;
    AlignedArray memory_;
  };

  /// N >= 1; throws UsageError otherwise.
  explicit SineTransform(int N, Method method = Method::automatic);
  ~SineTransform();
  SineTransform(SineTransform&&) noexcept;
  SineTransform& operator=(SineTransform&&) noexcept;

  int size() const { return N_; }
  /// The chosen method, never automatic.
  Method method() const;

  /// x and y: N values each, not overlapping. Allocates only if the workspace must grow.
  void apply(const double* x, double* y, Workspace& workspace) const;

  struct Plan;

 private:
  int N_;
  std::unique_ptr<const Plan> plan_;
};

}  // namespace saltus
