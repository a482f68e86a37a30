// Contents of a Gmsh file, before a mesh is built from it.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/mesh/mesh.h"

namespace saltus::gmsh {

using Tag = std::int64_t;
inline constexpr int kPoint = 15;  ///< Gmsh number of the type of points

/// Line of a text file, from 1, or byte of a binary one, from 0.
using Place = std::size_t;

struct Origin {
  std::string name, path;  ///< of the file; of the scene entry
  bool binary = false;
};
[[noreturn]] void fail(const Origin& origin, Place at, const std::string& message,
                       const std::string& hint);

struct Node {
  Tag tag = 0;
  Vector3 x = Vector3::Zero();
  Place at = 0;
};
struct Element {
  Tag tag = 0;
  int type = 0;           ///< Gmsh number; one of ElementInfo::gmsh or kPoint
  std::size_t first = 0;  ///< index into File::element_nodes
  int groups = 0;         ///< index into File::groups
  Place at = 0;
};
/// For a point: 0, 1, 1.
struct Type {
  int dimension, nodes, corners;
  std::string_view name;
};
Type type_of(int gmsh);  ///< for supported types

struct File {
  Origin origin;
  std::vector<Node> nodes;
  std::vector<Element> elements;
  std::vector<Tag> element_nodes;
  std::vector<std::vector<Tag>> groups;              ///< physical numbers, increasing
  std::map<std::pair<int, Tag>, std::string> names;  ///< by dimension and physical number
};

File read_file(std::string_view bytes, const std::string& name, const std::string& path);

/// Reads words of a text file line by line, or numbers of a binary one, through the same calls.
/// Errors report the position.
class Source {
 public:
  Source(std::string_view bytes, const std::string& name, const std::string& path)
      : bytes_(bytes), origin_{name, path, false} {}

  const Origin& origin() const { return origin_; }
  bool binary() const { return origin_.binary; }
  /// For the rest of the file; bytes_per_size: size of a size_t in the file.
  void set_binary() { origin_.binary = true; }
  void set_size(std::size_t bytes_per_size) { size_ = bytes_per_size; }

  /// Reads the next line of text that is not empty, without blanks around it; false at the end.
  bool next_line();
  std::string_view line() const { return line_; }
  /// The next line; fails if there is none.
  std::string_view line(std::string_view wanted);

  /// Begins the next line of numbers; in a binary file, stores the position.
  void record(std::string_view wanted);
  int integer(std::string_view what);  ///< 4 bytes
  Tag count(std::string_view what);    ///< a size_t, >= 0
  Tag whole(std::string_view what);    ///< integer() or count(), by `version_2`
  double real(std::string_view what);  ///< finite
  double coordinate(std::string_view what);
  /// Fails if anything is left on the line.
  void done();
  /// Number of unread words of the record, in a text file.
  std::size_t left();
  /// Returns count; fails if count items of at least `bytes` bytes each do not fit into the rest.
  Tag bounded(Tag count, std::size_t bytes, std::string_view what);

  Place here() const { return binary() ? at_ : line_number_; }  ///< position of the record
  [[noreturn]] void fail(const std::string& message, const std::string& hint = "") const {
    gmsh::fail(origin_, binary() ? word_at_ : line_number_, message, hint);
  }
  /// Skips everything up to the line "$End<name>".
  void skip(std::string_view name);
  bool version_2 = false;

 private:
  std::string_view word(std::string_view what);
  template <class T>
  T raw(std::string_view what);

  std::string_view bytes_, line_, rest_;
  Origin origin_;
  std::size_t at_ = 0, word_at_ = 0, line_number_ = 0, size_ = 8;
};

}  // namespace saltus::gmsh
