// A driver of HDF5 that writes files through AtomicFile and never reports a failure to HDF5. A
// flush is a commit.
//
// If a write fails inside H5Dclose or H5Fclose, HDF5 (1.10.8) leaves freed memory under live
// identifiers, and the program crashes at its end. Therefore the driver stores the first error,
// discards everything HDF5 writes from then on, and the wrapper checks for the error after each
// call. Running out of memory is such a failure too: no exception passes through HDF5.
#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <new>

#include "saltus/results/atomic_file.h"
#include "saltus/results/hdf5_internal.h"
#if __has_include(<H5FDdevelop.h>)
#include <H5FDdevelop.h>
#endif

namespace saltus::h5 {
namespace {

thread_local std::shared_ptr<FileState> opening;

struct Driver {
  H5FD_t base;  // first: HDF5 identifies a Driver by this address
  AtomicFile file;
  haddr_t allocated = 0;  // end of the space allocated by HDF5 [bytes]
  std::shared_ptr<FileState> state;

  /// Executes an action unless an earlier one has failed.
  template <typename Action>
  void attempt(Action&& action) {
    if (state->error) return;
    try {
      state->error = action();
    } catch (const std::bad_alloc&) {
      state->error = ENOMEM;
    }
  }
};

Driver& of(H5FD_t* file) { return *reinterpret_cast<Driver*>(file); }
const Driver& of(const H5FD_t* file) { return *reinterpret_cast<const Driver*>(file); }

H5FD_t* open_file(const char* name, unsigned flags, hid_t, haddr_t) {
  const std::shared_ptr<FileState> state = opening;
  std::unique_ptr<Driver> driver(new (std::nothrow) Driver);
  if (!state) return nullptr;
  state->error = driver ? 0 : ENOMEM;  // HDF5 may try twice: an existing file, a new one
  if (!driver) return nullptr;
  const bool write = (flags & H5F_ACC_RDWR) != 0;
  const int mode = (write ? O_RDWR : O_RDONLY) | (flags & H5F_ACC_CREAT ? O_CREAT : 0) |
                   (flags & H5F_ACC_TRUNC ? O_TRUNC : 0) | (flags & H5F_ACC_EXCL ? O_EXCL : 0);
  driver->state = state;
  driver->attempt([&] { return driver->file.open(name, mode, state->head, state->take); });
  state->changed = !write && state->error == ESTALE;  // changed too fast for this reader
  return state->error ? nullptr : &driver.release()->base;
}

herr_t close_pages(H5FD_t* file) {
  const std::unique_ptr<Driver> driver(&of(file));
  driver->attempt([&] { return driver->file.close(); });
  driver->state->size = driver->file.size_on_disk();
  return 0;
}

herr_t query(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t get_allocated(const H5FD_t* file, H5FD_mem_t) { return of(file).allocated; }
herr_t set_allocated(H5FD_t* file, H5FD_mem_t, haddr_t end) { return of(file).allocated = end, 0; }
haddr_t get_end(const H5FD_t* file, H5FD_mem_t) { return of(file).file.size(); }

herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t size, void* buffer) {
  const int error = of(file).file.read(address, buffer, size);
  FileState& state = *of(file).state;
  if (error == ESTALE && of(file).file.is_writable())
    state.error = state.error ? state.error : error;
  else if (error == ESTALE)
    state.changed = true;
  return error == 0 ? 0 : -1;
}

herr_t write(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t size, const void* buffer) {
  Driver& driver = of(file);
  driver.attempt([&] { return driver.file.write(address, buffer, size); });
  if (driver.state->error)
    driver.file.resize(std::max<haddr_t>(driver.file.size(), address + size));
  return 0;
}

herr_t truncate(H5FD_t* file, hid_t, hbool_t) {
  of(file).file.resize(of(file).allocated);
  return 0;
}

/// The last operation of H5Fflush and H5Fclose.
herr_t flush(H5FD_t* file, hid_t, hbool_t) {
  of(file).attempt([&] { return of(file).file.commit(); });
  return 0;
}

hid_t register_driver() {
  static H5FD_class_t driver{};
#ifdef H5FD_CLASS_VERSION
  driver.version = H5FD_CLASS_VERSION;
  // 256 .. 511 are for drivers private to a program
  driver.value = static_cast<H5FD_class_value_t>(500);
#endif
  driver.name = "saltus";
  driver.maxaddr = static_cast<haddr_t>(1) << 62;
  driver.fc_degree = H5F_CLOSE_STRONG;
  driver.open = open_file;
  driver.close = close_pages;
  driver.query = query;
  driver.get_eoa = get_allocated;
  driver.set_eoa = set_allocated;
  driver.get_eof = get_end;
  driver.read = read;
  driver.write = write;
  driver.flush = flush;
  driver.truncate = truncate;
  constexpr H5FD_mem_t map[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(map), std::end(map), driver.fl_map);
  return H5FDregister(&driver);
}

}  // namespace

void use_driver(hid_t access, std::shared_ptr<FileState> state) {
  static const hid_t driver = register_driver();
  opening = std::move(state);
  H5Pset_driver(access, driver, nullptr);
}

std::shared_ptr<void> mapped(std::size_t bytes) {
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return {memory, [bytes](void* p) { ::munmap(p, bytes); }};
}

}  // namespace saltus::h5
