// Whether a file that is there may be replaced by one of Saltus.
#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace saltus {

/// Throws SceneError where a file of this name is there that is not one to be replaced: without
/// `mark` (not case-sensitive) at the first or the 513th byte. What is empty, absent or no plain
/// file passes. `what`: "a results file".
void expect_replaceable(const std::string& path, std::string_view mark, std::string_view what);

/// The same where the first 4096 bytes, or all there are, tell it.
void expect_replaceable(const std::string& path, std::string_view what,
                        const std::function<bool(std::string_view)>& is_ours);

}  // namespace saltus
