#include "core.h"
#include "gil.h"

namespace saltus::python {

bool Turn::try_take() {
  if (mine()) {
    ++depth_;
    return true;
  }
  std::uint64_t free = serving_.load();
  if (!next_.compare_exchange_strong(free, free + 1)) return false;
  owner_.store(std::this_thread::get_id());
  depth_ = 1;
  return true;
}

void Turn::take() {
  if (try_take()) return;
  const std::uint64_t ticket = next_.fetch_add(1);
  {
    std::unique_lock lock(mutex_);
    news_.wait(lock, [&] { return serving_.load() == ticket; });
  }
  owner_.store(std::this_thread::get_id());
  depth_ = 1;
}

void Turn::give() {
  if (--depth_ > 0) return;
  owner_.store({});
  {
    const std::lock_guard lock(mutex_);
    serving_.fetch_add(1);
  }
  news_.notify_all();
}

Taken::Taken(Turn& turn, bool inside) : turn_(turn) {
  if (!turn.try_take()) {
    const Others others;
    turn.take();
  }
  if (turn.stepping && !inside) {
    turn.give();
    throw UsageError("inside a step the simulation can only be read");
  }
}

}  // namespace saltus::python
