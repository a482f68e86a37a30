// Work space of objects that several threads use at the same time.
#pragma once
#include <atomic>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "saltus/base/base.h"

namespace saltus {

/// Whether two vectors are identical bit by bit: the result of an operation may depend on the sign
/// of a zero.
inline bool same_bits(View a, View b) {
  return a.size() == b.size() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(),
                                       sizeof(double) * static_cast<std::size_t>(a.size())) == 0);
}

/// For objects whose operations are const but need work space: a call borrows a work space that no
/// other call uses, so that any number of threads may call at the same time. The pool creates as
/// many work spaces as there are simultaneous calls, usually one.
///
/// A borrowed work space contains whatever the previous call left: an operation must write before
/// it reads, or check with same_bits() whether stored data belong to its arguments. If a call ends
/// with an exception, its work space is deleted.
template <class Work>
class WorkPool {
 public:
  using Make = std::function<std::unique_ptr<Work>()>;

  explicit WorkPool(Make make) : make_(std::move(make)) {}
  WorkPool(const WorkPool&) = delete;
  WorkPool& operator=(const WorkPool&) = delete;
  ~WorkPool() { delete idle_.load(std::memory_order_acquire); }

  /// Returns the work space to the pool when destroyed.
  class Loan {
   public:
    explicit Loan(const WorkPool& pool) : pool_(pool), work_(pool.take()) {}
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    ~Loan() {
      if (std::uncaught_exceptions() == exceptions_)
        pool_.put_back(work_);
      else
        delete work_;
    }
    Work& operator*() const { return *work_; }
    Work* operator->() const { return work_; }

   private:
    const WorkPool& pool_;
    const int exceptions_ = std::uncaught_exceptions();
    Work* work_;
  };
  Loan borrow() const { return Loan(*this); }

 private:
  Work* take() const {
    if (Work* const last = idle_.exchange(nullptr, std::memory_order_acquire)) return last;
    {
      const std::lock_guard lock(mutex_);
      if (!others_.empty()) {
        Work* const other = others_.back().release();
        others_.pop_back();
        return other;
      }
    }
    return make_().release();
  }

  void put_back(Work* work) const noexcept {
    Work* none = nullptr;
    if (idle_.compare_exchange_strong(none, work, std::memory_order_release,
                                      std::memory_order_relaxed))
      return;
    try {
      const std::lock_guard lock(mutex_);
      others_.emplace_back(work);
    } catch (...) {  // out of memory: the work space is created again when needed
      delete work;
    }
  }

  Make make_;
  mutable std::atomic<Work*> idle_{nullptr};  // of the last call: its memory is likely in the cache
  mutable std::mutex mutex_;                  // protects others_
  mutable std::vector<std::unique_ptr<Work>> others_;  // other idle work spaces
};

}  // namespace saltus
