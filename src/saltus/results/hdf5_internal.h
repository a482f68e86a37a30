// The HDF5 library itself: included by the two sources of the wrapper only.
#pragma once
#include <hdf5.h>

#include <algorithm>
#include <string>

#include "saltus/results/hdf5.h"

namespace saltus::h5 {

static_assert(sizeof(hid_t) == sizeof(std::int64_t));

/// Throws std::bad_alloc where memory is about to run out: the library (1.10.8) does not look everywhere whether it got any,
/// and crashes.
void expect_room();
/// Looks whether the system refuses memory, for expect_room(): when a file is opened and at each flush. A limit that a process
/// gives itself in between counts from then on.
void see_limits();

/// Messages are switched off once a thread: each has its own error stack.
inline void silence() {
  thread_local const bool done = H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) >= 0;
  static_cast<void>(done);
}

/// Called by everything that may fail, before it enters the library.
inline void quiet() {
  silence();
  expect_room();
}

/// Why the last call of the library failed: the words of the operating system where there are any. Empty: it did not.
std::string reason();

inline int close_space(std::int64_t id) { return H5Sclose(id); }
inline int close_type(std::int64_t id) { return H5Tclose(id); }
inline int close_list(std::int64_t id) { return H5Pclose(id); }

/// Text of a fixed length, UTF-8, filled up with zeros.
inline Handle text_type(std::size_t length) {
  Handle type(H5Tcopy(H5T_C_S1), close_type);
  H5Tset_size(type.get(), std::max<std::size_t>(length, 1));
  H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

}  // namespace saltus::h5
