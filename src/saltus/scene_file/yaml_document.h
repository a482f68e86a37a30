// YAML text as a tree with places. Stricter than YAML: duplicate keys, anchors, tags, several
// documents, tabs in the indentation, text that is not UTF-8 and deep nesting are errors. JSON is a
// subset and is read too.
#pragma once
#include <string>

#include "saltus/base/node.h"

namespace saltus {

/// `source` names the text in errors (SceneError with line and column). Text without any value
/// gives an empty node.
Node parse_yaml(const std::string& text, const std::string& source);

/// Applies "path=value" to a document, value in YAML: "bodies[0].scheme.theta=1". Missing keys are
/// added, a plain name on the way becomes {kind: name}, a value left empty removes the entry.
/// Errors name the assignment. Keys may have their former names (renamed_keys.h).
void set_value(Node& document, const std::string& assignment);

}  // namespace saltus
