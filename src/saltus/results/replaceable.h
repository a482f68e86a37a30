// Whether an existing file may be replaced by one of Saltus.
#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace saltus {

/// Throws SceneError if a file of this name exists and must not be replaced: one without `mark`
/// (not case-sensitive) at the first or the 513th byte. Empty, missing and non-regular files are
/// accepted. `what`: "a results file".
void expect_replaceable(const std::string& path, std::string_view mark, std::string_view what);

/// The same, with a decision based on at most the first 4096 bytes.
void expect_replaceable(const std::string& path, std::string_view what,
                        const std::function<bool(std::string_view)>& is_ours);

}  // namespace saltus
