#include "saltus/state/notices.h"

namespace saltus {

void Notices::accept() {
  for (Entry& one : entries_)
    if (one.mark == Mark::pending) one.mark = Mark::accepted;
}

void Notices::drop() {
  for (Entry& one : entries_)
    if (one.mark == Mark::pending) one.mark = Mark::none;
}

void Notices::commit(double t) {
  for (Entry& one : entries_) {
    if (one.mark == Mark::none) continue;
    one.mark = Mark::none;
    if (one.notice.steps++ == 0) one.notice.first = t;
  }
}

void Notices::discard() {
  for (Entry& one : entries_) one.mark = Mark::none;
}

std::vector<Notice> Notices::all() const {
  std::vector<Notice> list;
  for (const Entry& one : entries_)
    if (one.notice.steps > 0) list.push_back(one.notice);
  return list;
}

}  // namespace saltus
