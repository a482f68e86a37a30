#include "saltus/linear_algebra/front_layout.h"

#include <algorithm>

namespace saltus {
namespace {

constexpr int kPanelRows = 12;  ///< of a panel with several nodes; a larger node has its own

}  // namespace

void FrontLayout::make(const SymmetricBlocks& S) {
  pattern_ = &S.pattern;
  const int n = pattern_->nodes();
  row_.resize(at(n) + 1);
  for (std::vector<int>* x : {&place_, &local_, &end_})
    if (x->size() < at(n)) x->resize(at(n));
  row_[0] = 0;
  for (int i = 0; i < n; ++i) row_[at(i) + 1] = row_[at(i)] + S.size[i];
  find_zeros(S);
  fronts_.clear(), panels_.clear(), updates_.clear();
  stored_ = deepest_ = 0;
  widest_ = border_ = 0;
  std::size_t stack = 0;
  int place = 0;
  for (int s = 0; s < pattern_->fronts(); ++s) {
    int p = 0, q = 0, subtree = 1;
    for (const int i : pattern_->pivots(s)) {
      place_[at(i)] = place + p;
      local_[at(i)] = p, p += size(i);
      end_[at(i)] = 0;
    }
    for (const int i : pattern_->border(s)) local_[at(i)] = p + q, q += size(i);
    for (int child = 0; child < pattern_->children(s); ++child) {
      subtree += reach_of_child(updates_.back().front, p);
      stack = updates_.back().begin;
      updates_.pop_back();
    }
    fronts_.push_back({place, p, q, subtree, 0});
    place_panels(s);
    updates_.push_back({stack, s});
    stack += at(q) * at(q);
    deepest_ = std::max(deepest_, stack);
    place += p;
    widest_ = std::max(widest_, p + q);
    border_ = std::max(border_, q);
  }
}

/// Extends end_ of pivots (local rows below p) to the columns that the update of a child reaches.
/// Returns the number of fronts in the subtree of the child.
int FrontLayout::reach_of_child(int child, int p) {
  if (const auto rest = pattern_->border(child); !rest.empty()) {
    const int last = local_[at(rest.back())] + size(rest.back());
    for (const int i : rest)
      if (local_[at(i)] < p) end_[at(i)] = std::max(end_[at(i)], last);
  }
  return fronts_[at(child)].fronts;
}

void FrontLayout::find_zeros(const SymmetricBlocks& S) {
  const int n = pattern_->nodes();
  size_.resize(at(n)), active_begin_.resize(at(n) + 1);
  active_.clear(), zeros_.clear();
  active_.reserve(at(rows())), zeros_.reserve(at(rows()));
  for (int i = 0; i < n; ++i) {
    active_begin_[at(i)] = places();
    const double* const block =
        S.size[i] == 0 ? nullptr : S.value + S.start[pattern_->couplings(i).front().out];
    for (int a = 0; a < S.size[i]; ++a)
      (block[a * (S.size[i] + 1)] == 0.0 ? zeros_ : active_).push_back(row_[at(i)] + a);
    size_[at(i)] = places() - active_begin_[at(i)];
  }
  active_begin_[at(n)] = places();
}

/// The rows of a pivot end where its part of S and the updates of children end, but not before the
/// end of an earlier row that reaches them: a chain of nodes in one front stores no zeros.
void FrontLayout::place_panels(int s) {
  Front& front = fronts_.back();
  const std::size_t before = s == 0 ? 0 : at(fronts_[at(s) - 1].panels);
  int above = 0;
  for (const int i : pattern_->pivots(s)) {
    const int first = local_[at(i)], rows = size_[at(i)];
    if (rows == 0) continue;
    int end = end_[at(i)];
    for (const auto& [to, out, in] : pattern_->couplings(i))
      end = std::max(end, local_[at(to)] + size_[at(to)]);
    if (above > first) end = std::max(end, above);
    Panel* const last = panels_.size() > before ? &panels_.back() : nullptr;
    if (last && end == above && last->rows + rows <= kPanelRows && above > first)
      last->rows += rows;
    else
      panels_.push_back({0, first, rows, end - first});
    above = end;
  }
  for (std::size_t k = before; k < panels_.size(); ++k) {
    panels_[k].begin = stored_;
    stored_ += at(panels_[k].rows) * at(panels_[k].width);
  }
  front.panels = static_cast<int>(panels_.size());
}

void FrontLayout::rows_of_places(std::vector<int>& rows) const {
  rows.resize(at(places()));
  for (int i = 0; i < pattern_->nodes(); ++i)
    std::copy_n(active_.begin() + active_begin_[at(i)], size_[at(i)], rows.begin() + place_[at(i)]);
}

}  // namespace saltus
