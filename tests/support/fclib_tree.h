// An FCLIB file as a table of its datasets, to be written and spoilt by tests.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "saltus/results/hdf5.h"

namespace saltus_test {

using FclibData = std::variant<std::vector<std::int32_t>, std::vector<double>, std::string>;
/// By path: "fclib_local/W/p".
using FclibTree = std::map<std::string, FclibData>;

inline void write_tree(const std::string& path, const FclibTree& tree) {
  saltus::h5::File file = saltus::h5::File::create(path);
  std::map<std::string, saltus::h5::Group> groups;
  for (const auto& [name, data] : tree) {
    for (std::size_t end = name.find('/'); end != std::string::npos; end = name.find('/', end + 1))
      if (const std::string group = name.substr(0, end); !groups.contains(group))
        groups[group] = file.create_group(group);
    std::visit([&, &name = name](const auto& values) { file.write(name, values); }, data);
  }
  file.close();
}

using Integers = std::vector<std::int32_t>;
using Reals = std::vector<double>;

/// A matrix under `name` by rows.
inline void put_rows(FclibTree& tree, const std::string& name, int rows, int columns,
                     const Reals& dense) {
  Integers p{0}, i;
  Reals x;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column)
      if (const double value = dense[static_cast<std::size_t>(row * columns + column)];
          value != 0.0) {
        i.push_back(column);
        x.push_back(value);
      }
    p.push_back(static_cast<std::int32_t>(x.size()));
  }
  tree[name + "/nzmax"] = Integers{static_cast<std::int32_t>(x.size())};
  tree[name + "/m"] = Integers{rows};
  tree[name + "/n"] = Integers{columns};
  tree[name + "/nz"] = Integers{-2};
  tree[name + "/p"] = p;
  tree[name + "/i"] = i;
  tree[name + "/x"] = x;
}

/// The same as triplets; rows in i, columns in p, or the other way round.
inline void put_triplets(FclibTree& tree, const std::string& name, int rows, int columns,
                         const Reals& dense, bool rows_in_p = false) {
  Integers row, column;
  Reals x;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      if (const double value = dense[static_cast<std::size_t>(i * columns + j)]; value != 0.0) {
        row.push_back(i);
        column.push_back(j);
        x.push_back(value);
      }
  tree[name + "/nzmax"] = tree[name + "/nz"] = Integers{static_cast<std::int32_t>(x.size())};
  tree[name + "/m"] = Integers{rows};
  tree[name + "/n"] = Integers{columns};
  tree[name + "/p"] = rows_in_p ? row : column;
  tree[name + "/i"] = rows_in_p ? column : row;
  tree[name + "/x"] = x;
}

/// Two contacts in space on one body that falls and slides; W is symmetric.
inline FclibTree two_contacts() {
  FclibTree tree;
  tree["fclib_local/spacedim"] = Integers{3};
  put_rows(tree, "fclib_local/W", 6, 6, {2.0,  0.0, 0.25, 0.5, 0.0, 0.0,  //
                                         0.0,  1.5, 0.0,  0.0, 0.5, 0.0,  //
                                         0.25, 0.0, 1.5,  0.0, 0.0, 0.5,  //
                                         0.5,  0.0, 0.0,  2.0, 0.0, 0.0,  //
                                         0.0,  0.5, 0.0,  0.0, 1.5, 0.0,  //
                                         0.0,  0.0, 0.5,  0.0, 0.0, 1.5});
  tree["fclib_local/vectors/q"] = Reals{-1.0, 0.4, 0.0, -1.0, 0.3, 0.1};
  tree["fclib_local/vectors/mu"] = Reals{0.3, 0.3};
  tree["fclib_local/info/title"] = "two contacts";
  tree["fclib_local/info/description"] = "one body that falls and slides";
  tree["fclib_local/info/math_info"] = "";
  return tree;
}

/// One contact in space, a body of four velocities, M unsymmetric unless asked, one equality unless asked.
inline FclibTree global_problem(bool symmetric = true, bool bilateral = true) {
  FclibTree tree;
  tree["fclib_global/spacedim"] = Integers{3};
  put_triplets(tree, "fclib_global/M", 4, 4,
               {2.0, 0.5, 0.0, 0.0,  //
                0.5, 3.0, 0.0, 0.1,  //
                0.0, 0.0, 1.0, 0.0,  //
                0.0, symmetric ? 0.1 : 0.125, 0.0, 4.0});
  put_triplets(tree, "fclib_global/H", 4, 3,
               {1.0, 0.0, 0.0,   //
                0.0, 1.0, 0.0,   //
                -0.5, 0.0, 1.0,  //
                0.0, 0.0, 2.0});
  tree["fclib_global/vectors/f"] = Reals{-1.0, 0.5, 0.25, 0.0};
  tree["fclib_global/vectors/w"] = Reals{-0.5, 0.0, 0.125};
  tree["fclib_global/vectors/mu"] = Reals{0.5};
  if (!bilateral) return tree;
  put_triplets(tree, "fclib_global/G", 4, 1, {0.0, 1.0, 0.0, -1.0});
  tree["fclib_global/vectors/b"] = Reals{0.75};
  return tree;
}

}  // namespace saltus_test
