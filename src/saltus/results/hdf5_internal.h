// The HDF5 library itself; included only by the sources of the wrapper.
#pragma once
#include <hdf5.h>

#include <algorithm>
#include <string>

#include "saltus/results/hdf5.h"

static_assert(H5_VERSION_GE(1, 10, 5), "Saltus needs HDF5 1.10.5 or later");

namespace saltus::h5 {

static_assert(sizeof(hid_t) == sizeof(std::int64_t));

/// Makes files of this access list use the driver (hdf5_driver.cpp); the next file opened by this
/// thread reports to `state`.
void use_driver(hid_t access, std::shared_ptr<FileState> state);

/// Reserves address space without using it, released with its owner. Throws std::bad_alloc.
std::shared_ptr<void> mapped(std::size_t bytes);
// [bytes] more than a call needs in addition to its data
constexpr std::size_t kRoom = std::size_t{8} << 20;

/// Messages are switched off once per thread: each has its own error stack.
inline void silence() {
  thread_local const bool done = H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) >= 0;
  static_cast<void>(done);
}

/// Called by every function that may fail, before it enters the library. Throws std::bad_alloc if
/// memory is about to run out: the library (1.10.8) does not check all allocations and crashes.
inline void quiet() {
  silence();
  mapped(kRoom);
}

constexpr std::size_t size_of(Type type) { return type == Type::int32 ? 4 : 8; }  // [bytes]
inline hid_t in_memory(Type type) {
  return type == Type::real64  ? H5T_NATIVE_DOUBLE
         : type == Type::int32 ? H5T_NATIVE_INT32
                               : H5T_NATIVE_UINT64;
}
inline hid_t on_disk(Type type) {
  return type == Type::real64  ? H5T_IEEE_F64LE
         : type == Type::int32 ? H5T_STD_I32LE
                               : H5T_STD_U64LE;
}

/// Text of fixed length, UTF-8, padded with zeros.
inline Handle text_type(std::size_t length) {
  Handle type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.get(), std::max<std::size_t>(length, 1));
  H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

/// Creation properties of datasets: without times, so that equal tables have equal bytes. gzip:
/// shuffled and deflated, in chunks.
inline Handle layout_of(int rank, const hsize_t* chunk, int gzip) {
  Handle layout(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_obj_track_times(layout.get(), false);
  if (chunk) H5Pset_chunk(layout.get(), rank, chunk);
  if (gzip > 0) {
    H5Pset_shuffle(layout.get());
    H5Pset_deflate(layout.get(), static_cast<unsigned>(gzip));
  }
  return layout;
}

}  // namespace saltus::h5
