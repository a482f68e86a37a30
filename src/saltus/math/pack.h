// Packs of eight doubles in registers of 2, 4 or 8 doubles. Internal to the kernels of this folder.
// A kernel is written once, as an always-inline template over the register width, and instantiated
// in one function per instruction set (SALTUS_TARGET_*). The eight slots of a pack are added only
// in sum_pack, so that the bits of a result do not depend on the width. Build with
// -ffp-contract=off.
#pragma once

#if defined(__x86_64__) && !defined(SALTUS_NO_CLONES)
#define SALTUS_CLONES 1
#define SALTUS_TARGET_avx2 __attribute__((target("avx2,fma")))
#define SALTUS_TARGET_avx512f __attribute__((target("avx512f")))
#else
#define SALTUS_CLONES 0
#endif
#define SALTUS_TARGET_baseline
#define SALTUS_INLINE inline __attribute__((always_inline))

namespace saltus::simd {

/// One register of W doubles.
template <int W>
struct Register {
  typedef double type __attribute__((vector_size(8 * W)));
};
template <int W>
using V = typename Register<W>::type;

/// A register at any position in an array of double: packed, hence without alignment. Registers are
/// passed by reference or in a Slot, never by value, because that would depend on the instruction
/// set of the caller.
template <int W>
struct __attribute__((packed, may_alias)) Slot {
  V<W> v;
};
template <int W>
SALTUS_INLINE const Slot<W>& at(const double* p) {
  return *reinterpret_cast<const Slot<W>*>(p);
}
template <int W>
SALTUS_INLINE Slot<W>& at(double* p) {
  return *reinterpret_cast<Slot<W>*>(p);
}

/// sum += a b, rounded once if the instruction set has the operation (registers of 4 and 8),
/// otherwise twice. For reported sums that do not feed back into the state. Written in assembler,
/// because a template that is inlined into functions of several targets cannot use the intrinsic of
/// one of them.
template <int W>
SALTUS_INLINE void add_product(V<W>& sum, const V<W>& a, const V<W>& b) {
#if SALTUS_CLONES
  if constexpr (W >= 4) {
    asm("vfmadd231pd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
    return;
  }
#endif
  sum += a * b;
}

/// ((0+4)+(2+6)) + ((1+5)+(3+7))
SALTUS_INLINE double sum_pack(const double (&slot)[8]) {
  return ((slot[0] + slot[4]) + (slot[2] + slot[6])) + ((slot[1] + slot[5]) + (slot[3] + slot[7]));
}

/// Widest register of this machine in doubles: 2, 4 (AVX2) or 8 (AVX-512F).
inline int register_width() {
#if SALTUS_CLONES
  if (__builtin_cpu_supports("avx512f")) return 8;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return 4;
#endif
  return 2;
}

}  // namespace saltus::simd
