// Releases the GIL while C++ works and takes it in callbacks, also while the process ends.
//
// When the interpreter shuts down, Python ends a thread that requests the GIL by unwinding its
// stack, which C++ destructors do not survive. Such a thread sleeps here instead, until the process
// is gone. Before that, an exit hook requests all work to stop and waits briefly for it.
#pragma once
#include <cxxabi.h>

#include "bind.h"

namespace saltus::python {

/// Thrown if a thread other than the one that ends the process uses the engine; becomes SystemExit
/// in Python, which ends the thread silently.
struct Ending {};

/// Whether this thread must stop: the process ends, and another thread is ending it. Needs no GIL.
bool ending_here() noexcept;
/// Never returns.
[[noreturn]] void sleep_for_good() noexcept;

/// Releases the GIL during its lifetime; throws Ending.
class Others {
 public:
  Others();
  ~Others();
  Others(const Others&) = delete;
  Others& operator=(const Others&) = delete;

 private:
  PyThreadState* mine_;
};

/// Holds the GIL during its lifetime.
class Gil {
 public:
  Gil();
  ~Gil();
  Gil(const Gil&) = delete;
  Gil& operator=(const Gil&) = delete;

 private:
  PyGILState_STATE before_;
};

/// Calls f(), which calls Python from within the engine.
template <class F>
decltype(auto) into_python(F&& f) {
  try {
    return f();
  } catch (abi::__forced_unwind&) {
    sleep_for_good();
  }
}

/// Registers the exit hook.
void bind_ending();

}  // namespace saltus::python
