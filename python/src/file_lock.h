// HDF5 is not thread-safe: whatever opens, reads or writes files goes through here, one thread at a time.
#pragma once
#include <mutex>

#include "bind.h"
#include "gil.h"

namespace saltus::python {

/// Of the process; inline, so that all files of the module share it.
inline std::recursive_mutex& file_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

/// Lets other Python threads run, then waits for its turn: in this order, since whoever holds the lock may want the GIL.
///     const FileLock lock;      no Python object may be touched while it lives
class FileLock {
 public:
  FileLock() : lock_(file_mutex()) {}

 private:
  Others released_;
  std::lock_guard<std::recursive_mutex> lock_;
};

}  // namespace saltus::python
