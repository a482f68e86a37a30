#include "saltus/app/interrupt.h"

#include <signal.h>

namespace saltus::app {
namespace {

volatile sig_atomic_t received = 0;
Stop asked;

extern "C" void note_signal(int number) {
  received = number;
  asked.request();
}

void install(int number) {
  struct sigaction old {};
  ::sigaction(number, nullptr, &old);
  if (old.sa_handler == SIG_IGN) return;  // the parent, for example nohup, ignores it
  struct sigaction action {};
  action.sa_handler = note_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(number, &action, nullptr);
}

void remove(int number) {
  struct sigaction old {};
  ::sigaction(number, nullptr, &old);
  if (old.sa_handler == note_signal) ::signal(number, SIG_DFL);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  received = 0;
  asked.take_back();
  install(SIGINT);
  install(SIGTERM);
}

InterruptGuard::~InterruptGuard() {
  remove(SIGINT);
  remove(SIGTERM);
  asked.take_back();
}

int InterruptGuard::signal() const { return received; }
Stop& InterruptGuard::stop() { return asked; }

}  // namespace saltus::app
