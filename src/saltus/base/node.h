// A document as a tree that remembers where each part was written; what readers of options walk
// over.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace saltus {

/// Where an entry was written; line and column count from 1, 0 where they mean nothing.
struct Place {
  std::string source;  ///< file as named by the user, or "--set path=value"
  int line = 0, column = 0;
};

/// A value of a document: nothing, a scalar as text, a list or a map.
struct Node {
  enum class Kind { empty, scalar, list, map };
  struct Key {
    std::string text;
    Place place;
  };

  Kind kind = Kind::empty;
  bool quoted =
      false;  ///< scalar written in quotes: never a number without unit, a boolean or nothing
  std::string text;         ///< of a scalar
  std::vector<Key> keys;    ///< of a map, as many as items
  std::vector<Node> items;  ///< of a list or a map
  Place place;              ///< of a scalar itself; of anything else in a map, its key

  const Node* find(std::string_view key) const {
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (keys[i].text == key) return &items[i];
    return nullptr;
  }
  Node* find(std::string_view key) { return const_cast<Node*>(std::as_const(*this).find(key)); }
};

}  // namespace saltus
