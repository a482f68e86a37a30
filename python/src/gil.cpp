#include "gil.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace saltus::python {
namespace {

constexpr auto kWait = std::chrono::seconds(2);

std::atomic<int> g_working{0};  // number of Others in existence
std::atomic<bool> g_ending{false};
std::atomic<std::thread::id> g_ender{};

void finish() {
  g_ender.store(std::this_thread::get_id());
  g_ending.store(true);
  PyThreadState* const mine = PyEval_SaveThread();
  const auto due = std::chrono::steady_clock::now() + kWait;
  while (g_working.load() > 0 && std::chrono::steady_clock::now() < due)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  PyEval_RestoreThread(mine);
}

}  // namespace

bool ending_here() noexcept {
  return g_ending.load() && g_ender.load() != std::this_thread::get_id();
}

void sleep_for_good() noexcept {
  for (;;) pause();
}

Others::Others() {
  if (ending_here()) throw Ending{};
  g_working.fetch_add(1);
  mine_ = PyEval_SaveThread();
}

Others::~Others() {
  g_working.fetch_sub(1);
  try {
    PyEval_RestoreThread(mine_);
  } catch (abi::__forced_unwind&) {
    sleep_for_good();
  }
}

Gil::Gil() {
  if (!Py_IsInitialized() && ending_here()) sleep_for_good();
  try {
    before_ = PyGILState_Ensure();
  } catch (abi::__forced_unwind&) {
    sleep_for_good();
  }
}

Gil::~Gil() {
  if (ending_here() && !PyGILState_Check()) sleep_for_good();
  PyGILState_Release(before_);
}

void bind_ending() {
  // threads remain with the parent process
  pthread_atfork(nullptr, nullptr, [] { g_working.store(0); });
  py::module_::import("atexit").attr("register")(py::cpp_function(&finish));
}

}  // namespace saltus::python
