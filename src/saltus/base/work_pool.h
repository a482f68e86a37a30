// Work space of objects that several threads use at once.
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

/// Whether two vectors are the same to the bit: what an operation gives may depend on the sign of a
/// zero.
inline bool same_bits(View a, View b) {
  return a.size() == b.size() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(),
                                       sizeof(double) * static_cast<std::size_t>(a.size())) == 0);
}

/// An object whose operations are const and need room to work in keeps one of these: a call borrows
/// a work space that no other call has, so that any number of threads may call. There come to be as
/// many as calls at one time, one as a rule.
///
/// What a loan finds in it is what some call left: an operation writes before it reads, or asks by
/// same_bits() whether what is kept belongs to its arguments. A call that ends by an exception
/// leaves nothing: its work space is given up.
template <class Work>
class WorkPool {
 public:
  using Make = std::function<std::unique_ptr<Work>()>;

  explicit WorkPool(Make make) : make_(std::move(make)) {}
  WorkPool(const WorkPool&) = delete;
  WorkPool& operator=(const WorkPool&) = delete;
  ~WorkPool() { delete idle_.load(std::memory_order_acquire); }

  /// Gives back at the end of its life.
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
    } catch (...) {  // no memory for one more: it is made again when it is needed
      delete work;
    }
  }

  Make make_;
  mutable std::atomic<Work*> idle_{
      nullptr};               // of the last call, whose memory is near; made for threads
  mutable std::mutex mutex_;  // of others_
  mutable std::vector<std::unique_ptr<Work>> others_;  // under mutex_
};

}  // namespace saltus
