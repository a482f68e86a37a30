// Datasets. The library (1.10) reads beyond the end of chunks and compact data that are shorter
// than their dimensions, so sizes are checked before reading.
#include <zlib.h>

#include <cstring>

#include "saltus/results/hdf5_internal.h"
#include "saltus/results/row_sum.h"

namespace saltus::h5 {
namespace {

/// Number of elements of an array with these dimensions, or the largest integer on overflow.
std::uint64_t product(const std::array<hsize_t, H5S_MAX_RANK>& dimensions, int rank) {
  std::uint64_t count = 1;
  for (int i = 0; i < rank; ++i) {
    const std::uint64_t size = dimensions[static_cast<std::size_t>(i)];
    if (size == 0) return 0;
    count = count > UINT64_MAX / size ? UINT64_MAX : count * size;
  }
  return count;
}

/// False if a chunk contains fewer than the `bytes` of its dimensions, compressed or not, or if it
/// uses filters for which this is unknown; files of Saltus use none of them.
bool chunk_whole(hid_t data, hid_t layout, const hsize_t* offset, std::uint64_t bytes,
                 std::uint64_t stored) {
  unsigned skipped = 0;  // filters that were not applied, one bit each
  haddr_t address = 0;
  hsize_t size = 0;
  if (H5Dget_chunk_info_by_coord(data, offset, &skipped, &address, &size) < 0) return false;
  if (address == HADDR_UNDEF) return true;
  if (size > stored) return false;
  bool packed = false;
  for (int k = 0; k < H5Pget_nfilters(layout); ++k) {
    std::size_t none = 0;
    unsigned flags = 0;
    const H5Z_filter_t filter = H5Pget_filter2(layout, static_cast<unsigned>(k), &flags, &none,
                                               nullptr, 0, nullptr, nullptr);
    if ((skipped >> k & 1) != 0 || filter == H5Z_FILTER_SHUFFLE || filter == H5Z_FILTER_FLETCHER32)
      continue;
    if (filter != H5Z_FILTER_DEFLATE || packed) return false;
    packed = true;
  }
  if (!packed) return size >= bytes;
  std::vector<Bytef> in(size), out(bytes);
  uLongf unpacked = out.size();
  std::uint32_t mask = 0;
  if (H5Dread_chunk(data, H5P_DEFAULT, offset, &mask, in.data()) < 0) return false;
  const int end = uncompress(out.data(), &unpacked, in.data(), in.size());
  return (end == Z_OK || end == Z_BUF_ERROR) && unpacked == bytes;
}

/// The type in which numbers of 4 or 8 bytes are read without changing a bit; empty for other data.
std::optional<Type> stored_as(hid_t data) {
  const Handle stored(H5Dget_type(data));
  const std::size_t size = H5Tget_size(stored.get());
  const H5T_class_t kind = H5Tget_class(stored.get());
  if (kind == H5T_FLOAT && size == 8) return Type::real64;
  if (kind == H5T_INTEGER && size == 8) return Type::uint64;
  if (kind == H5T_INTEGER && size == 4) return Type::int32;
  return {};
}

/// The space of a dataset in the file, with these rows selected.
Handle rows_in_file(hid_t data, std::size_t first, std::array<hsize_t, 2> size) {
  Handle space(H5Dget_space(data));
  const std::array<hsize_t, 2> start{first, 0};
  if (H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, size.data(),
                          nullptr) < 0)
    return {};
  return space;
}

Handle rows_in_memory(hid_t chosen, std::array<hsize_t, 2> size) {
  return Handle(H5Screate_simple(H5Sget_simple_extent_ndims(chosen), size.data(), nullptr));
}

}  // namespace

std::array<std::size_t, 2> Dataset::shape() const {
  quiet();
  const Handle space(H5Dget_space(id_.get()));
  std::array<hsize_t, 2> size{1, 1};
  const int rank = H5Sget_simple_extent_ndims(space.get());
  if (rank < 0 || rank > 2 || H5Sget_simple_extent_dims(space.get(), size.data(), nullptr) < 0)
    fail("is not a table");
  return {size[0], size[1]};
}

void Dataset::expect_columns(std::size_t expected) const {
  if (const std::size_t found = columns(); found != expected)
    throw Error(label() + ": has rows of " + std::to_string(found) + " numbers, not of " +
                std::to_string(expected));
}

void Dataset::append(Type type, const void* values, std::size_t count) {
  if (count == 0) return;
  const auto [before, width] = shape();
  if (width == 0 || count % width != 0)
    throw Error(label() + ": has rows of " + std::to_string(width) +
                " numbers, unlike the rows to be written");
  auto& sum = file_->sums.try_emplace(path_, before == 0 ? std::optional(kNoRows) : std::nullopt)
                  .first->second;
  if (stored_as(id_.get()) != type) sum.reset();
  if (sum) sum = added(*sum, size_of(type), values, count);
  const std::array<hsize_t, 2> size{count / width, width}, whole{before + size[0], width};
  if (H5Dset_extent(id_.get(), whole.data()) < 0) fail("cannot grow");
  const Handle target = rows_in_file(id_.get(), before, size),
               source = rows_in_memory(target.get(), size);
  require(
      H5Dwrite(id_.get(), in_memory(type), source.get(), target.get(), H5P_DEFAULT, values) >= 0,
      "cannot write");
}

void Dataset::write_all(std::int64_t type, const void* values) const {
  require(H5Dwrite(id_.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0, "cannot write");
}

void Dataset::truncate(std::size_t count) {
  constexpr std::uint64_t kMost = 1 << 24;  // numbers: all chunks are visited, written or not
  const auto [before, width] = shape();
  if (count > before) throw Error(label() + ": rows are missing");
  const Extent extent = declared();
  if (extent.count > kMost && !extent.whole()) fail("contains less data than declared");
  // the chunk that is cut is read and filled up
  if (count < before && !chunks_whole(count, 1, extent)) fail("contains less data than declared");
  const std::array<hsize_t, 2> size{count, width};
  file_->sums.erase(path_);
  if (H5Dset_extent(id_.get(), size.data()) < 0) fail("cannot shorten");
}

bool Dataset::holds_numbers() const {
  quiet();
  return stored_as(id_.get()).has_value();
}

std::optional<std::uint64_t> Dataset::kept_sum() const {
  const auto found = file_->sums.find(path_);
  if (found != file_->sums.end()) return found->second;
  return rows() == 0 ? std::optional(kNoRows) : std::nullopt;
}

/// Number of values in `count` rows starting with `first`. Throws if the file does not contain
/// them, so that no memory is allocated for data that are only declared.
std::size_t Dataset::held(std::size_t first, std::size_t count) const {
  const auto [height, width] = shape();
  if (count > height || first > height - count) throw Error(label() + ": rows are missing");
  if (count == 0 || width == 0) return 0;
  const Extent extent = declared();
  if (extent.count / width != height || !extent.whole() || !chunks_whole(first, count, extent))
    fail("contains less data than declared");
  return count * width;
}

template <typename Number>
std::vector<Number> Dataset::numbers(Type type, std::size_t first, std::size_t count) const {
  std::vector<Number> values(held(first, count) * size_of(type) / sizeof(Number));
  if (values.empty()) return values;
  const std::array<hsize_t, 2> size{count, columns()};
  const Handle source = rows_in_file(id_.get(), first, size),
               target = rows_in_memory(source.get(), size);
  if (H5Dread(id_.get(), in_memory(type), target.get(), source.get(), H5P_DEFAULT, values.data()) <
      0)
    fail("cannot read");
  return values;
}

std::uint64_t Dataset::sum(std::size_t rows) const {
  quiet();
  constexpr std::size_t kBlock = 1 << 17;  // numbers
  const std::optional<Type> type = stored_as(id_.get());
  if (!type) fail("is not a table of numbers");
  const std::size_t block = std::max<std::size_t>(1, kBlock / std::max<std::size_t>(columns(), 1));
  std::uint64_t sum = kNoRows;
  for (std::size_t first = 0; first < rows; first += block) {
    const auto values = numbers<char>(*type, first, std::min(block, rows - first));
    sum = added(sum, size_of(*type), values.data(), values.size() / size_of(*type));
  }
  return sum;
}

std::vector<double> Dataset::reals(std::size_t first, std::size_t count) const {
  return numbers<double>(Type::real64, first, count);
}
std::vector<std::int32_t> Dataset::integers() const {
  return numbers<std::int32_t>(Type::int32, 0, rows());
}
std::vector<std::uint64_t> Dataset::counts() const {
  return numbers<std::uint64_t>(Type::uint64, 0, rows());
}

void Dataset::read(Type type, void* values, std::size_t count) const {
  quiet();
  const Handle space(H5Dget_space(id_.get()));
  if (H5Sget_simple_extent_npoints(space.get()) != static_cast<hssize_t>(count))
    fail("has an unexpected number of elements");
  if (count > 0 && H5Dread(id_.get(), in_memory(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
    fail("cannot read");
}

std::string Dataset::text() const {
  quiet();
  const Handle stored(H5Dget_type(id_.get()));
  if (H5Tget_class(stored.get()) != H5T_STRING || H5Tis_variable_str(stored.get()) != 0 ||
      rows() != 1)
    fail("is not a text");
  if (!extent().whole()) fail("contains less data than declared");
  std::string value(H5Tget_size(stored.get()), '\0');
  // read as its own type: the library does not convert between character sets
  if (H5Dread(id_.get(), stored.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, value.data()) < 0)
    fail("cannot read");
  value.resize(std::strlen(value.c_str()));
  return value;
}

bool Extent::whole() const {
  constexpr std::uint64_t kShrink = 1100, kSlack = 1 << 16;  // deflate: at most 1032
  if (torn) return false;
  if (count == 0 || size == 0) return true;
  if (chunk == 0) return count <= stored / size;  // contiguous or compact: as in memory
  const bool any = stored > (UINT64_MAX - kSlack) / kShrink;
  return stored > 0 &&
         std::max(count, chunk) <= (any ? UINT64_MAX : kShrink * stored + kSlack) / size;
}

Extent Dataset::extent() const {
  Extent extent = declared();
  extent.torn = extent.torn || (extent.chunk > 0 && extent.count > 0 && extent.whole() &&
                                !chunks_whole(0, UINT64_MAX, extent));
  require(true, "cannot be read");
  return extent;
}

/// extent() without reading the chunks.
Extent Dataset::declared() const {
  quiet();
  const Handle space(H5Dget_space(id_.get())), type(H5Dget_type(id_.get())),
      layout(H5Dget_create_plist(id_.get())), file(H5Iget_file_id(id_.get()));
  std::array<hsize_t, H5S_MAX_RANK> dimensions{}, chunk{};
  const int rank = H5Sget_simple_extent_dims(space.get(), dimensions.data(), nullptr);
  if (rank < 0 || type.get() < 0 || layout.get() < 0) fail("cannot be read");
  const H5T_class_t kind = H5Tget_class(type.get());
  Extent extent;
  extent.kind = kind == H5T_INTEGER  ? Extent::Kind::integer
                : kind == H5T_FLOAT  ? Extent::Kind::real
                : kind == H5T_STRING ? Extent::Kind::text
                                     : Extent::Kind::other;
  extent.count = rank > 0 ? product(dimensions, rank)  // the library computes it modulo 2^64
                          : static_cast<std::uint64_t>(H5Sget_simple_extent_npoints(space.get()));
  extent.size = H5Tget_size(type.get());
  extent.stored = H5Dget_storage_size(id_.get());
  hsize_t all = 0;  // from the library, because a growing file may have been renamed
  if (H5Fget_filesize(file.get(), &all) >= 0)
    extent.stored = std::min<std::uint64_t>(extent.stored, all);
  if (H5Pget_layout(layout.get()) == H5D_CHUNKED) {
    extent.chunk = product(chunk, H5Pget_chunk(layout.get(), H5S_MAX_RANK, chunk.data()));
    extent.torn = extent.chunk == 0;
  }
  require(true, "cannot be read");
  return extent;
}

/// Checks the chunks with rows first .. first + count - 1, each found by its position: iterating
/// over all chunks takes longer than reading.
bool Dataset::chunks_whole(std::uint64_t first, std::uint64_t count, const Extent& extent) const {
  if (extent.chunk == 0) return !extent.torn;
  const Handle space(H5Dget_space(id_.get())), layout(H5Dget_create_plist(id_.get()));
  std::array<hsize_t, H5S_MAX_RANK> end{}, chunk{}, at{};
  const auto rank = H5Sget_simple_extent_dims(space.get(), end.data(), nullptr);
  if (H5Pget_chunk(layout.get(), H5S_MAX_RANK, chunk.data()) != rank) return false;
  end[0] = std::min<std::uint64_t>(end[0] - first, count) + first;
  at[0] = first - first % chunk[0];
  for (std::size_t d = 0; at[0] < end[0];) {
    if (!chunk_whole(id_.get(), layout.get(), at.data(), extent.chunk * extent.size, extent.stored))
      return false;
    for (d = static_cast<std::size_t>(rank) - 1; (at[d] += chunk[d]) >= end[d] && d > 0; --d)
      at[d] = 0;
  }
  return true;
}

}  // namespace saltus::h5
