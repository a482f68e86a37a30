// The performance-critical loops over modes and over rows of the shape matrix.
// Every sum has a fixed order. The arrays are divided into at most four parts, whose lengths depend
// only on n. Element j of a part goes to slot j mod 8, and each slot adds in order of increasing j.
// Then the parts are added in their order, and the slots as ((0+4)+(2+6)) + ((1+5)+(3+7)). Products
// with rows and dot() have one part. No product is fused into an addition, so that results are
// bit-identical on every machine and instruction set. The one exception is the energies and their
// balances, which do not feed back into the state: their products are fused into the sums if the
// instruction set supports it, and they differ in the last bits from those of machines without it
// (older than AVX2).
// Arrays need no alignment, but 64 bytes is fastest. Lengths are in elements; n, rows, cols >= 0.
#pragma once
#include <cstddef>
#include <span>

namespace saltus {

/// y_i = sum_j S_ij x_j, i < rows, j < cols; S_ij = S[i stride + j]. y must not overlap S and x.
void multiply_rows(const double* S, std::ptrdiff_t stride, int rows, int cols, const double* x,
                   double* y);
/// y_k = sum_j S_ij x_j, i = rows[k]. The bits of a row do not depend on which other rows are
/// computed.
void multiply_rows(const double* S, std::ptrdiff_t stride, std::span<const int> rows, int cols,
                   const double* x, double* y);
/// r_j += sum_k p_k S_ij, i = rows[k], added in the order of k. r must not overlap S and p.
void accumulate_rows(const double* S, std::ptrdiff_t stride, std::span<const int> rows, int cols,
                     const double* p, double* r);

/// v1 = e v0 - (n/h) q0 , q1 = q0 + h v1 . q1 = q0 and v1 = v0 may be the same arrays.
/// reverse: processes the parts from last to first, with the same bits. Alternating the direction
/// starts each step with the data that the previous one left in the cache, if the arrays together
/// exceed it (1000 modes: 48 to 56 KB).
void modal_step(int n, double h, const double* e, const double* n_over_h, const double* q0,
                const double* v0, double* q1, double* v1, bool reverse = false);
/// v += inv_mass_beta r ,  q += h (inv_mass_beta r) : r [N s], inv_mass_beta = beta/mu [1/kg].
void modal_kick(int n, double h, const double* inv_mass_beta, const double* r, double* q,
                double* v);

/// Discrete energy of the modes, in terms of e, n/h and the single weight g = mu/(2 beta) [kg]:
///     mu a/2 = g (1 + e)/2 ,   mu omega^2/2 = g (n/h)/h ,   mu h sigma*/2 = g (1 - e)/2 ,
/// so that a balance reads only one array more than the step, and its identity holds for the
/// rounded e and n that the step uses. g = 0 excludes a mode.
struct ModalEnergy {
  double kinetic;    ///< sum g (1 + e)/2 v^2 [J]
  double potential;  ///< sum g (n/h)/h q (q - h v) [J]
};
/// For the state q1 [m], v1 [m/s].
ModalEnergy modal_energy(int n, const double* e, const double* n_over_h, const double* g, double h,
                         const double* q1, const double* v1);

struct ModalBalance {
  double kinetic;    ///< as in ModalEnergy, at the end [J]
  double potential;  ///< sum g (n/h)/h q1 q0, that of ModalEnergy at the end [J]
  double damping;    ///< - sum g (1 - e)/2 (v1 + v0)^2 [J], the work of the damping in the step
};
/// Energy at the end of a step and damping work during the step, in one pass.
ModalBalance modal_balance(int n, const double* e, const double* n_over_h, const double* g,
                           double h, const double* q0, const double* v0, const double* q1,
                           const double* v1);

/// modal_step and modal_balance in one pass, for steps without impulse; bit-identical to the two.
ModalBalance modal_step_balance(int n, double h, const double* e, const double* n_over_h,
                                const double* g, const double* q0, const double* v0, double* q1,
                                double* v1, bool reverse = false);

/// sum x_j y_j, with eight slots for each of the blocks 0, 1, 2, 3 mod 4 of eight elements, which
/// are added as (0+2) + (1+3): four additions run in parallel. The bits differ from those of a row
/// of multiply_rows.
double dot(int n, const double* x, const double* y);
/// sum r_j (v0_j + v1_j)/2 : work [J] of the impulse r [N s] in the step from v0 to v1 [m/s].
double dot_sum(int n, const double* r, const double* v0, const double* v1);

/// One implementation of all kernels. Reserved for tests and benchmarks; see kernel_sets().
struct KernelSet {
  const char* name;  ///< "baseline", "avx2", "avx512f"
  void (*multiply)(const double* S, std::ptrdiff_t stride, const int* index, int rows, int cols,
                   const double* x, double* y);  ///< index = nullptr: rows 0, 1, ...
  void (*accumulate)(const double* S, std::ptrdiff_t stride, const int* index, int rows, int cols,
                     const double* p, double* r);
  void (*step)(int n, double h, const double* e, const double* n_over_h, const double* q0,
               const double* v0, double* q1, double* v1, bool reverse);
  void (*kick)(int n, double h, const double* inv_mass_beta, const double* r, double* q, double* v);
  ModalEnergy (*energy)(int n, const double* e, const double* n_over_h, const double* g, double h,
                        const double* q1, const double* v1);
  ModalBalance (*balance)(int n, const double* e, const double* n_over_h, const double* g, double h,
                          const double* q0, const double* v0, const double* q1, const double* v1);
  ModalBalance (*step_balance)(int n, double h, const double* e, const double* n_over_h,
                               const double* g, const double* q0, const double* v0, double* q1,
                               double* v1, bool reverse);
  double (*dot)(int n, const double* x, const double* y);
  double (*dot_sum)(int n, const double* r, const double* v0, const double* v1);
};
/// All sets that this machine supports, slowest first; the functions above use the last one. With
/// -DSALTUS_NO_CLONES only the baseline is built.
std::span<const KernelSet> kernel_sets();

}  // namespace saltus
