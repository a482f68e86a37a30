// Reference of all scene options, from the option tables that the reader uses.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "saltus/base/options_doc.h"

namespace saltus {

enum class DescribeFormat { text, markdown, json };

/// Topics of `describe_options`: "scene", "bodies", "schemes", "laws".
std::span<const std::string_view> describe_topics();

/// Throws SceneError with the nearest topic if `topic` is unknown.
std::string describe_options(std::string_view topic, DescribeFormat format);

/// The documentation tree of the whole scene.
const OptionDoc& scene_document();

/// "number [m]", "list of integers", "one of end, middle, start".
std::string type_text(const OptionDoc& doc);

}  // namespace saltus
