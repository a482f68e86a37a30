#include "python_stop.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "gil.h"

namespace saltus::python {
namespace {

constexpr long kPause = 50;  // [ms]

/// A clock with a cost of 5 ns and a resolution of 4 ms.
long coarse_time() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return 1000 * static_cast<long>(now.tv_sec) + static_cast<long>(now.tv_nsec) / 1'000'000;
}

}  // namespace

PythonStop::PythonStop()
    : Stop(true),
      maker_(::pthread_self()),
      handles_signals_(::gettid() == ::getpid()),
      due_(coarse_time() + kPause) {}

bool PythonStop::look() noexcept {
  if (::pthread_self() != maker_) return false;
  if (ending_here()) {
    error_ = std::make_exception_ptr(Ending{});
    return true;
  }
  if (!handles_signals_ || coarse_time() < due_) return false;
  const Gil gil;
  try {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  } catch (abi::__forced_unwind&) {
    sleep_for_good();
  } catch (...) {
    error_ = std::current_exception();
  }
  due_ = coarse_time() + kPause;
  return error_ != nullptr;
}

void PythonStop::rethrow() {
  if (error_) std::rethrow_exception(take());
}

}  // namespace saltus::python
