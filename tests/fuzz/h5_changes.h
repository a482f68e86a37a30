// Changes to the objects of an HDF5 file, drawn from bytes: values, sizes, types, filters, attributes, links. They reach far more of
// a reader than changed bytes, of which HDF5 itself refuses most.
#pragma once
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "fuzz.h"

namespace saltus_fuzz {

using ObjectNames = std::vector<std::string>;

/// Of all objects but the root, in one order.
inline ObjectNames object_names(const std::string& file) {
  ObjectNames names;
  const hid_t id = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  H5Ovisit(
      id, H5_INDEX_NAME, H5_ITER_INC,
      [](hid_t, const char* name, const H5O_info_t*, void* to) -> herr_t {
        if (name != std::string_view(".")) static_cast<ObjectNames*>(to)->emplace_back(name);
        return 0;
      },
      &names);
  H5Fclose(id);
  return names;
}

inline std::int64_t special_integer(Choices& choices) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t all[] = {0,        1,  2,  3,       4,         7,         8,
                                  16,       33, 64, 1 << 16, 1LL << 31, 1LL << 32, most,
                                  most - 1, -1, -2, -3,      -most,     -most - 1, 1'000'000'000};
  return all[choices.below(std::size(all))];
}
inline double special_real(Choices& choices) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double all[] = {0.0,
                            -0.0,
                            1.0,
                            -1.0,
                            0.5,
                            3.0,
                            1e9,
                            1e19,
                            1e308,
                            1e-308,
                            infinity,
                            -infinity,
                            std::numeric_limits<double>::quiet_NaN()};
  return all[choices.below(std::size(all))];
}

/// Elements of a dataset or an attribute; closes nothing that is given.
inline hid_t drawn_type(Choices& choices) {
  switch (choices.below(8)) {
    case 0:
      return H5Tcopy(H5T_STD_I32LE);
    case 1:
      return H5Tcopy(H5T_STD_U64LE);
    case 2:
      return H5Tcopy(H5T_STD_I8BE);
    case 3:
      return H5Tcopy(H5T_IEEE_F32BE);
    case 4: {
      const hid_t text = H5Tcopy(H5T_C_S1);
      H5Tset_size(text, choices.below(2) ? H5T_VARIABLE : 1 + choices.below(40));
      return text;
    }
    case 5: {
      const hid_t pair = H5Tcreate(H5T_COMPOUND, 16);
      H5Tinsert(pair, "a", 0, H5T_IEEE_F64LE);
      H5Tinsert(pair, "b", 8, H5T_STD_I64LE);
      return pair;
    }
    default:
      return H5Tcopy(H5T_IEEE_F64LE);
  }
}

inline hid_t drawn_space(Choices& choices) {
  constexpr hsize_t sizes[] = {0,  1,  2,    3,          4,          7,         32,
                               33, 96, 1000, 1ULL << 20, 1ULL << 32, 1ULL << 62};
  const unsigned rank = choices.below(4);
  std::array<hsize_t, 3> size{};
  for (unsigned k = 0; k < rank; ++k) size[k] = sizes[choices.below(std::size(sizes))];
  return rank == 0 ? H5Screate(choices.below(4) ? H5S_SCALAR : H5S_NULL)
                   : H5Screate_simple(static_cast<int>(rank), size.data(), nullptr);
}

/// Another dataset in place of what is there, written to only where it is small.
inline void replace_dataset(hid_t file, const std::string& name, Choices& choices) {
  H5Ldelete(file, name.c_str(), H5P_DEFAULT);
  const hid_t type = drawn_type(choices), space = drawn_space(choices),
              layout = H5Pcreate(H5P_DATASET_CREATE);
  const int rank = std::max(0, H5Sget_simple_extent_ndims(space));
  const unsigned kind = choices.below(4);
  std::array<hsize_t, 3> chunk{1 + choices.below(40), 1 + choices.below(8), 1};
  if (rank > 0 && kind > 0) {
    H5Pset_chunk(layout, rank, chunk.data());
    if (kind > 1) H5Pset_shuffle(layout);
    if (kind > 2) H5Pset_deflate(layout, 1);
  } else if (choices.below(2)) {
    H5Pset_layout(layout, H5D_COMPACT);
  }
  const hid_t data = H5Dcreate2(file, name.c_str(), type, space, H5P_DEFAULT, layout, H5P_DEFAULT);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if (data >= 0 && count > 0 && count < 1000 && H5Tget_class(type) != H5T_STRING &&
      H5Tget_class(type) != H5T_COMPOUND) {
    const std::vector<double> values(static_cast<std::size_t>(count), special_real(choices));
    H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    if (rank > 0 && kind > 0 && choices.below(3) == 0) {  // a chunk that is too short
      const std::array<hsize_t, 3> at{};
      const std::vector<char> bytes(choices.below(64) + 1);
      H5Dwrite_chunk(data, H5P_DEFAULT, choices.below(4), at.data(), bytes.size(), bytes.data());
    }
  }
  for (const char* attribute :
       {"index", "name", "unit", "kind"}) {  // most need a place in an order
    if (choices.below(4) == 0) continue;
    const hid_t scalar = H5Screate(H5S_SCALAR);
    const bool number = attribute[0] == 'i';
    const hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, 8);
    const hid_t id = data < 0 ? -1
                              : H5Acreate2(data, attribute, number ? H5T_STD_I64LE : text, scalar,
                                           H5P_DEFAULT, H5P_DEFAULT);
    const std::int64_t index = choices.below(4);
    if (id >= 0 && number) H5Awrite(id, H5T_NATIVE_INT64, &index);
    if (id >= 0 && !number) H5Awrite(id, text, "hex8\0\0\0\0");
    if (id >= 0) H5Aclose(id);
    H5Tclose(text), H5Sclose(scalar);
  }
  if (data >= 0) H5Dclose(data);
  H5Pclose(layout), H5Sclose(space), H5Tclose(type);
}

/// One of its chunks was stored shorter than it is (replace_dataset): HDF5 would write beyond the end of it.
inline bool has_short_chunk(hid_t data) {
  const hid_t layout = H5Dget_create_plist(data), type = H5Dget_type(data),
              space = H5Dget_space(data);
  std::array<hsize_t, 32> size{};
  hsize_t bytes = H5Tget_size(type), chunks = 0;
  const int rank = H5Pget_layout(layout) == H5D_CHUNKED
                       ? H5Pget_chunk(layout, static_cast<int>(size.size()), size.data())
                       : 0;
  for (int k = 0; k < rank; ++k) bytes *= size[static_cast<std::size_t>(k)];
  unsigned deflate = 0;  // what it unpacks has the length that it had
  for (int k = 0; k < H5Pget_nfilters(layout); ++k)
    if (H5Pget_filter2(layout, static_cast<unsigned>(k), nullptr, nullptr, nullptr, 0, nullptr,
                       nullptr) == H5Z_FILTER_DEFLATE)
      deflate |= 1u << k;
  if (rank > 0) H5Dget_num_chunks(data, space, &chunks);
  bool shorter = false;
  for (hsize_t k = 0; k < chunks && !shorter; ++k) {
    unsigned skipped = 0;
    haddr_t address = 0;
    hsize_t stored = bytes;
    H5Dget_chunk_info(data, space, k, size.data(), &skipped, &address, &stored);
    shorter = stored < bytes && (deflate & ~skipped) == 0;
  }
  H5Sclose(space), H5Tclose(type), H5Pclose(layout);
  return shorter;
}

inline void change_value(hid_t data, Choices& choices) {
  const hid_t space = H5Dget_space(data), type = H5Dget_type(data), one = H5Screate(H5S_SCALAR);
  const int rank = H5Sget_simple_extent_ndims(space);
  std::array<hsize_t, 32> size{};
  H5Sget_simple_extent_dims(space, size.data(), nullptr);
  bool empty = false;
  double count = 1.0;
  for (int k = 0; k < rank; ++k) {
    count *= static_cast<double>(size[static_cast<std::size_t>(k)]);
    empty = empty || size[static_cast<std::size_t>(k)] == 0;
    size[static_cast<std::size_t>(k)] =
        choices.below(std::min<hsize_t>(size[static_cast<std::size_t>(k)], 60'000));
  }
  if (H5Tget_class(type) == H5T_STRING && !H5Tis_variable_str(type) && rank <= 0) {
    std::string text(H5Tget_size(type), '\0');
    H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data());
    constexpr std::string_view letters = "0{}[]\",:-9e\xff\n\\";
    for (unsigned k = 1 + choices.below(3); k > 0 && !text.empty(); --k) {
      const std::size_t at = choices.below(std::min<std::size_t>(text.size(), 65'000));
      text[at] = letters[choices.below(letters.size())];
    }
    H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data());
  } else if (!empty && rank >= 0 &&
             count < 0x1p40 &&  // HDF5 writes anywhere where its bytes overflow
             !has_short_chunk(data)) {
    if (rank > 0) H5Sselect_elements(space, H5S_SELECT_SET, 1, size.data());
    const std::int64_t integer = special_integer(choices);
    const double real = special_real(choices);
    const bool is_real = H5Tget_class(type) == H5T_FLOAT;
    H5Dwrite(data, is_real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64, one, space, H5P_DEFAULT,
             is_real ? static_cast<const void*>(&real) : &integer);
  }
  H5Sclose(one), H5Tclose(type), H5Sclose(space);
}

inline void change_attribute(hid_t object, Choices& choices) {
  H5O_info_t info;
  if (H5Oget_info2(object, &info, H5O_INFO_NUM_ATTRS) < 0 || info.num_attrs == 0) return;
  const hid_t old = H5Aopen_by_idx(object, ".", H5_INDEX_NAME, H5_ITER_INC,
                                   choices.below(info.num_attrs), H5P_DEFAULT, H5P_DEFAULT);
  if (old < 0) return;
  std::array<char, 200> name{};
  H5Aget_name(old, name.size() - 1, name.data());
  const hid_t type = H5Aget_type(old);
  const H5T_class_t kind = H5Tget_class(type);
  const hid_t elements = H5Aget_space(old);
  const auto count = static_cast<std::size_t>(H5Sget_simple_extent_npoints(elements));
  H5Sclose(elements);
  const unsigned how = choices.below(4);
  if (how < 2 && (kind == H5T_INTEGER || kind == H5T_FLOAT)) {
    const std::vector<std::int64_t> integers(count, special_integer(choices));
    const std::vector<double> reals(count, special_real(choices));
    if (kind == H5T_INTEGER)
      H5Awrite(old, H5T_NATIVE_INT64, integers.data());
    else
      H5Awrite(old, H5T_NATIVE_DOUBLE, reals.data());
  } else if (how < 2 && kind == H5T_STRING && !H5Tis_variable_str(type)) {
    std::string text(count * H5Tget_size(type), '\0');
    H5Aread(old, type, text.data());
    if (!text.empty()) text[choices.below(text.size())] = static_cast<char>(choices.byte());
    H5Awrite(old, type, text.data());
  }
  H5Tclose(type), H5Aclose(old);
  if (how < 2) return;
  H5Adelete(object, name.data());
  if (how == 2) return;
  const hid_t other = drawn_type(choices), space = drawn_space(choices);
  if (H5Sget_simple_extent_npoints(space) < 100) {
    const hid_t made = H5Acreate2(object, name.data(), other, space, H5P_DEFAULT, H5P_DEFAULT);
    if (made >= 0) {
      const std::vector<char> bytes(10'000);
      if (!H5Tis_variable_str(other)) H5Awrite(made, other, bytes.data());
      H5Aclose(made);
    }
  }
  H5Sclose(space), H5Tclose(other);
}

inline void change_object(hid_t file, const ObjectNames& names, Choices& choices) {
  const unsigned which = choices.below(std::max<std::size_t>(names.size() + 1, 257));
  const std::string name =
      which % (names.size() + 1) == 0 ? "/" : names[which % (names.size() + 1) - 1];
  const unsigned how = choices.below(8);
  if (how == 0 && name != "/") {
    H5Ldelete(file, name.c_str(), H5P_DEFAULT);
    return;
  }
  if (how == 1 && name != "/") {
    const std::string& target =
        names[choices.below(std::max<std::size_t>(names.size(), 257)) % names.size()];
    H5Ldelete(file, name.c_str(), H5P_DEFAULT);
    if (choices.below(4))
      H5Lcreate_hard(file, target.c_str(), file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    else
      H5Lcreate_soft(("/" + target).c_str(), file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    return;
  }
  const hid_t object = H5Oopen(file, name.c_str(), H5P_DEFAULT);
  if (object < 0) return;
  const bool data = H5Iget_type(object) == H5I_DATASET;
  if (how == 2 && data) {
    H5Oclose(object);
    replace_dataset(file, name, choices);
    return;
  }
  if (how == 3 && data) {
    constexpr hsize_t sizes[] = {0, 1, 2, 5, 31, 32, 33, 100, 1ULL << 20, 1ULL << 40, 1ULL << 62};
    const std::array<hsize_t, 2> size{sizes[choices.below(std::size(sizes))],
                                      sizes[choices.below(4)]};
    const hid_t space = H5Dget_space(object);
    std::array<hsize_t, 32> now{};
    const int rank = H5Sget_simple_extent_dims(space, now.data(), nullptr);
    if (now[0] > (1ULL << 24) || has_short_chunk(object)) {
      // HDF5 would visit every chunk that is lost, and write beyond the end of a short one
    } else if (rank == 2) {
      const std::array<hsize_t, 2> rows{size[0], now[1]};
      H5Dset_extent(object, rows.data());
    } else {
      H5Dset_extent(object, size.data());
    }
    H5Sclose(space);
  } else if (how < 6 && data) {
    change_value(object, choices);
  } else {
    change_attribute(object, choices);
  }
  H5Oclose(object);
}

/// Applies the changes that the choices describe.
inline void change_file(const std::string& path, const ObjectNames& names, Choices& choices) {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, access);
  for (int most = 16; most > 0 && choices.more(); --most) change_object(file, names, choices);
  H5Fclose(file);
  H5Pclose(access);
}

}  // namespace saltus_fuzz
