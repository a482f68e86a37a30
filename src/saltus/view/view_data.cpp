#include "saltus/view/view_data.h"

#include <algorithm>

namespace saltus {
namespace {

constexpr std::size_t kSampled = 200;  ///< frames sampled for ranges that only affect the display

/// Every n-th element of a list, and its last.
std::vector<std::size_t> some_of(const std::vector<std::size_t>& list, std::size_t every) {
  std::vector<std::size_t> some;
  for (std::size_t i = 0; i < list.size(); i += every) some.push_back(list[i]);
  if (!list.empty() && some.back() != list.back()) some.push_back(list.back());
  return some;
}

}  // namespace

ViewData::ViewData(const ResultsReader& results, ViewOptions options)
    : file_(results), every_(options.every), facts_(view_facts(results, options.sound_bytes)) {
  expects(options.every >= 1, "ViewData: every must be >= 1");
  std::vector<std::size_t> all;
  for (std::size_t k = 0; k < file_.frames(); ++k)
    if ((!options.from || file_.time(k) >= *options.from) &&
        (!options.to || file_.time(k) <= *options.to))
      all.push_back(k);
  expects(!all.empty() || file_.frames() == 0, "ViewData: no frames between these times");
  base_ = chosen_ = some_of(all, options.every);
  record_.rounded = options.quantised;
  const std::size_t stride =
      options.quantised ? 1 : std::max<std::size_t>(1, (chosen_.size() + kSampled - 1) / kSampled);
  tracks_ = std::make_unique<ViewTracks>(file_, some_of(chosen_, stride), options.quantised);
  facts_.every = every_;
  facts_.of = all.size();
  facts_.live = options.live;
  note_frames();
}

void ViewData::note_frames() {
  facts_.times.clear();
  facts_.steps.clear();
  for (std::size_t frame : chosen_) {
    facts_.times.push_back(file_.time(frame));
    facts_.steps.push_back(static_cast<std::uint32_t>(file_.step(frame)));
  }
  facts_.contacts_left_out = 0;
  for (std::size_t frame : chosen_) {
    const std::size_t count = file_.contact_count(frame);
    facts_.contacts_left_out += count - std::min(count, record_.most_contacts);
  }
}

void ViewData::thin(std::size_t times) {
  expects(times >= 1, "ViewData::thin: times must be >= 1");
  chosen_ = some_of(base_, times);
  facts_.every = every_ * times;
  note_frames();
}

void ViewData::limit_contacts(std::size_t most) {
  record_.most_contacts = most;
  note_frames();
}

std::string ViewData::chunk(std::size_t first, std::size_t count) {
  expects(first + count <= frames() && first + count >= first, "ViewData::chunk: no such frames");
  ViewRecords records(*tracks_, record_);
  std::string bytes;
  std::vector<std::uint32_t> offsets{0};
  for (std::size_t k = first; k < first + count; ++k) {
    records.append(file_, chosen_[k], bytes);
    expects(bytes.size() < std::size_t{1} << 32,
            "ViewData::chunk: a chunk must be smaller than 4 GiB");
    offsets.push_back(static_cast<std::uint32_t>(bytes.size()));
  }
  return view_chunk(static_cast<std::uint32_t>(first),
                    std::span(facts_.times).subspan(first, count),
                    std::span(facts_.steps).subspan(first, count), offsets, bytes);
}

}  // namespace saltus
