#include "saltus/io/hdf5_driver_internal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "saltus/io/hdf5.h"
#if __has_include(<H5FDdevelop.h>)
#include <H5FDdevelop.h>
#endif

namespace saltus::h5 {
namespace {

thread_local std::shared_ptr<FileState> opening;

struct Driver {
  H5FD_t base;  // first: HDF5 knows a Driver by this address
  int descriptor = -1;
  haddr_t allocated = 0;  // end of what HDF5 has allocated [bytes]
  haddr_t end = 0;        // end of the file as HDF5 believes it to be [bytes]
  std::shared_ptr<FileState> state;
};

Driver& of(H5FD_t* file) { return *reinterpret_cast<Driver*>(file); }
const Driver& of(const H5FD_t* file) { return *reinterpret_cast<const Driver*>(file); }

H5FD_t* open_file(const char* name, unsigned flags, hid_t, haddr_t) {
  const std::shared_ptr<FileState> state = opening;
  if (!state) return nullptr;
  const int mode = (flags & H5F_ACC_RDWR ? O_RDWR : O_RDONLY) |
                   (flags & H5F_ACC_CREAT ? O_CREAT : 0) | (flags & H5F_ACC_TRUNC ? O_TRUNC : 0) |
                   (flags & H5F_ACC_EXCL ? O_EXCL : 0) | O_CLOEXEC;
  struct stat status {};
  const int descriptor = ::open(name, mode, 0666);
  if (descriptor < 0 || ::fstat(descriptor, &status) != 0) {
    state->error = errno;
    if (descriptor >= 0) ::close(descriptor);
    return nullptr;
  }
  state->error = 0;  // HDF5 tries twice: for an existing file, then for a new one
  auto file = std::make_unique<Driver>();
  file->descriptor = descriptor;
  file->end = static_cast<haddr_t>(status.st_size);
  file->state = state;
  return &file.release()->base;
}

herr_t close_file(H5FD_t* file) {
  Driver& driver = of(file);
  if (::close(driver.descriptor) != 0 && !driver.state->error) driver.state->error = errno;
  delete &driver;
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

haddr_t get_end(const H5FD_t* file, H5FD_mem_t) { return of(file).end; }

/// Beyond the end of the file there are zeros.
herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t size, void* buffer) {
  const Driver& driver = of(file);
  char* at = static_cast<char*>(buffer);
  while (size > 0) {
    const ssize_t got = ::pread(driver.descriptor, at, size, static_cast<off_t>(address));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) {
      std::memset(at, 0, size);
      break;
    }
    at += got;
    address += static_cast<haddr_t>(got);
    size -= static_cast<size_t>(got);
  }
  return 0;
}

herr_t write(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t size, const void* buffer) {
  Driver& driver = of(file);
  driver.end = std::max(driver.end, address + size);
  const char* at = static_cast<const char*>(buffer);
  while (size > 0 && !driver.state->error) {
    const ssize_t put = ::pwrite(driver.descriptor, at, size, static_cast<off_t>(address));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      driver.state->error = errno;
      break;
    }
    at += put;
    address += static_cast<haddr_t>(put);
    size -= static_cast<size_t>(put);
  }
  return 0;
}

herr_t truncate(H5FD_t* file, hid_t, hbool_t) {
  Driver& driver = of(file);
  if (driver.allocated == driver.end) return 0;
  if (!driver.state->error &&
      ::ftruncate(driver.descriptor, static_cast<off_t>(driver.allocated)) != 0)
    driver.state->error = errno;
  driver.end = driver.allocated;
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
  driver.close = close_file;
  driver.query = query;
  driver.get_eoa = get_allocated;
  driver.set_eoa = set_allocated;
  driver.get_eof = get_end;
  driver.read = read;
  driver.write = write;
  driver.truncate = truncate;
  constexpr H5FD_mem_t map[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(map), std::end(map), driver.fl_map);
  return H5FDregister(&driver);
}

}  // namespace

bool use_driver(hid_t access, std::shared_ptr<FileState> state) {
  static const hid_t driver = register_driver();
  opening = std::move(state);
  return driver >= 0 && H5Pset_driver(access, driver, nullptr) >= 0;
}

}  // namespace saltus::h5
