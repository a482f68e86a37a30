#include "saltus/results/hdf5_driver_internal.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fstream>
#include <new>

#include "saltus/results/atomic_file.h"
#include "saltus/results/hdf5.h"
#include "saltus/results/hdf5_internal.h"
#if __has_include(<H5FDdevelop.h>)
#include <H5FDdevelop.h>
#endif

namespace saltus::h5 {
namespace {

constexpr std::size_t kRoom = std::size_t{8} << 20;  // [bytes] a call takes less, beside its data
constexpr std::size_t kReserve = 2 * kRoom;          // to close a file and open it again

thread_local std::shared_ptr<FileState> opening;

/// errno of what is done; memory that is not there counts as that.
template <typename Action>
int error_of(Action&& action) {
  try {
    return action();
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  }
}

struct Driver {
  H5FD_t base;  // first: HDF5 knows a Driver by this address
  AtomicFile file;
  haddr_t allocated = 0;  // end of what HDF5 has allocated [bytes]
  std::shared_ptr<FileState> state;

  /// Keeps the first error.
  void note(int error) {
    if (error && !state->error) state->error = error;
  }
};

Driver& of(H5FD_t* file) { return *reinterpret_cast<Driver*>(file); }
const Driver& of(const H5FD_t* file) { return *reinterpret_cast<const Driver*>(file); }

H5FD_t* open_file(const char* name, unsigned flags, hid_t, haddr_t) {
  const std::shared_ptr<FileState> state = opening;
  if (!state) return nullptr;
  const int mode = (flags & H5F_ACC_RDWR ? O_RDWR : O_RDONLY) |
                   (flags & H5F_ACC_CREAT ? O_CREAT : 0) | (flags & H5F_ACC_TRUNC ? O_TRUNC : 0) |
                   (flags & H5F_ACC_EXCL ? O_EXCL : 0);
  std::unique_ptr<Driver> driver(new (std::nothrow) Driver);
  if (!driver) {
    state->error = ENOMEM;
    return nullptr;
  }
  driver->state = state;
  // HDF5 may try twice: an existing file, a new one
  state->error = error_of([&] { return driver->file.open(name, mode, state->head); });
  if (!state->error && state->take)
    state->error = error_of([&] { return driver->file.take(state->take); });
  // too fast for this reader
  if ((flags & H5F_ACC_RDWR) == 0 && (state->error == ESTALE || state->error == EBUSY))
    state->changed = true;
  return state->error ? nullptr : &driver.release()->base;
}

herr_t close_pages(H5FD_t* file) {
  const std::unique_ptr<Driver> driver(&of(file));
  driver->note(driver->file.close());
  return 0;
}

herr_t query(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t get_allocated(const H5FD_t* file, H5FD_mem_t) { return of(file).allocated; }

herr_t set_allocated(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  of(file).allocated = address;
  return 0;
}

haddr_t get_end(const H5FD_t* file, H5FD_mem_t) { return of(file).file.size(); }

herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t size, void* buffer) {
  Driver& driver = of(file);
  const int error = driver.file.read(address, buffer, size);
  if (error == ESTALE) driver.state->changed = true;
  return error == 0 ? 0 : -1;
}

herr_t write(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t size, const void* buffer) {
  Driver& driver = of(file);
  if (driver.state->error)
    driver.file.resize(std::max<haddr_t>(driver.file.size(), address + size));
  else
    driver.note(error_of([&] { return driver.file.write(address, buffer, size); }));
  return 0;
}

herr_t truncate(H5FD_t* file, hid_t, hbool_t) {
  Driver& driver = of(file);
  driver.file.resize(driver.allocated);
  return 0;
}

/// The last thing that H5Fflush and H5Fclose do.
herr_t flush(H5FD_t* file, hid_t, hbool_t) {
  Driver& driver = of(file);
  if (!driver.state->error) driver.note(error_of([&] { return driver.file.commit(); }));
  return 0;
}

hid_t register_driver() {
  static H5FD_class_t driver{};
#ifdef H5FD_CLASS_VERSION
  driver.version = H5FD_CLASS_VERSION;
  driver.value =
      static_cast<H5FD_class_value_t>(500);  // 256 .. 511: for tests and drivers of one program
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

/// Whether the system refuses memory: by a limit of the process, or because it promises no more than it has.
bool memory_is_bounded() {
  static const bool strict = [] {
    std::ifstream setting("/proc/sys/vm/overcommit_memory");
    int mode = 0;
    return !(setting >> mode) || mode == 2;
  }();
  const auto limited = [](auto what) {
    rlimit limit{};
    return getrlimit(what, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
  };
  return strict || limited(RLIMIT_AS) || limited(RLIMIT_DATA);
}

std::atomic<bool> bounded = true;  // until see_limits()

std::shared_ptr<void> mapped(std::size_t bytes) {
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return {memory, [bytes](void* p) { ::munmap(p, bytes); }};
}

}  // namespace

std::shared_ptr<void> reserve() { return mapped(kReserve); }

void see_limits() { bounded = memory_is_bounded(); }

// Given back at once: two calls of the system, which took a third of the time in which a file is made (asking for the limits
// before each took a quarter of what was left). Not where memory is never refused.
void expect_room() {
  if (bounded) mapped(kRoom);
}

bool use_driver(hid_t access, std::shared_ptr<FileState> state) {
  static const hid_t driver = register_driver();
  opening = std::move(state);
  return driver >= 0 && H5Pset_driver(access, driver, nullptr) >= 0;
}

}  // namespace saltus::h5
