// Shared by the files of BlockLdlt: panels whose number of rows is known at compile time.
#pragma once
#include "saltus/math/pack.h"

namespace saltus {

/// Round-off of S, relative to sqrt(S_ii S_jj).
inline constexpr double kRoundOff = 1e-14;
inline constexpr int kPanelColumns = 4;  ///< right-hand sides solved together

/// Calls f with the number of rows as a constant, for the numbers that occur in joints.
template <class F>
SALTUS_INLINE void with_rows(int rows, F&& f) {
  switch (rows) {
    case 1:
      return f.template operator()<1>();
    case 2:
      return f.template operator()<2>();
    case 3:
      return f.template operator()<3>();
    case 4:
      return f.template operator()<4>();
    case 5:
      return f.template operator()<5>();
    case 6:
      return f.template operator()<6>();
    default:
      return f.template operator()<0>();
  }
}

}  // namespace saltus
