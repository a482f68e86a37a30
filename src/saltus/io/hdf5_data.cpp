// Datasets and groups.
#include <array>
#include <cstring>
#include <utility>

#include "saltus/io/hdf5_internal.h"

namespace saltus::h5 {
namespace {

int close_group(std::int64_t id) { return H5Gclose(id); }
int close_dataset(std::int64_t id) { return H5Dclose(id); }
int close_attribute(std::int64_t id) { return H5Aclose(id); }

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
  if (count == 0) return;
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
  std::string value(H5Tget_size(stored.get()), '\0');
  if (H5Dread(id_.get(), text_type(value.size()).get(), H5S_ALL, H5S_ALL, H5P_DEFAULT,
              value.data()) < 0)
    fail("cannot read");
  value.resize(std::strlen(value.c_str()));
  return value;
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
    if (H5Lexists(id_.get(), name.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
  }
  return true;
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
      close_attribute);
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
  const Handle layout(H5Pcreate(H5P_DATASET_CREATE), close_list);
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
                         const void* values, std::size_t count, std::size_t width) const {
  const std::array<hsize_t, 2> size{width ? count / width : count, width};
  const Handle space(H5Screate_simple(width ? 2 : 1, size.data(), nullptr), close_space);
  Dataset made(Handle(H5Dcreate2(id_.get(), name.c_str(), stored, space.get(), H5P_DEFAULT,
                                 H5P_DEFAULT, H5P_DEFAULT),
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
                                 H5P_DEFAULT, H5P_DEFAULT),
                      close_dataset),
               file_, child(name));
  if (made.id_.get() < 0) made.fail("cannot create");
  made.require(
      H5Dwrite(made.id_.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.c_str()) >= 0,
      "cannot write");
  return made;
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
