#include "saltus/results/hdf5.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "saltus/results/atomic_file.h"
#include "saltus/results/hdf5_driver_internal.h"
#include "saltus/results/hdf5_internal.h"

namespace saltus::h5 {
namespace {

int close_file(std::int64_t id) { return H5Fclose(id); }
int close_attribute(std::int64_t id) { return H5Aclose(id); }

/// Metadata stays in memory until flush(): it is small, and a commit of AtomicFile needs no more.
/// No lock of the library's own: it would keep readers out, and OutputFile keeps writers out.
Handle access_list() {
  Handle list(H5Pcreate(H5P_FILE_ACCESS), close_list);
  H5Pset_fclose_degree(list.get(), H5F_CLOSE_STRONG);
  H5AC_cache_config_t cache{};
  cache.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  if (H5Pget_mdc_config(list.get(), &cache) >= 0) {
    cache.evictions_enabled = false;
    cache.incr_mode = H5C_incr__off;
    cache.flash_incr_mode = H5C_flash_incr__off;
    cache.decr_mode = H5C_decr__off;
    H5Pset_mdc_config(list.get(), &cache);
  }
#if H5_VERSION_GE(1, 10, 7)
  H5Pset_file_locking(list.get(), false, true);
#endif
  return list;
}

}  // namespace

/// Of the operating system where HDF5 quotes an errno, else its own innermost message; empty where no call of it failed.
std::string reason() {
  struct Found {
    int error = 0;
    std::string text;
  } found;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned, const H5E_error2_t* entry, void* data) -> herr_t {
        Found& out = *static_cast<Found*>(data);
        const char* text = entry->desc ? entry->desc : "";
        if (out.text.empty()) out.text = text;
        const char* number = std::strstr(text, "errno = ");
        if (!out.error && number) out.error = std::atoi(number + 8);
        return 0;
      },
      &found);
  if (found.error) return std::strerror(found.error);
  std::replace(found.text.begin(), found.text.end(), '\n', ' ');
  return found.text;
}

// -- Handle

Handle::Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}

Handle& Handle::operator=(Handle&& other) noexcept {
  if (this == &other) return *this;
  reset();
  id_ = std::exchange(other.id_, -1);
  close_ = other.close_;
  return *this;
}

bool Handle::reset() noexcept {
  if (id_ < 0) return true;
  silence();
  return close_(std::exchange(id_, -1)) >= 0;
}

// -- Object

void Object::fail(std::string_view what) const {
  if (file_->changed) throw Changed(file_->path);
  const std::string why = file_->error == ESTALE ? "another program has shortened the file"
                          : file_->error         ? std::strerror(file_->error)
                                                 : reason();
  throw Error(label() + ": " + std::string(what) + (why.empty() ? "" : ": " + why));
}

void Object::require(bool good, std::string_view what) const {
  if (!good || file_->error || file_->changed) fail(what);
}

bool Object::has_attribute(const std::string& name) const {
  quiet();
  const bool there = H5Aexists(id_.get(), name.c_str()) > 0;
  require(true, "cannot be read");
  return there;
}

void Object::write_attribute(const std::string& name, std::int64_t type, const void* data) const {
  quiet();
  if (has_attribute(name) && H5Adelete(id_.get(), name.c_str()) < 0) fail("cannot replace " + name);
  const Handle space(H5Screate(H5S_SCALAR), close_space);
  Handle attribute(H5Acreate2(id_.get(), name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT),
                   close_attribute);
  require(attribute.get() >= 0 && H5Awrite(attribute.get(), type, data) >= 0 && attribute.reset(),
          "cannot write attribute " + name);
}

void Object::set(const std::string& name, std::string_view text) const {
  quiet();
  const std::string bytes(text.substr(0, 60'000));  // an attribute holds at most 64 KiB
  write_attribute(name, text_type(bytes.size()).get(), bytes.c_str());
}

void Object::set(const std::string& name, double value) const {
  quiet();
  write_attribute(name, H5T_NATIVE_DOUBLE, &value);
}

void Object::set(const std::string& name, std::int64_t value) const {
  quiet();
  write_attribute(name, H5T_NATIVE_INT64, &value);
}

void Object::read_attribute(const std::string& name, std::int64_t type, void* data) const {
  const Handle attribute(H5Aopen(id_.get(), name.c_str(), H5P_DEFAULT), close_attribute);
  if (attribute.get() < 0) fail("has no attribute " + name);
  const Handle space(H5Aget_space(attribute.get()), close_space);
  if (H5Sget_simple_extent_npoints(space.get()) != 1 || H5Aread(attribute.get(), type, data) < 0)
    fail("cannot read attribute " + name);
}

double Object::real(const std::string& name) const {
  quiet();
  double value = 0.0;
  read_attribute(name, H5T_NATIVE_DOUBLE, &value);
  return value;
}

std::int64_t Object::integer(const std::string& name) const {
  quiet();
  std::int64_t value = 0;
  read_attribute(name, H5T_NATIVE_INT64, &value);
  return value;
}

std::string Object::text(const std::string& name) const {
  quiet();
  const Handle attribute(H5Aopen(id_.get(), name.c_str(), H5P_DEFAULT), close_attribute);
  const Handle stored(attribute.get() < 0 ? -1 : H5Aget_type(attribute.get()), close_type);
  if (stored.get() < 0 || H5Tget_class(stored.get()) != H5T_STRING ||
      H5Tis_variable_str(stored.get()) != 0)
    fail("has no text attribute " + name);
  constexpr std::size_t kLongest = 1 << 20;  // set() writes less
  if (H5Tget_size(stored.get()) > kLongest)
    fail("has a text attribute " + name + " that is too long");
  std::string value(H5Tget_size(stored.get()), '\0');
  read_attribute(name, text_type(value.size()).get(), value.data());
  value.resize(std::strlen(value.c_str()));
  return value;
}

// -- File

File File::create(const std::string& path) { return make(path, false); }
File File::create_growing(const std::string& path) { return make(path, true); }

File File::make(const std::string& path, bool growing) {
  see_limits();
  quiet();
  const auto state = std::make_shared<FileState>(FileState{path});
  state->head = growing;
  const Handle access = access_list(), creation(H5Pcreate(H5P_FILE_CREATE), close_list);
  if (growing) H5Pset_userblock(creation.get(), AtomicFile::kHead);
  use_driver(access.get(), state);
  state->reserve = reserve();
  expect_room();
  File file(
      Handle(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.get(), access.get()), close_file),
      state, "/");
  file.require(file.is_open(), "cannot create");
  return file;
}

File File::open(const std::string& path, unsigned mode, std::uint64_t take) {
  see_limits();
  quiet();
  const auto state = std::make_shared<FileState>(FileState{path});
  state->take = take;
  const Handle access = access_list();
  use_driver(access.get(), state);
  if (mode != H5F_ACC_RDONLY) state->reserve = reserve();
  expect_room();
  File file(Handle(H5Fopen(path.c_str(), mode, access.get()), close_file), state, "/");
  if (!file.is_open() && state->error == ENOMEM) throw std::bad_alloc();
  file.require(file.is_open(), "cannot open");
  file.expect_own_links();
  return file;
}

/// Before anything is opened by name: the library follows such links without a word, and waits where they lead to a pipe.
void File::expect_own_links() const {
  std::string found;
  const auto look = [](hid_t, const char* name, const H5L_info_t* link, void* data) -> herr_t {
    if (link->type == H5L_TYPE_HARD || link->type == H5L_TYPE_SOFT) return 0;
    *static_cast<std::string*>(data) = name;
    return 1;
  };
  const herr_t end = H5Lvisit(id_.get(), H5_INDEX_NAME, H5_ITER_NATIVE, look, &found);
  if (!found.empty())
    throw Foreign(file_->path + ": /" + found + ": is a link to another file, which is not read");
  require(end >= 0, "cannot be listed");
}

File File::read(const std::string& path) { return open(path, H5F_ACC_RDONLY, 0); }
File File::read_now(const std::string& path, std::uint64_t most) {
  return open(path, H5F_ACC_RDONLY, most);
}
File File::modify(const std::string& path) { return open(path, H5F_ACC_RDWR, 0); }

void File::flush() const {
  see_limits();
  complete();
  quiet();
  require(H5Fflush(id_.get(), H5F_SCOPE_LOCAL) >= 0, "cannot write");
}

void File::close() {
  complete();
  file_->growing.clear();  // what it holds open
  const bool good = id_.reset();
  require(good, "cannot write");
}

void File::abandon() noexcept {
  if (!is_open()) return;
  if (!file_->error) file_->error = ECANCELED;
  file_->reserve.reset();  // HDF5 needs memory to close, and crashes where there is none
  file_->growing.clear();
  id_.reset();
}

bool many_threads() {
  hbool_t safe = 0;
  return H5is_library_threadsafe(&safe) >= 0 && safe != 0;
}

std::string escaped(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (c == '/')
      result += "%2F";
    else if (c == '%')
      result += "%25";
    else if (c == '.' && result.empty())
      result += "%2E";
    else
      result += c;
  }
  return result;
}

}  // namespace saltus::h5
