// Datasets and groups.
#include <array>
#include <cstring>
#include <filesystem>
#include <utility>

#include "saltus/io/hdf5_internal.h"

namespace saltus::h5 {
namespace {

int close_group(std::int64_t id) { return H5Gclose(id); }
int close_object(std::int64_t id) { return H5Oclose(id); }
int close_dataset(std::int64_t id) { return H5Dclose(id); }

hid_t disk_type(Type type) {
  switch (type) {
    case Type::real64:
      return H5T_IEEE_F64LE;
    case Type::int32:
      return H5T_STD_I32LE;
    case Type::uint64:
      return H5T_STD_U64LE;
  }
  return H5T_IEEE_F64LE;
}

/// How datasets are made: without times, so that equal tables are equal bytes.
Handle timeless() {
  Handle layout(H5Pcreate(H5P_DATASET_CREATE), close_list);
  H5Pset_obj_track_times(layout.get(), false);
  return layout;
}

/// The layout of a column of `count` numbers, shuffled and deflated.
Handle compressed(std::size_t count) {
  Handle layout = timeless();
  if (count == 0) return layout;
  const hsize_t chunk = std::min<std::size_t>(count, 1 << 16);
  H5Pset_chunk(layout.get(), 1, &chunk);
  H5Pset_shuffle(layout.get());
  H5Pset_deflate(layout.get(), 6);
  return layout;
}

/// False where a chunk that is stored as it is, or shuffled only, is shorter than its dimensions: the library (1.10)
/// reads beyond its end. `bytes`: of a chunk.
bool chunks_whole(hid_t data, hid_t layout, std::uint64_t bytes) {
#if H5_VERSION_GE(1, 10, 5)
  unsigned shrinking = 0;  // filters that change the size, one bit each
  for (int k = 0; k < H5Pget_nfilters(layout); ++k) {
    unsigned flags = 0;
    std::size_t values = 0;
    if (H5Pget_filter2(layout, static_cast<unsigned>(k), &flags, &values, nullptr, 0, nullptr,
                       nullptr) != H5Z_FILTER_SHUFFLE)
      shrinking |= 1U << k;
  }
  const Handle space(H5Dget_space(data), close_space);
  constexpr hsize_t kMost = 10'000;  // finding one takes a walk over those before
  hsize_t count = 0;
  if (H5Dget_num_chunks(data, space.get(), &count) < 0) return false;
  std::array<hsize_t, H5S_MAX_RANK> offset{};
  for (hsize_t k = 0; k < std::min(count, kMost); ++k) {
    unsigned skipped = 0;
    haddr_t address = 0;
    hsize_t size = 0;
    if (H5Dget_chunk_info(data, space.get(), k, offset.data(), &skipped, &address, &size) < 0)
      return false;
    if ((shrinking & ~skipped) == 0 && size < bytes) return false;
  }
#else
  static_cast<void>(data), static_cast<void>(layout), static_cast<void>(bytes);
#endif
  return true;
}

}  // namespace

// -- Dataset

std::size_t Dataset::rows() const {
  quiet();
  const Handle space(H5Dget_space(id_.get()), close_space);
  std::array<hsize_t, 2> size{1, 1};
  const int rank = H5Sget_simple_extent_ndims(space.get());
  if (rank < 0 || rank > 2 || H5Sget_simple_extent_dims(space.get(), size.data(), nullptr) < 0)
    fail("is not a table");
  return static_cast<std::size_t>(size[0]);
}

std::size_t Dataset::columns() const {
  quiet();
  const Handle space(H5Dget_space(id_.get()), close_space);
  std::array<hsize_t, 2> size{1, 1};
  const int rank = H5Sget_simple_extent_ndims(space.get());
  if (rank < 0 || rank > 2 || H5Sget_simple_extent_dims(space.get(), size.data(), nullptr) < 0)
    fail("is not a table");
  return rank == 2 ? static_cast<std::size_t>(size[1]) : 1;
}

void Dataset::append(std::span<const double> values) {
  append_raw(H5T_NATIVE_DOUBLE, values.data(), values.size());
}
void Dataset::append(std::span<const std::int32_t> values) {
  append_raw(H5T_NATIVE_INT32, values.data(), values.size());
}
void Dataset::append(std::span<const std::uint64_t> values) {
  append_raw(H5T_NATIVE_UINT64, values.data(), values.size());
}

void Dataset::append_raw(std::int64_t type, const void* values, std::size_t count) {
  quiet();
  if (count == 0 || append_chunks(type, values, count)) return;
  const std::size_t width = columns(), before = rows();
  expects(width > 0 && count % width == 0, "h5::Dataset::append: whole rows only");
  const std::array<hsize_t, 2> start{before, 0}, added{count / width, width};
  const std::array<hsize_t, 2> size{before + count / width, width};
  Handle target(H5Dget_space(id_.get()), close_space);
  const int rank = H5Sget_simple_extent_ndims(target.get());
  if (H5Dset_extent(id_.get(), size.data()) < 0) fail("cannot grow");
  target = Handle(H5Dget_space(id_.get()), close_space);
  const Handle source(H5Screate_simple(rank, added.data(), nullptr), close_space);
  require(H5Sselect_hyperslab(target.get(), H5S_SELECT_SET, start.data(), nullptr, added.data(),
                              nullptr) >= 0 &&
              H5Dwrite(id_.get(), type, source.get(), target.get(), H5P_DEFAULT, values) >= 0,
          "cannot write");
}

void Dataset::truncate(std::size_t count) {
  quiet();
  expects(count <= rows(), "h5::Dataset::truncate cannot add rows");
  const std::array<hsize_t, 2> size{count, columns()};
  file_->growing.erase(path_);
  if (H5Dset_extent(id_.get(), size.data()) < 0) fail("cannot shorten");
}

void Dataset::read_raw(std::int64_t type, std::size_t first, std::size_t count,
                       void* values) const {
  quiet();
  if (count == 0) return;
  const std::array<hsize_t, 2> start{first, 0}, size{count, columns()};
  const Handle source(H5Dget_space(id_.get()), close_space);
  const int rank = H5Sget_simple_extent_ndims(source.get());
  if (rank == 0) fail("is not a table");
  const Handle target(H5Screate_simple(rank, size.data(), nullptr), close_space);
  if (H5Sselect_hyperslab(source.get(), H5S_SELECT_SET, start.data(), nullptr, size.data(),
                          nullptr) < 0 ||
      H5Dread(id_.get(), type, target.get(), source.get(), H5P_DEFAULT, values) < 0)
    fail("cannot read");
}

std::vector<double> Dataset::reals() const { return reals(0, rows()); }

std::vector<double> Dataset::reals(std::size_t first, std::size_t count) const {
  expects(first + count <= rows(), "h5::Dataset::reals beyond the end");
  std::vector<double> values(count * columns());
  read_raw(H5T_NATIVE_DOUBLE, first, count, values.data());
  return values;
}

std::vector<std::int32_t> Dataset::integers() const {
  std::vector<std::int32_t> values(rows() * columns());
  read_raw(H5T_NATIVE_INT32, 0, rows(), values.data());
  return values;
}

std::vector<std::uint64_t> Dataset::counts() const {
  std::vector<std::uint64_t> values(rows() * columns());
  read_raw(H5T_NATIVE_UINT64, 0, rows(), values.data());
  return values;
}

std::string Dataset::text() const {
  quiet();
  const Handle stored(H5Dget_type(id_.get()), close_type);
  if (H5Tget_class(stored.get()) != H5T_STRING || H5Tis_variable_str(stored.get()) != 0 ||
      rows() != 1)
    fail("is not a text");
  if (!extent().whole()) fail("holds less than it declares");
  std::string value(H5Tget_size(stored.get()), '\0');
  // by its own type: the library converts between no two sets of characters
  if (H5Dread(id_.get(), stored.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, value.data()) < 0)
    fail("cannot read");
  value.resize(std::strlen(value.c_str()));
  return value;
}

bool Extent::whole() const {
  constexpr std::uint64_t kShrink = 1100, kSlack = 1 << 16;  // deflate: 1032 at most
  if (torn) return false;
  if (count == 0 || size == 0) return true;
  if (chunk == 0) return count <= stored / size;  // contiguous or compact: as it is in memory
  const bool any = stored > (UINT64_MAX - kSlack) / kShrink;
  const std::uint64_t room = any ? UINT64_MAX : kShrink * stored + kSlack;
  return stored > 0 && std::max(count, chunk) <= room / size;
}

Extent Dataset::extent() const {
  quiet();
  const Handle space(H5Dget_space(id_.get()), close_space),
      type(H5Dget_type(id_.get()), close_type), layout(H5Dget_create_plist(id_.get()), close_list);
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  if (count < 0 || type.get() < 0 || layout.get() < 0) fail("cannot be read");
  Extent extent;
  extent.count = static_cast<std::uint64_t>(count);
  extent.size = H5Tget_size(type.get());
  std::error_code error;
  const std::uint64_t file = std::filesystem::file_size(file_->path, error);
  extent.stored = std::min<std::uint64_t>(H5Dget_storage_size(id_.get()), error ? 0 : file);
  if (H5Pget_layout(layout.get()) == H5D_CHUNKED) {
    std::array<hsize_t, H5S_MAX_RANK> chunk{};
    const int rank = H5Pget_chunk(layout.get(), H5S_MAX_RANK, chunk.data());
    extent.chunk = 1;
    for (int i = 0; i < rank && i < H5S_MAX_RANK; ++i) {
      const std::uint64_t size = chunk[static_cast<std::size_t>(i)];
      extent.chunk = size && extent.chunk > UINT64_MAX / size ? UINT64_MAX : extent.chunk * size;
    }
    extent.torn = extent.count > 0 && extent.whole() &&
                  !chunks_whole(id_.get(), layout.get(), extent.chunk * extent.size);
  }
  require(true, "cannot be read");
  switch (H5Tget_class(type.get())) {
    case H5T_INTEGER:
      extent.kind = Extent::Kind::integer;
      break;
    case H5T_FLOAT:
      extent.kind = Extent::Kind::real;
      break;
    case H5T_STRING:
      extent.kind = Extent::Kind::text;
      break;
    default:
      break;
  }
  return extent;
}

void Dataset::read(std::span<double> values) const {
  read_all(H5T_NATIVE_DOUBLE, values.data(), values.size());
}
void Dataset::read(std::span<std::int32_t> values) const {
  read_all(H5T_NATIVE_INT32, values.data(), values.size());
}

void Dataset::read_all(std::int64_t type, void* values, std::size_t count) const {
  quiet();
  const Handle space(H5Dget_space(id_.get()), close_space);
  if (H5Sget_simple_extent_npoints(space.get()) != static_cast<hssize_t>(count))
    fail("has another number of elements");
  if (count > 0 && H5Dread(id_.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
    fail("cannot read");
}

// -- Group

std::string Group::child(const std::string& name) const {
  return (path_ == "/" ? path_ : path_ + "/") + name;
}

bool Group::has(const std::string& name) const {
  quiet();
  for (std::size_t end = 0;
       end != std::string::npos;) {  // H5Lexists wants every part of a path to exist
    end = name.find('/', end + 1);
    const bool there = H5Lexists(id_.get(), name.substr(0, end).c_str(), H5P_DEFAULT) > 0;
    require(true, "cannot be read");
    if (!there) return false;
  }
  return true;
}

bool Group::is_group(const std::string& name) const {
  quiet();
  const Handle member(H5Oopen(id_.get(), name.c_str(), H5P_DEFAULT), close_object);
  if (member.get() < 0) fail("cannot open " + name);
  return H5Iget_type(member.get()) == H5I_GROUP;
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
      H5Aopen_by_name(id_.get(), name.c_str(), attribute.c_str(), H5P_DEFAULT, H5P_DEFAULT),
      [](std::int64_t id) -> int { return H5Aclose(id); });
  if (found.get() < 0 || H5Aread(found.get(), H5T_NATIVE_INT64, &value) < 0)
    fail("no attribute " + attribute + " of " + name);
  return value;
}

Group Group::create_group(const std::string& name) const {
  quiet();
  Group made(Handle(H5Gcreate2(id_.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                    close_group),
             file_, child(name));
  if (made.id_.get() < 0) made.fail("cannot create");
  return made;
}

Group Group::group(const std::string& name) const {
  quiet();
  Group found(Handle(H5Gopen2(id_.get(), name.c_str(), H5P_DEFAULT), close_group), file_,
              child(name));
  if (found.id_.get() < 0) found.fail("cannot open");
  return found;
}

Dataset Group::dataset(const std::string& name) const {
  quiet();
  Dataset found(Handle(H5Dopen2(id_.get(), name.c_str(), H5P_DEFAULT), close_dataset), file_,
                child(name));
  if (found.id_.get() < 0) found.fail("cannot open");
  return found;
}

Dataset Group::create(const std::string& name, Table table) const {
  quiet();
  const int rank = table.columns ? 2 : 1;
  const std::array<hsize_t, 2> size{0, table.columns}, limit{H5S_UNLIMITED, table.columns};
  const std::array<hsize_t, 2> chunk{std::max<std::size_t>(table.chunk, 1), table.columns};
  const Handle space(H5Screate_simple(rank, size.data(), limit.data()), close_space);
  const Handle layout = timeless();
  H5Pset_chunk(layout.get(), rank, chunk.data());
  if (table.gzip > 0) {
    H5Pset_shuffle(layout.get());
    H5Pset_deflate(layout.get(), static_cast<unsigned>(table.gzip));
  }
  Dataset made(Handle(H5Dcreate2(id_.get(), name.c_str(), disk_type(table.type), space.get(),
                                 H5P_DEFAULT, layout.get(), H5P_DEFAULT),
                      close_dataset),
               file_, child(name));
  if (made.id_.get() < 0) made.fail("cannot create");
  return made;
}

Dataset Group::write_raw(const std::string& name, std::int64_t stored, std::int64_t type,
                         const void* values, std::size_t count, std::size_t width,
                         std::int64_t layout) const {
  const std::array<hsize_t, 2> size{width ? count / width : count, width};
  const Handle space(H5Screate_simple(width ? 2 : 1, size.data(), nullptr), close_space);
  const Handle plain = timeless();
  if (layout == 0) layout = plain.get();
  Dataset made(Handle(H5Dcreate2(id_.get(), name.c_str(), stored, space.get(), H5P_DEFAULT, layout,
                                 H5P_DEFAULT),
                      close_dataset),
               file_, child(name));
  if (made.id_.get() < 0) made.fail("cannot create");
  made.require(
      count == 0 || H5Dwrite(made.id_.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0,
      "cannot write");
  return made;
}

Dataset Group::write(const std::string& name, std::span<const double> values,
                     std::size_t width) const {
  quiet();
  return write_raw(name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values.data(), values.size(), width);
}

Dataset Group::write(const std::string& name, std::span<const std::int32_t> values,
                     std::size_t width) const {
  quiet();
  return write_raw(name, H5T_STD_I32LE, H5T_NATIVE_INT32, values.data(), values.size(), width);
}

Dataset Group::write(const std::string& name, std::span<const std::uint64_t> values,
                     std::size_t width) const {
  quiet();
  return write_raw(name, H5T_STD_U64LE, H5T_NATIVE_UINT64, values.data(), values.size(), width);
}

Dataset Group::write(const std::string& name, std::string_view text) const {
  quiet();
  const Handle type = text_type(text.size());
  const std::string bytes(text);
  const Handle space(H5Screate(H5S_SCALAR), close_space);
  Dataset made(Handle(H5Dcreate2(id_.get(), name.c_str(), type.get(), space.get(), H5P_DEFAULT,
                                 timeless().get(), H5P_DEFAULT),
                      close_dataset),
               file_, child(name));
  if (made.id_.get() < 0) made.fail("cannot create");
  made.require(
      H5Dwrite(made.id_.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.c_str()) >= 0,
      "cannot write");
  return made;
}

Dataset Group::write_compressed(const std::string& name, std::span<const double> values) const {
  quiet();
  return write_raw(name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values.data(), values.size(), 0,
                   compressed(values.size()).get());
}

Dataset Group::write_compressed(const std::string& name,
                                std::span<const std::int32_t> values) const {
  quiet();
  return write_raw(name, H5T_STD_I32LE, H5T_NATIVE_INT32, values.data(), values.size(), 0,
                   compressed(values.size()).get());
}

void Group::remove(const std::string& name) const {
  quiet();
  if (H5Ldelete(id_.get(), name.c_str(), H5P_DEFAULT) < 0) fail("cannot remove " + name);
}

void Group::link(const std::string& target, const std::string& name) const {
  quiet();
  if (H5Lcreate_hard(id_.get(), target.c_str(), id_.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT) <
      0)
    fail("cannot link " + name);
}

}  // namespace saltus::h5
