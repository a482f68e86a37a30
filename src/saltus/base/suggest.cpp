#include "saltus/base/suggest.h"

#include <algorithm>
#include <vector>

namespace saltus {
namespace {

std::string fold(std::string_view text) {
  std::string folded(text);
  for (char& c : folded) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    if (c == '-') c = '_';
  }
  return folded;
}

}  // namespace

int edit_distance(std::string_view first, std::string_view second) {
  const std::string a = fold(first), b = fold(second);
  const std::size_t n = b.size();
  std::vector<int> before(n + 1), above(n + 1),
      row(n + 1);  // rows i - 2, i - 1, i of the table of distances
  for (std::size_t j = 0; j <= n; ++j) above[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= n; ++j) {
      const int replace = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[n];
}

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known) {
  if (name.size() > 64) return "";
  std::string_view best;
  int least = static_cast<int>(std::max<std::size_t>(1, name.size() / 3)) + 1;
  for (std::string_view candidate : known) {
    const int distance = edit_distance(name, candidate);
    if (distance < least && distance < static_cast<int>(candidate.size())) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

std::string list_names(std::span<const std::string_view> names) {
  std::string text;
  for (std::string_view name : names)
    if (!name.empty()) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> known) {
  if (known.empty()) return "";
  const std::string_view best = nearest_name(name, known);
  const std::string allowed = "allowed: " + list_names(known);
  return best.empty() ? allowed : "did you mean `" + std::string(best) + "`? " + allowed;
}

}  // namespace saltus
