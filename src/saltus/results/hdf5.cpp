// Attributes, files and groups.
#include "saltus/results/hdf5.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "saltus/results/atomic_file.h"
#include "saltus/results/hdf5_internal.h"

namespace saltus::h5 {
namespace {

/// Reason of the last failure of the library: that of the operating system if it quotes an errno,
/// else its own innermost message.
std::string reason() {
  struct Found {
    int error = 0;
    std::string text;
  } found;
  const auto look = [](unsigned, const H5E_error2_t* entry, void* data) -> herr_t {
    Found& out = *static_cast<Found*>(data);
    const char* text = entry->desc ? entry->desc : "";
    if (out.text.empty()) out.text = text;
    const char* number = std::strstr(text, "errno = ");
    if (!out.error && number) out.error = std::atoi(number + 8);
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, look, &found);
  std::replace(found.text.begin(), found.text.end(), '\n', ' ');
  return found.error ? std::strerror(found.error) : found.text;
}

/// Whether a link leads to a dataset whose numbers are in other files. Damaged datasets, which
/// cannot be opened, cannot be read through either.
bool is_stored_elsewhere(hid_t file, const char* name) {
  H5O_info_t object{};
  if (H5Oget_info_by_name2(file, name, &object, H5O_INFO_BASIC, H5P_DEFAULT) < 0 ||
      object.type != H5O_TYPE_DATASET)
    return false;
  const Handle dataset(H5Dopen2(file, name, H5P_DEFAULT));
  if (dataset.get() < 0) return false;
  const Handle layout(H5Dget_create_plist(dataset.get()));
  return H5Pget_external_count(layout.get()) > 0 || H5Pget_layout(layout.get()) == H5D_VIRTUAL;
}

bool read_number(hid_t attribute, hid_t type, void* data) {
  const Handle space(attribute < 0 ? -1 : H5Aget_space(attribute));
  // a larger one would be written beyond the end
  return H5Sget_simple_extent_npoints(space.get()) == 1 && H5Aread(attribute, type, data) >= 0;
}

}  // namespace

bool Handle::reset() noexcept {
  if (id_ < 0) return true;
  silence();
  return H5Idec_ref(std::exchange(id_, -1)) >= 0;
}

// -- Object

void Object::fail(std::string_view what) const {
  if (file_->changed) throw Changed(file_->path);
  const std::string why = file_->error == ESTALE   ? "another program has shortened the file"
                          : file_->error == ESPIPE ? "not a regular file"
                          : file_->error           ? std::strerror(file_->error)
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
  if (has_attribute(name) && H5Adelete(id_.get(), name.c_str()) < 0) fail("cannot replace " + name);
  const Handle space(H5Screate(H5S_SCALAR));
  Handle attribute(
      H5Acreate2(id_.get(), name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT));
  require(attribute.get() >= 0 && H5Awrite(attribute.get(), type, data) >= 0 && attribute.reset(),
          "cannot write attribute " + name);
}

void Object::set(const std::string& name, std::string_view text) const {
  const std::string bytes(text.substr(0, 60'000));  // an attribute holds at most 64 KiB
  quiet();
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
  const Handle attribute(H5Aopen(id_.get(), name.c_str(), H5P_DEFAULT));
  if (attribute.get() < 0) fail("has no attribute " + name);
  if (!read_number(attribute.get(), type, data)) fail("cannot read attribute " + name);
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
  const Handle attribute(H5Aopen(id_.get(), name.c_str(), H5P_DEFAULT)),
      stored(attribute.get() < 0 ? -1 : H5Aget_type(attribute.get()));
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

std::vector<Attribute> Object::attributes() const {
  quiet();
  std::vector<Attribute> list;
  const auto add = [](hid_t, const char* name, const H5A_info_t*, void* data) -> herr_t {
    static_cast<std::vector<Attribute>*>(data)->push_back({name, {}});
    return 0;
  };
  if (H5Aiterate2(id_.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &list) < 0)
    fail("has attributes that cannot be read");
  for (Attribute& one : list) {
    const Handle attribute(H5Aopen(id_.get(), one.name.c_str(), H5P_DEFAULT)),
        stored(H5Aget_type(attribute.get()));
    if (H5Tget_class(stored.get()) == H5T_STRING) {
      one.bytes = text(one.name);
      continue;
    }
    const bool whole = H5Tget_class(stored.get()) == H5T_INTEGER;
    one.bytes.resize(8);
    if (!read_number(attribute.get(), whole ? H5T_STD_I64LE : H5T_IEEE_F64LE, one.bytes.data()))
      fail("cannot read attribute " + one.name);
  }
  return list;
}

// -- File

File File::open(FileState asked, bool create, bool write) {
  quiet();
  const auto state = std::make_shared<FileState>(std::move(asked));
  const Handle access(H5Pcreate(H5P_FILE_ACCESS)), creation(H5Pcreate(H5P_FILE_CREATE));
  H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG);
  if (state->head) H5Pset_userblock(creation.get(), AtomicFile::kHead);
  use_driver(access.get(), state);
  if (write) state->reserve = mapped(2 * kRoom);  // to close a file and open it again
  quiet();
  const char* const path = state->path.c_str();
  const unsigned mode = write ? H5F_ACC_RDWR : H5F_ACC_RDONLY;
  File file(Handle(create ? H5Fcreate(path, H5F_ACC_TRUNC, creation.get(), access.get())
                          : H5Fopen(path, mode, access.get())),
            state, "/");
  if (!create && !file.is_open() && state->error == ENOMEM) throw std::bad_alloc();
  file.require(file.is_open(), create ? "cannot create" : "cannot open");
  if (!create) file.expect_own_data();
  return file;
}

/// Called before anything is read: the library follows such links and storage silently, and blocks
/// if one leads to a pipe. Results have hard links only.
void File::expect_own_data() const {
  struct Found {
    hid_t file;
    std::string name;
    const char* what = nullptr;
  } found{id_.get(), "", nullptr};
  const auto look = [](hid_t, const char* name, const H5L_info_t* link, void* data) -> herr_t {
    Found& out = *static_cast<Found*>(data);
    if (link->type == H5L_TYPE_SOFT)
      out.what = "is a symbolic link";
    else if (link->type != H5L_TYPE_HARD)
      out.what = "is a link to another file";
    else if (is_stored_elsewhere(out.file, name))
      out.what = "has its data in another file";
    if (out.what) out.name = name;
    return out.what ? 1 : 0;
  };
  const herr_t end = H5Lvisit(id_.get(), H5_INDEX_NAME, H5_ITER_NATIVE, look, &found);
  if (found.what)
    throw Foreign(file_->path + ": /" + found.name + ": " + found.what + ", which is not read");
  require(end >= 0, "cannot be listed");
}

void File::flush() const {
  quiet();
  require(H5Fflush(id_.get(), H5F_SCOPE_LOCAL) >= 0, "cannot write");
}

void File::close() {
  const bool good = id_.reset();
  require(good, "cannot write");
}

void File::abandon() noexcept {
  if (!is_open()) return;
  if (!file_->error) file_->error = ECANCELED;
  file_->reserve.reset();  // HDF5 needs memory to close, and crashes without it
  id_.reset();
}

// -- Group

template <typename Member>
Member Group::member(std::int64_t id, const std::string& name, std::string_view what) const {
  Member found(Handle(id), file_, (path_ == "/" ? path_ : path_ + "/") + name);
  found.require(id >= 0, what);
  return found;
}

bool Group::has(const std::string& name) const {
  quiet();
  for (std::size_t end = 0; end != std::string::npos;) {  // every part of a path must exist
    end = name.find('/', end + 1);
    const bool there = H5Lexists(id_.get(), name.substr(0, end).c_str(), H5P_DEFAULT) > 0;
    require(true, "cannot be read");
    if (!there) return false;
  }
  return true;
}

bool Group::is_group(const std::string& name) const {
  quiet();
  H5O_info_t member{};
  if (H5Oget_info_by_name2(id_.get(), name.c_str(), &member, H5O_INFO_BASIC, H5P_DEFAULT) < 0)
    fail("cannot open " + name);
  return member.type == H5O_TYPE_GROUP;
}

std::vector<std::string> Group::names() const {
  quiet();
  std::vector<std::string> result;
  const auto add = [](hid_t, const char* name, const H5L_info_t*, void* data) -> herr_t {
    static_cast<std::vector<std::string>*>(data)->emplace_back(name);
    return 0;
  };
  if (H5Literate(id_.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &result) < 0)
    fail("cannot be listed");
  return result;
}

std::int64_t Group::integer_of(const std::string& name, const std::string& attribute) const {
  quiet();
  std::int64_t value = 0;
  const Handle found(
      H5Aopen_by_name(id_.get(), name.c_str(), attribute.c_str(), H5P_DEFAULT, H5P_DEFAULT));
  if (!read_number(found.get(), H5T_NATIVE_INT64, &value))
    fail("no attribute " + attribute + " of " + name);
  return value;
}

Group Group::create_group(const std::string& name) const {
  quiet();
  return member<Group>(H5Gcreate2(id_.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                       name, "cannot create");
}

Group Group::group(const std::string& name) const {
  quiet();
  return member<Group>(H5Gopen2(id_.get(), name.c_str(), H5P_DEFAULT), name, "cannot open");
}

Dataset Group::dataset(const std::string& name) const {
  quiet();
  return member<Dataset>(H5Dopen2(id_.get(), name.c_str(), H5P_DEFAULT), name, "cannot open");
}

Dataset Group::make(const std::string& name, std::int64_t type, const Handle& space,
                    const Handle& layout) const {
  return member<Dataset>(H5Dcreate2(id_.get(), name.c_str(), type, space.get(), H5P_DEFAULT,
                                    layout.get(), H5P_DEFAULT),
                         name, "cannot create");
}

Dataset Group::create(const std::string& name, Table table) const {
  quiet();
  const int rank = table.columns ? 2 : 1;
  const std::array<hsize_t, 2> size{0, table.columns}, limit{H5S_UNLIMITED, table.columns},
      chunk{std::max<std::size_t>(table.chunk, 1), table.columns};
  return make(name, on_disk(table.type), Handle(H5Screate_simple(rank, size.data(), limit.data())),
              layout_of(rank, chunk.data(), table.gzip));
}

Dataset Group::write(const std::string& name, Type type, const void* values, std::size_t count,
                     std::size_t columns, bool compressed) const {
  quiet();
  const std::array<hsize_t, 2> size{columns ? count / columns : count, columns};
  const hsize_t chunk = std::min<std::size_t>(count, 1 << 16);
  const bool chunked = compressed && count > 0;
  Dataset made =
      make(name, on_disk(type), Handle(H5Screate_simple(columns ? 2 : 1, size.data(), nullptr)),
           layout_of(1, chunked ? &chunk : nullptr, chunked ? 6 : 0));
  if (count > 0) made.write_all(in_memory(type), values);
  return made;
}

Dataset Group::write(const std::string& name, std::string_view text) const {
  quiet();
  const std::string bytes(text);
  const Handle type = text_type(text.size());
  Dataset made = make(name, type.get(), Handle(H5Screate(H5S_SCALAR)), layout_of(0, nullptr, 0));
  made.write_all(type.get(), bytes.c_str());
  return made;
}

void Group::remove(const std::string& name) const {
  quiet();
  if (H5Ldelete(id_.get(), name.c_str(), H5P_DEFAULT) < 0 && !set_aside(name))
    fail("cannot remove " + name);
}

/// A damaged object cannot be freed. The group that contains it is renamed, and a new group with
/// the old name receives the other members.
bool Group::set_aside(const std::string& name) const {
  const std::size_t slash = name.rfind('/');
  if (slash == std::string::npos || slash == 0) return false;
  const std::string group = name.substr(0, slash), gone = name.substr(slash + 1);
  std::string aside = group + "-damaged";
  for (int k = 2; has(aside); ++k) aside = group + "-damaged-" + std::to_string(k);
  if (H5Lmove(id_.get(), group.c_str(), id_.get(), aside.c_str(), H5P_DEFAULT, H5P_DEFAULT) < 0)
    return false;
  create_group(group);
  for (const std::string& member : this->group(aside).names())
    if (member != gone)  // another damaged member is not moved
      H5Lcreate_hard(id_.get(), (aside + "/" + member).c_str(), id_.get(),
                     (group + "/" + member).c_str(), H5P_DEFAULT, H5P_DEFAULT);
  return true;
}

void Group::rename(const std::string& from, const std::string& to) const {
  quiet();
  if (H5Lmove(id_.get(), from.c_str(), id_.get(), to.c_str(), H5P_DEFAULT, H5P_DEFAULT) < 0)
    fail("cannot rename " + from);
}

void Group::link(const std::string& target, const std::string& name) const {
  quiet();
  if (H5Lcreate_hard(id_.get(), target.c_str(), id_.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT) <
      0)
    fail("cannot link " + name);
}

bool many_threads() {
  hbool_t safe = 0;
  return H5is_library_threadsafe(&safe) >= 0 && safe != 0;
}

std::string escaped(std::string_view name) {
  std::string result;
  for (const char c : name) {
    const bool first = result.empty();
    result += c == '/' ? "%2F" : c == '%' ? "%25" : c == '.' && first ? "%2E" : std::string(1, c);
  }
  return result;
}

}  // namespace saltus::h5
