// HDF5 is not thread-safe: all opening, reading and writing of files goes through this lock, one
// thread at a time.
#pragma once
#include <mutex>

#include "bind.h"
#include "gil.h"

namespace saltus::python {

/// One for the process; inline, so that all files of the module share it.
inline std::recursive_mutex& file_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

/// Releases the GIL, then waits for the lock: in this order, since the thread that holds the lock
/// may need the GIL.
///     const FileLock lock;      no Python object may be used while it exists
class FileLock {
 public:
  FileLock() : lock_(file_mutex()) {}

 private:
  Others released_;
  std::lock_guard<std::recursive_mutex> lock_;
};

}  // namespace saltus::python
