// YAML text as a tree with source positions. Stricter than YAML: duplicate keys, anchors, tags,
// several documents, tabs in the indentation, text that is not UTF-8 and deep nesting are errors.
// JSON is a subset and accepted too.
#pragma once
#include <string>

#include "saltus/base/node.h"

namespace saltus {

/// `source` is the name of the text in errors (SceneError with line and column). Text without any
/// value gives an empty node.
Node parse_yaml(const std::string& text, const std::string& source);

/// Applies "path=value" to a document, value in YAML: "bodies[0].scheme.theta=1". Adds missing
/// keys, replaces a plain name inside the path by {kind: name}, and removes the entry if the value
/// is empty. Errors include the assignment. Deprecated key names are accepted (renamed_keys.h).
void set_value(Node& document, const std::string& assignment);

}  // namespace saltus
