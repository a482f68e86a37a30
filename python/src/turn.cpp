#include <algorithm>
#include <map>

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

Turns::Turns(const Model& model) {
  static std::mutex mutex;
  static std::map<const Dynamics*, std::weak_ptr<Turn>> known;
  const std::lock_guard lock(mutex);
  std::erase_if(known, [](const auto& entry) { return entry.second.expired(); });
  std::shared_ptr<Turn> fresh;
  for (const Group& group : model.groups()) {
    std::weak_ptr<Turn>& of = known[group.dynamics.get()];
    std::shared_ptr<Turn> turn = of.lock();
    if (!turn) {
      if (!fresh) fresh = std::make_shared<Turn>();
      of = turn = fresh;
    }
    turns_.push_back(std::move(turn));
  }
  if (turns_.empty()) turns_.push_back(std::make_shared<Turn>());
  std::ranges::sort(turns_);
  turns_.erase(std::unique(turns_.begin(), turns_.end()), turns_.end());
}

bool Turns::try_take() {
  for (std::size_t i = 0; i < turns_.size(); ++i) {
    if (turns_[i]->try_take()) continue;
    while (i > 0) turns_[--i]->give();
    return false;
  }
  return true;
}

void Turns::take() {
  for (const auto& turn : turns_) turn->take();
}

void Turns::give() {
  for (std::size_t i = turns_.size(); i > 0; --i) turns_[i - 1]->give();
}

bool Turns::wanted() const {
  return std::ranges::any_of(turns_, [](const auto& turn) { return turn->wanted(); });
}

void Turns::step(bool stepping) {
  for (const auto& turn : turns_) turn->stepping = stepping;
}

Taken::Taken(Turns& turns, bool inside) : turns_(turns) {
  if (!turns.try_take()) {
    const Others others;
    turns.take();
  }
  if (turns.stepping() && !inside) {
    turns.give();
    throw UsageError("inside a step its simulation can be looked at, and nothing else");
  }
}

}  // namespace saltus::python
