// A document as a tree with the place of each entry in the file; the input of all option readers.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace saltus {

/// Where an entry is in the file; line and column count from 1, 0 if they do not apply.
struct Place {
  std::string source;  ///< file as named by the user, or "--set path=value"
  int line = 0, column = 0;
};

/// A value of a document: empty, a scalar as text, a list or a map.
struct Node {
  enum class Kind { empty, scalar, list, map };
  struct Key {
    std::string text;
    Place place;
  };

  Kind kind = Kind::empty;
  bool quoted = false;      ///< scalar in quotes: never a plain number, a boolean or empty
  std::string text;         ///< text of a scalar
  std::vector<Key> keys;    ///< keys of a map, one per item
  std::vector<Node> items;  ///< items of a list or a map
  Place place;              ///< place of a scalar; for other values in a map, place of the key

  const Node* find(std::string_view key) const {
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (keys[i].text == key) return &items[i];
    return nullptr;
  }
  Node* find(std::string_view key) { return const_cast<Node*>(std::as_const(*this).find(key)); }
};

}  // namespace saltus
