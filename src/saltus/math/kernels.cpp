#include "saltus/math/kernels.h"

#include <vector>

#include "saltus/math/kernels_pack.h"

namespace saltus {
namespace {

// One function per kernel and instruction set. A lambda would not inherit the target of its
// enclosing function, so these are plain functions.
#define SALTUS_KERNEL_SET(set, W)                                                                  \
  namespace set {                                                                                  \
  using T = simd::Kernels<W>;                                                                      \
  SALTUS_TARGET_##set void multiply(const double* S, std::ptrdiff_t stride, const int* index,      \
                                    int rows, int cols, const double* x, double* y) {              \
    T::multiply(S, stride, index, rows, cols, x, y);                                               \
  }                                                                                                \
  SALTUS_TARGET_##set void accumulate(const double* S, std::ptrdiff_t stride, const int* index,    \
                                      int rows, int cols, const double* p, double* r) {            \
    T::accumulate(S, stride, index, rows, cols, p, r);                                             \
  }                                                                                                \
  SALTUS_TARGET_##set void step(int n, double h, const double* e, const double* n_over_h,          \
                                const double* q0, const double* v0, double* q1, double* v1,        \
                                bool reverse) {                                                    \
    T::step(n, h, e, n_over_h, q0, v0, q1, v1, reverse);                                           \
  }                                                                                                \
  SALTUS_TARGET_##set void kick(int n, double h, const double* inv_mass_beta, const double* r,     \
                                double* q, double* v) {                                            \
    T::kick(n, h, inv_mass_beta, r, q, v);                                                         \
  }                                                                                                \
  SALTUS_TARGET_##set ModalEnergy energy(int n, const double* e, const double* n_over_h,           \
                                         const double* g, double h, const double* q1,              \
                                         const double* v1) {                                       \
    return T::energy(n, e, n_over_h, g, h, q1, v1);                                                \
  }                                                                                                \
  SALTUS_TARGET_##set ModalBalance balance(int n, const double* e, const double* n_over_h,         \
                                           const double* g, double h, const double* q0,            \
                                           const double* v0, const double* q1, const double* v1) { \
    return T::balance(n, e, n_over_h, g, h, q0, v0, q1, v1);                                       \
  }                                                                                                \
  SALTUS_TARGET_##set ModalBalance step_balance(int n, double h, const double* e,                  \
                                                const double* n_over_h, const double* g,           \
                                                const double* q0, const double* v0, double* q1,    \
                                                double* v1, bool reverse) {                        \
    return T::step_balance(n, h, e, n_over_h, g, q0, v0, q1, v1, reverse);                         \
  }                                                                                                \
  SALTUS_TARGET_##set double dot(int n, const double* x, const double* y) {                        \
    return T::dot(n, x, y);                                                                        \
  }                                                                                                \
  SALTUS_TARGET_##set double dot_sum(int n, const double* r, const double* v0, const double* v1) { \
    return T::dot_sum(n, r, v0, v1);                                                               \
  }                                                                                                \
  constexpr KernelSet functions = {#set,   multiply, accumulate,   step, kick,                     \
                                   energy, balance,  step_balance, dot,  dot_sum};                 \
  }

SALTUS_KERNEL_SET(baseline, 2)
#if SALTUS_CLONES
SALTUS_KERNEL_SET(avx2, 4)
SALTUS_KERNEL_SET(avx512f, 8)
#endif

std::vector<KernelSet> available() {
  std::vector<KernelSet> sets = {baseline::functions};
#if SALTUS_CLONES
  if (simd::register_width() >= 4) sets.push_back(avx2::functions);
  if (simd::register_width() >= 8) sets.push_back(avx512f::functions);
#endif
  return sets;
}

const KernelSet& best() {
  static const KernelSet set = kernel_sets().back();
  return set;
}

}  // namespace

std::span<const KernelSet> kernel_sets() {
  static const std::vector<KernelSet> sets = available();
  return sets;
}

void multiply_rows(const double* S, std::ptrdiff_t stride, int rows, int cols, const double* x,
                   double* y) {
  best().multiply(S, stride, nullptr, rows, cols, x, y);
}

void multiply_rows(const double* S, std::ptrdiff_t stride, std::span<const int> rows, int cols,
                   const double* x, double* y) {
  if (rows.empty()) return;
  best().multiply(S, stride, rows.data(), static_cast<int>(rows.size()), cols, x, y);
}

void accumulate_rows(const double* S, std::ptrdiff_t stride, std::span<const int> rows, int cols,
                     const double* p, double* r) {
  best().accumulate(S, stride, rows.data(), static_cast<int>(rows.size()), cols, p, r);
}

void modal_step(int n, double h, const double* e, const double* n_over_h, const double* q0,
                const double* v0, double* q1, double* v1, bool reverse) {
  best().step(n, h, e, n_over_h, q0, v0, q1, v1, reverse);
}

void modal_kick(int n, double h, const double* inv_mass_beta, const double* r, double* q,
                double* v) {
  best().kick(n, h, inv_mass_beta, r, q, v);
}

ModalEnergy modal_energy(int n, const double* e, const double* n_over_h, const double* g, double h,
                         const double* q1, const double* v1) {
  return best().energy(n, e, n_over_h, g, h, q1, v1);
}

ModalBalance modal_balance(int n, const double* e, const double* n_over_h, const double* g,
                           double h, const double* q0, const double* v0, const double* q1,
                           const double* v1) {
  return best().balance(n, e, n_over_h, g, h, q0, v0, q1, v1);
}

ModalBalance modal_step_balance(int n, double h, const double* e, const double* n_over_h,
                                const double* g, const double* q0, const double* v0, double* q1,
                                double* v1, bool reverse) {
  return best().step_balance(n, h, e, n_over_h, g, q0, v0, q1, v1, reverse);
}

double dot(int n, const double* x, const double* y) { return best().dot(n, x, y); }

double dot_sum(int n, const double* r, const double* v0, const double* v1) {
  return best().dot_sum(n, r, v0, v1);
}

}  // namespace saltus
