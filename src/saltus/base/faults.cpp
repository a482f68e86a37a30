#include "saltus/base/faults.h"

#include <algorithm>

namespace saltus {
namespace {

std::string text_of_faults(const std::vector<SceneError>& faults, std::size_t more) {
  std::string text;
  const std::size_t shown = std::min(faults.size(), SceneErrors::kShown);
  for (std::size_t i = 0; i < shown; ++i)
    text += (i > 0 ? "\n" : "") + std::string(faults[i].what());
  more += faults.size() - shown;
  return more > 0 ? text + "\nand " + std::to_string(more) + " more" : text;
}

/// Whether a path lies below the entry at `of`: "bodies[0].name" is below "bodies[0]" and "bodies".
bool is_below(std::string_view path, std::string_view of) {
  return of.empty() || (path.size() > of.size() && path.starts_with(of) &&
                        (path[of.size()] == '.' || path[of.size()] == '['));
}

}  // namespace

SceneErrors::SceneErrors(std::vector<SceneError> faults, std::size_t more)
    : SceneError(faults.front()),
      faults_(std::move(faults)),
      more_(more),
      text_(text_of_faults(faults_, more_)) {}

std::vector<SceneError> all_faults(const SceneError& error) {
  const auto* several = dynamic_cast<const SceneErrors*>(&error);
  return several ? several->all() : std::vector<SceneError>{error};
}

std::vector<std::string> fault_lines(const SceneError& error) {
  std::vector<std::string> lines;
  const std::string text = error.what();
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

void Faults::add(const SceneError& error, const std::string& about) {
  for (const SceneError& one : all_faults(error)) {
    ++count_;
    if (entries_.size() < kMost) entries_.push_back({one, about});
  }
  unknown_.insert(about);
}

bool Faults::known(std::string_view path) const {
  if (unknown_.empty()) return true;
  while (!path.empty()) {
    if (unknown_.contains(path)) return false;
    const std::size_t cut = path.find_last_of(".[");
    path = path.substr(0, cut == std::string_view::npos ? 0 : cut);
  }
  return !unknown_.contains("");
}

bool Faults::all_known(std::string_view path) const {
  if (unknown_.empty()) return true;
  if (path.empty() || unknown_.contains(path)) return false;
  // paths below "a" sort after "a" but not directly after it: "a b" comes before "a.b"
  for (auto at = unknown_.lower_bound(path); at != unknown_.end() && at->starts_with(path); ++at)
    if (is_below(*at, path)) return false;
  return true;
}

bool Faults::members_known(std::string_view path) const {
  const std::string front = path.empty() ? "" : std::string(path) + ".";
  for (auto at = unknown_.lower_bound(front); at != unknown_.end() && at->starts_with(front); ++at)
    if (at->find_first_of(".[", front.size()) == std::string::npos) return false;
  return true;
}

void Faults::throw_all() const {
  if (entries_.empty()) return;
  if (count_ == 1) throw SceneError(entries_.front().error);
  std::vector<SceneError> faults;
  for (const Entry& entry : entries_) faults.push_back(entry.error);
  throw SceneErrors(std::move(faults), count_ - entries_.size());
}

}  // namespace saltus
