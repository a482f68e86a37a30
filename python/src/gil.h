// The lock of Python's interpreter, given up while C++ works and taken in callbacks, also while the process ends.
//
// Python ends a thread that wants the lock after the interpreter began to go: by unwinding the stack, which no destructor of
// C++ survives. Such a thread sleeps here instead, until the process is gone. Before that, an exit hook asks all work to stop
// and waits a little for it.
#pragma once
#include <cxxabi.h>

#include "bind.h"

namespace saltus::python {

/// Thrown where a thread other than the one that ends the process wants the engine; SystemExit in Python, which ends the
/// thread without a word.
struct Ending {};

/// Whether this thread is to stop: the process ends, and it is not the one that ends it. Needs no GIL.
bool ending_here() noexcept;
/// Never returns.
[[noreturn]] void sleep_for_good() noexcept;

/// Gives the GIL up while it lives; throws Ending.
class Others {
 public:
  Others();
  ~Others();
  Others(const Others&) = delete;
  Others& operator=(const Others&) = delete;

 private:
  PyThreadState* mine_;
};

/// Has the GIL while it lives.
class Gil {
 public:
  Gil();
  ~Gil();
  Gil(const Gil&) = delete;
  Gil& operator=(const Gil&) = delete;

 private:
  PyGILState_STATE before_;
};

/// f(), which calls Python from within the engine.
template <class F>
decltype(auto) into_python(F&& f) {
  try {
    return f();
  } catch (abi::__forced_unwind&) {
    sleep_for_good();
  }
}

/// Sets the exit hook.
void bind_ending();

}  // namespace saltus::python
