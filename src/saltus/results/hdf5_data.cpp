// Datasets and groups.
#include <zlib.h>

#include <array>
#include <cstring>
#include <utility>

#include "saltus/results/hdf5_internal.h"

namespace saltus::h5 {
namespace {

int close_group(std::int64_t id) { return H5Gclose(id); }
int close_dataset(std::int64_t id) { return H5Dclose(id); }
Handle file_of(hid_t object) {
  return {H5Iget_file_id(object), [](std::int64_t id) -> int { return H5Fclose(id); }};
}

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

/// Elements of an array of these dimensions, or the largest number where they are more.
std::uint64_t product(const std::array<hsize_t, H5S_MAX_RANK>& dimensions, int rank) {
  std::uint64_t count = 1;
  for (int i = 0; i < rank && i < H5S_MAX_RANK; ++i) {
    const std::uint64_t size = dimensions[static_cast<std::size_t>(i)];
    if (size == 0) return 0;
    count = count > UINT64_MAX / size ? UINT64_MAX : count * size;
  }
  return count;
}

#if H5_VERSION_GE(1, 10, 5)
/// What a dataset does to its chunks.
struct Filters {
  unsigned deflate = 0, others = 0;  ///< one bit each; `others` beside shuffle and checksums
};

Filters filters_of(hid_t layout) {
  Filters filters;
  for (int k = 0; k < H5Pget_nfilters(layout); ++k) {
    unsigned flags = 0;
    std::size_t values = 0;
    const H5Z_filter_t kind = H5Pget_filter2(layout, static_cast<unsigned>(k), &flags, &values,
                                             nullptr, 0, nullptr, nullptr);
    if (kind == H5Z_FILTER_DEFLATE && filters.deflate == 0)
      filters.deflate = 1U << k;
    else if (kind != H5Z_FILTER_SHUFFLE && kind != H5Z_FILTER_FLETCHER32)
      filters.others |= 1U << k;
  }
  return filters;
}

/// Whether deflated bytes unpack to `bytes` or more.
bool unpacks_to(std::span<unsigned char> packed, std::uint64_t bytes) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return false;
  std::array<unsigned char, 1 << 15> unpacked;
  stream.next_in = packed.data();
  stream.avail_in = static_cast<uInt>(packed.size());
  int state = Z_OK;
  while (state == Z_OK && stream.total_out < bytes) {
    stream.next_out = unpacked.data();
    stream.avail_out = static_cast<uInt>(unpacked.size());
    state = inflate(&stream, Z_NO_FLUSH);
  }
  inflateEnd(&stream);
  return stream.total_out >= bytes;
}

/// A chunk as it is in the file.
struct StoredChunk {
  std::array<hsize_t, H5S_MAX_RANK> offset{};
  unsigned skipped = 0;  ///< filters that were not applied, one bit each
  haddr_t address = 0;
  hsize_t size = 0;
};

/// False where a chunk holds fewer than the `bytes` of its dimensions, packed or as it is: the library (1.10) reads beyond its end.
/// Filters of which that cannot be told are not used by the formats that are read.
bool holds(hid_t data, const Filters& filters, const StoredChunk& chunk, std::uint64_t bytes,
           std::uint64_t stored) {
  if (chunk.address == HADDR_UNDEF) return true;
  if (chunk.size > stored || (filters.others & ~chunk.skipped) != 0) return false;
  if ((filters.deflate & ~chunk.skipped) == 0) return chunk.size >= bytes;
  std::vector<unsigned char> packed(chunk.size);
  std::uint32_t mask = 0;
  return H5Dread_chunk(data, H5P_DEFAULT, chunk.offset.data(), &mask, packed.data()) >= 0 &&
         unpacks_to(packed, bytes);
}
#endif

/// True where all chunks of `bytes` are whole.
bool chunks_whole(hid_t data, hid_t layout, std::uint64_t bytes, std::uint64_t stored) {
#if H5_VERSION_GE(1, 10, 5)
  const Filters filters = filters_of(layout);
  const Handle space(H5Dget_space(data), close_space);
  constexpr hsize_t kMost = 10'000;  // finding one takes a walk over those before
  hsize_t count = 0;
  if (H5Dget_num_chunks(data, space.get(), &count) < 0) return false;
  for (hsize_t k = 0; k < std::min(count, kMost); ++k) {
    StoredChunk chunk;
    if (H5Dget_chunk_info(data, space.get(), k, chunk.offset.data(), &chunk.skipped, &chunk.address,
                          &chunk.size) < 0 ||
        !holds(data, filters, chunk, bytes, stored))
      return false;
  }
#else
  static_cast<void>(data), static_cast<void>(layout), static_cast<void>(bytes);
  static_cast<void>(stored);
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

void Dataset::expect_columns(std::size_t expected) const {
  if (const std::size_t found = columns(); found != expected)
    throw Error(label() + ": has rows of " + std::to_string(found) + " numbers, not of " +
                std::to_string(expected));
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
  expect_whole_rows(count, width);
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

/// How long rows are is the file's, which may be damaged.
void Dataset::expect_whole_rows(std::size_t count, std::size_t columns) const {
  if (columns == 0 || count % columns != 0)
    throw Error(label() + ": has rows of " + std::to_string(columns) +
                " numbers, not of those written");
}

void Dataset::truncate(std::size_t count) {
  quiet();
  constexpr std::uint64_t kMost = 1 << 24;  // numbers: all chunks are visited, written or not
  const std::size_t before = rows();
  if (count > before) throw Error(label() + ": rows are missing");
  const Extent extent = declared();
  if (extent.count > kMost && !extent.whole()) fail("holds less than it declares");
  // the chunk that is cut is read and filled up: the library writes beyond the end of one that is too short
  if (count < before && extent.chunk > 0) expect_chunks(count, 1, extent.stored);
  const std::array<hsize_t, 2> size{count, columns()};
  file_->growing.erase(path_);
  if (H5Dset_extent(id_.get(), size.data()) < 0) fail("cannot shorten");
}

/// Numbers in `count` rows from `first` on. Throws where the file does not hold them: nothing is allocated for what is
/// only declared, and the library (1.10) reads beyond the end of a chunk that is shorter than its dimensions.
std::size_t Dataset::held(std::size_t first, std::size_t count) const {
  const std::size_t height = rows(), width = columns();
  if (count > height || first > height - count) throw Error(label() + ": rows are missing");
  if (count == 0 || width == 0) return 0;
  const Extent extent = declared();
  if (extent.count / width != height || !extent.whole()) fail("holds less than it declares");
  if (extent.chunk > 0) expect_chunks(first, count, extent.stored);
  return count * width;
}

/// Of those that are read: they are found by their place, a walk over all of them would take longer than reading.
void Dataset::expect_chunks(std::size_t first, std::size_t count, std::uint64_t stored) const {
#if H5_VERSION_GE(1, 10, 5)
  const Handle layout(H5Dget_create_plist(id_.get()), close_list),
      type(H5Dget_type(id_.get()), close_type);
  const Filters filters = filters_of(layout.get());
  std::array<hsize_t, 2> size{1, 1};
  if (H5Pget_chunk(layout.get(), 2, size.data()) < 1 || size[0] == 0 || size[1] == 0)
    fail("cannot be read");
  const std::uint64_t bytes = size[0] * size[1] * H5Tget_size(type.get());
  const std::size_t width = columns();
  for (hsize_t row = first / size[0] * size[0]; row < first + count; row += size[0])
    for (hsize_t column = 0; column < width; column += size[1]) {
      StoredChunk chunk;
      chunk.offset[0] = row;
      chunk.offset[1] = column;
      if (H5Dget_chunk_info_by_coord(id_.get(), chunk.offset.data(), &chunk.skipped, &chunk.address,
                                     &chunk.size) < 0)
        fail("cannot be read");
      if (!holds(id_.get(), filters, chunk, bytes, stored)) fail("holds less than it declares");
    }
#else
  static_cast<void>(first), static_cast<void>(count), static_cast<void>(stored);
#endif
}

void Dataset::read_raw(std::int64_t type, std::size_t first, std::size_t count,
                       void* values) const {
  quiet();
  const std::array<hsize_t, 2> start{first, 0}, size{count, columns()};
  if (size[0] == 0 || size[1] == 0) return;
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
  std::vector<double> values(held(first, count));
  read_raw(H5T_NATIVE_DOUBLE, first, count, values.data());
  return values;
}

std::vector<std::int32_t> Dataset::integers() const {
  std::vector<std::int32_t> values(held(0, rows()));
  read_raw(H5T_NATIVE_INT32, 0, rows(), values.data());
  return values;
}

std::vector<std::uint64_t> Dataset::counts() const {
  std::vector<std::uint64_t> values(held(0, rows()));
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
  Extent extent = declared();
  const Handle layout(H5Dget_create_plist(id_.get()), close_list);
  extent.torn = extent.chunk > 0 && extent.count > 0 && extent.whole() &&
                !chunks_whole(id_.get(), layout.get(), extent.chunk * extent.size, extent.stored);
  require(true, "cannot be read");
  return extent;
}

/// extent() without a look at the chunks.
Extent Dataset::declared() const {
  quiet();
  const Handle space(H5Dget_space(id_.get()), close_space),
      type(H5Dget_type(id_.get()), close_type), layout(H5Dget_create_plist(id_.get()), close_list);
  std::array<hsize_t, H5S_MAX_RANK> dimensions{};
  const int rank = H5Sget_simple_extent_dims(space.get(), dimensions.data(), nullptr);
  if (rank < 0 || type.get() < 0 || layout.get() < 0) fail("cannot be read");
  Extent extent;
  extent.count = rank > 0 ? product(dimensions, rank)  // the library has it modulo 2^64
                          : static_cast<std::uint64_t>(H5Sget_simple_extent_npoints(space.get()));
  extent.size = H5Tget_size(type.get());
  extent.stored = H5Dget_storage_size(id_.get());
  hsize_t file = 0;  // asked of the library: a file that grows may have another name by now
  if (H5Fget_filesize(file_of(id_.get()).get(), &file) >= 0)
    extent.stored = std::min<std::uint64_t>(extent.stored, file);
  if (H5Pget_layout(layout.get()) == H5D_CHUNKED) {
    std::array<hsize_t, H5S_MAX_RANK> chunk{};
    extent.chunk = product(chunk, H5Pget_chunk(layout.get(), H5S_MAX_RANK, chunk.data()));
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
      H5Aopen_by_name(id_.get(), name.c_str(), attribute.c_str(), H5P_DEFAULT, H5P_DEFAULT),
      [](std::int64_t id) -> int { return H5Aclose(id); });
  const Handle space(found.get() < 0 ? -1 : H5Aget_space(found.get()), close_space);
  if (H5Sget_simple_extent_npoints(space.get()) != 1 ||  // more would be written behind `value`
      H5Aread(found.get(), H5T_NATIVE_INT64, &value) < 0)
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
  const Handle layout(H5Dget_create_plist(found.id_.get()), close_list);
  if (H5Pget_external_count(layout.get()) > 0 || H5Pget_layout(layout.get()) == H5D_VIRTUAL)
    throw Foreign(found.label() + ": has its data in another file, which is not read");
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
  if (H5Ldelete(id_.get(), name.c_str(), H5P_DEFAULT) < 0 && !set_aside(name))
    fail("cannot remove " + name);
}

/// A damaged object cannot be freed. The group that holds it gets another name, and a new one in its place the other members.
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
    if (member != gone)  // one that is damaged too stays behind
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

}  // namespace saltus::h5
