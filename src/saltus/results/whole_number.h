// Integers from files that store them as numbers of any type.
#pragma once
#include <string>

#include "saltus/results/hdf5.h"

namespace saltus::h5 {

/// x as an integer; throws Error ("<label>: contains an invalid number") if it is not a number or
/// outside [low, high], by default the range of int.
inline int whole(double x, const std::string& label, double low = -0x1p31,
                 double high = 0x1p31 - 1.0) {
  if (!(x >= low && x <= high)) throw Error(label + ": contains an invalid number");
  return static_cast<int>(x);
}

}  // namespace saltus::h5
