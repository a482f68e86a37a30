// What the files of BlockLdlt share: panels with a number of rows that the compiler knows.
#pragma once
#include "saltus/math/pack.h"

namespace saltus {

/// Of sqrt(S_ii S_jj): round-off of S.
inline constexpr double kRoundOff = 1e-14;
inline constexpr int kPanelColumns = 4;  ///< right-hand sides that are solved together

/// f with the number of rows as a constant, as far as joints have them.
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
