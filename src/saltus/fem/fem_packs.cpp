// Loops over batches of eight elements, with one set of functions for each register width.
#include <algorithm>

#include "saltus/base/index_internal.h"

// registers are passed only between functions that are always inlined, never through a call
#pragma GCC diagnostic ignored "-Wpsabi"
#include "saltus/fem/fem_packs_internal.h"

namespace saltus::fem {
namespace {

/// Batches `from` to `to` of a block.
struct PackLoops {
  void (*forces)(const Block& b, int from, int to, double scale, const double* u, const double* v,
                 double* f);
  double (*energies)(const Block& b, int from, int to, const double* u);
  void (*products)(const Block& b, int from, int to, double k, double c, const double* u,
                   const double* x, double* y);
  void (*matrices)(const Block& b, int batch, double k, double c, const double* u, double* K);
};

#define SALTUS_PACK_LOOPS(set, W, name, N)                                                   \
  namespace set##_##name {                                                                   \
    SALTUS_TARGET_##set void forces(const Block& b, int from, int to, double scale,          \
                                    const double* u, const double* v, double* f) {           \
      PackForces<W>::forces<N>(b, from, to, scale, u, v, f);                                 \
    }                                                                                        \
    SALTUS_TARGET_##set double energies(const Block& b, int from, int to, const double* u) { \
      return PackForces<W>::energies<N>(b, from, to, u);                                     \
    }                                                                                        \
    SALTUS_TARGET_##set void products(const Block& b, int from, int to, double k, double c,  \
                                      const double* u, const double* x, double* y) {         \
      PackTangents<W>::products<N>(b, from, to, k, c, u, x, y);                              \
    }                                                                                        \
    SALTUS_TARGET_##set void matrices(const Block& b, int batch, double k, double c,         \
                                      const double* u, double* K) {                          \
      PackTangents<W>::matrices<N>(b, batch, k, c, u, K);                                    \
    }                                                                                        \
    constexpr PackLoops loops{forces, energies, products, matrices};                         \
  }
SALTUS_PACK_LOOPS(baseline, 2, four, 4)
SALTUS_PACK_LOOPS(baseline, 2, any, 0)
#if SALTUS_CLONES
SALTUS_PACK_LOOPS(avx2, 4, four, 4)
SALTUS_PACK_LOOPS(avx2, 4, any, 0)
SALTUS_PACK_LOOPS(avx512f, 8, four, 4)
SALTUS_PACK_LOOPS(avx512f, 8, any, 0)
#endif
#undef SALTUS_PACK_LOOPS

const PackLoops& loops_of(const Block& b) {
  const bool four = b.kind == ElementKind::tet4;
#if SALTUS_CLONES
  static const int widest = simd::register_width();
  const int width = b.width == 0 ? widest : std::min(widest, b.width);
  if (width >= 8) return four ? avx512f_four::loops : avx512f_any::loops;
  if (width >= 4) return four ? avx2_four::loops : avx2_any::loops;
#endif
  return four ? baseline_four::loops : baseline_any::loops;
}

/// Calls use(chunk, from, to) with batches from .. to - 1 of each chunk; chunks of one colour run
/// in parallel.
template <class Use>
void by_colours(const Block& b, ThreadPool& thread_pool, const Use& use) {
  for (std::size_t c = 0; c + 1 < b.colour_begin.size(); ++c) {
    const int first = b.colour_begin[c];
    const auto chunks = index(b.colour_begin[c + 1] - first);
    thread_pool.blocks(chunks * ThreadPool::kBlock, [&](std::size_t k, std::size_t, std::size_t) {
      const int chunk = b.chunk_order[index(first) + k];
      use(chunk, chunk * b.chunk, std::min(b.batches, (chunk + 1) * b.chunk));
    });
  }
}

Matrix3 of_slot(const double (&A)[9][8], int slot) {
  Matrix3 B;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) B(i, j) = A[3 * i + j][slot];
  return B;
}

void to_slot(const Matrix3& B, double (&A)[9][8], int slot) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) A[3 * i + j][slot] = B(i, j);
}

/// The axis at the point of slot l; padding slots use the last element.
const Vector3& axis_of_slot(const Block& b, int batch, int point, int slot) {
  return b.axis_of(std::min(8 * batch + slot, b.elements - 1) * b.points + point);
}

}  // namespace

PackLaw::PackLaw(const Constitution& law)
    : lambda(law.lambda),
      mu(law.mu),
      viscous(law.state != StressState::uniaxial),
      viscosity(law.viscosity),
      viscous_lambda(law.lambda),
      viscous_mu(law.mu),
      warped(law.warped) {
  if (law.state != StressState::solid && law.state != StressState::plane_strain) return;
  switch (law.material.law) {
    case MaterialLaw::linear:
      kind = linear;
      break;
    case MaterialLaw::st_venant_kirchhoff:
      kind = st_venant_kirchhoff;
      break;
    case MaterialLaw::neo_hooke:
      kind = neo_hooke;
      break;
    case MaterialLaw::corotated:
      kind = corotated;
      break;
    case MaterialLaw::mooney_rivlin:
      break;
  }
}

void add_elastic(const Block& b, ThreadPool& thread_pool, double scale, const double* u,
                 double* f) {
  const PackLoops& loops = loops_of(b);
  by_colours(b, thread_pool,
             [&](int, int from, int to) { loops.forces(b, from, to, scale, u, nullptr, f); });
}

void add_viscous(const Block& b, ThreadPool& thread_pool, double scale, const double* u,
                 const double* v, double* f) {
  if (b.law.viscosity == 0.0) return;
  const PackLoops& loops = loops_of(b);
  by_colours(b, thread_pool,
             [&](int, int from, int to) { loops.forces(b, from, to, scale, u, v, f); });
}

double stored_energy(const Block& b, ThreadPool& thread_pool, const double* u,
                     std::vector<double>& chunk_energy) {
  const PackLoops& loops = loops_of(b);
  chunk_energy.resize(b.chunk_order.size());
  by_colours(b, thread_pool, [&](int chunk, int from, int to) {
    chunk_energy[index(chunk)] = loops.energies(b, from, to, u);
  });
  double sum = 0.0;
  for (double part : chunk_energy) sum += part;
  return sum;
}

void add_product(const Block& b, ThreadPool& thread_pool, double k, double c, const double* u,
                 const double* x, double* y) {
  if (b.law.viscosity == 0.0) c = 0.0;
  if (k == 0.0 && c == 0.0) return;
  const PackLoops& loops = loops_of(b);
  by_colours(b, thread_pool,
             [&](int, int from, int to) { loops.products(b, from, to, k, c, u, x, y); });
}

void add_matrices(const Block& b, ThreadPool& thread_pool, double k, double c, const double* u,
                  NodeMatrix& A) {
  if (b.law.viscosity == 0.0) c = 0.0;
  if (k == 0.0 && c == 0.0) return;
  const PackLoops& loops = loops_of(b);
  constexpr int kPairs = kMaxElementNodes * (kMaxElementNodes + 1) / 2;
  by_colours(b, thread_pool, [&](int, int from, int to) {
    const int pairs = b.n * (b.n + 1) / 2, size = 3 * b.n;
    double K[72 * kPairs];
    for (int batch = from; batch < to; ++batch) {
      const int slots = b.pack_size(batch);
      if (b.in_packs(k, c)) {
        loops.matrices(b, batch, k, c, u, K);
      } else {
        double one[9 * kMaxElementNodes * kMaxElementNodes];
        for (int l = 0; l < slots; ++l) {
          element_matrix(b, 8 * batch + l, k, c, u, one);
          for (int at = 0, n1 = 0; n1 < b.n; ++n1)
            for (int n0 = 0; n0 <= n1; ++n0, ++at)
              for (int j = 0; j < 3; ++j)
                for (int i = 0; i < 3; ++i)
                  K[72 * at + 8 * (3 * j + i) + l] = one[(3 * n1 + j) * size + 3 * n0 + i];
        }
      }
      const int* const slot = b.slot.data() + 8 * static_cast<std::ptrdiff_t>(batch) * pairs;
      for (int l = 0; l < slots; ++l)
        for (int at = 0; at < pairs; ++at) {
          const double* const from_slot = K + 72 * at + l;
          const int entry = slot[8 * at + l];
          if (entry >= 0) {
            double* const to_block = A.block(entry);
            for (int i = 0; i < 9; ++i) to_block[i] += from_slot[8 * i];
          } else {
            double* const to_block = A.block(~entry);
            for (int j = 0; j < 3; ++j)
              for (int i = 0; i < 3; ++i) to_block[3 * i + j] += from_slot[8 * (3 * j + i)];
          }
        }
    }
  });
}

void stress_of_pack(const Block& b, int batch, int point, double (&H)[9][8]) {
  for (int l = 0; l < 8; ++l)
    to_slot(stress(b.law, of_slot(H, l), axis_of_slot(b, batch, point, l)), H, l);
}

void viscous_stress_of_pack(const Block& b, int batch, int point, const double (&F)[9][8],
                            double (&rate)[9][8]) {
  for (int l = 0; l < 8; ++l)
    to_slot(
        viscous_stress(b.law, of_slot(F, l), axis_of_slot(b, batch, point, l), of_slot(rate, l)),
        rate, l);
}

void energy_of_pack(const Block& b, int batch, int point, double (&H)[9][8]) {
  for (int l = 0; l < 8; ++l)
    H[0][l] = energy(b.law, of_slot(H, l), axis_of_slot(b, batch, point, l));
}

void product_of_pack(const Block& b, int batch, int point, double k, double c,
                     const double (&F)[9][8], double (&dF)[9][8]) {
  Matrix9 A;
  for (int l = 0; l < 8; ++l) {
    combined_tangent(b.law, of_slot(F, l), axis_of_slot(b, batch, point, l), k, c, A);
    Eigen::Matrix<double, 9, 1> x;
    for (int i = 0; i < 9; ++i) x[i] = dF[i][l];
    const Eigen::Matrix<double, 9, 1> y = A * x;
    for (int i = 0; i < 9; ++i) dF[i][l] = y[i];
  }
}

void rotation_of_slot(const double (&F)[9][8], double (&R)[9][8], int slot) {
  to_slot(rotation_of(of_slot(F, slot)), R, slot);
}

double logarithm_of(double change) {
  return change > -1.0 ? std::log1p(change) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace saltus::fem
