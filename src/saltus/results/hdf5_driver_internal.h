// The way of files to the disk: a driver of HDF5 over AtomicFile that never tells it of a failure.
//
// A write that fails inside H5Dclose or H5Fclose leaves HDF5 (1.10.8) with freed memory under live
// identifiers, and the program crashes when it ends. So the driver keeps the first error for
// itself, from then on swallows what HDF5 writes, and the wrapper asks for it after each call.
// Memory that runs out in it is such a failure: no exception passes through HDF5.
// A flush is a commit of AtomicFile: a program that dies leaves the file as of its last flush.
#pragma once
#include <hdf5.h>

#include <memory>

namespace saltus::h5 {

struct FileState;

/// Makes files of this access list use the driver; the next file opened by this thread reports to
/// `state`.
bool use_driver(hid_t access, std::shared_ptr<FileState> state);

/// Address space, never touched, that is there when memory has run out. Throws std::bad_alloc.
std::shared_ptr<void> reserve();

}  // namespace saltus::h5
