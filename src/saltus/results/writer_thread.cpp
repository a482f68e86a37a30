#include "saltus/results/writer_thread.h"

#include <signal.h>

#include <exception>
#include <utility>

#include "saltus/results/hdf5.h"

namespace saltus {

WriterThread::WriterThread(bool wanted) : alone_(!wanted || !h5::many_threads()) {}

void WriterThread::wait() {
  if (job_.valid()) std::exchange(job_, {}).get();
}

void WriterThread::settle() noexcept {
  try {
    wait();
  } catch (...) {  // another error has already been reported
  }
}

void WriterThread::post(std::function<void()> job) {
  wait();
  sigset_t all, before;  // signals are handled by the thread that steps
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    if (!alone_) job_ = std::async(std::launch::async, job);
  } catch (const std::exception&) {  // no thread can be started
    alone_ = true;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!alone_) return;
  job_ = std::async(std::launch::deferred, std::move(job));
  job_.wait();
}

}  // namespace saltus
