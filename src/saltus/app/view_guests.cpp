#include "saltus/app/view_guests.h"

#include <httplib.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <utility>

namespace saltus::app {
namespace {

constexpr std::chrono::milliseconds kPatience{500};
// Upper bound on descriptors to test: the system always assigns the lowest free number. Listing
// /proc would itself need a free descriptor.
constexpr rlim_t kDescriptors = 65536;
constexpr std::size_t kManyKnown = 1000;  // above this, clients that have left are deleted

/// Whether there are unread bytes: then the client waits for the server, not vice versa.
bool has_said_more(int socket) {
  int bytes = 0;
  return ::ioctl(socket, FIONREAD, &bytes) == 0 && bytes > 0;
}

}  // namespace

class ViewGuests::Threads final : public httplib::TaskQueue {
 public:
  Threads(std::size_t count, std::atomic<std::size_t>& waiting) : pool_(count), waiting_(waiting) {}
  void enqueue(std::function<void()> serve) override {
    ++waiting_;
    pool_.enqueue([this, serve = std::move(serve)] {
      --waiting_;
      serve();
    });
  }
  void shutdown() override { pool_.shutdown(); }

 private:
  httplib::ThreadPool pool_;
  std::atomic<std::size_t>& waiting_;
};

std::string ViewGuests::peer(const std::string& address, int port) {
  return address + " " + std::to_string(port);
}

std::vector<ViewGuests::Connection> ViewGuests::connected_to(int port) {
  std::vector<Connection> found;
  rlimit most{};
  ::getrlimit(RLIMIT_NOFILE, &most);
  const auto end = static_cast<int>(std::min<rlim_t>(most.rlim_cur, kDescriptors));
  for (int descriptor = 0; descriptor < end; ++descriptor) {
    sockaddr_storage own{}, other{};
    socklen_t own_size = sizeof own, other_size = sizeof other;
    if (::getsockname(descriptor, reinterpret_cast<sockaddr*>(&own), &own_size) != 0 ||
        ::getpeername(descriptor, reinterpret_cast<sockaddr*>(&other), &other_size) != 0)
      continue;
    in_port_t at = 0, from = 0;
    if (own.ss_family == AF_INET) {
      at = reinterpret_cast<const sockaddr_in&>(own).sin_port;
      from = reinterpret_cast<const sockaddr_in&>(other).sin_port;
    } else if (own.ss_family == AF_INET6) {
      at = reinterpret_cast<const sockaddr_in6&>(own).sin6_port;
      from = reinterpret_cast<const sockaddr_in6&>(other).sin6_port;
    }
    if (at != htons(static_cast<std::uint16_t>(port))) continue;
    std::array<char, NI_MAXHOST> name{};
    ::getnameinfo(reinterpret_cast<const sockaddr*>(&other), other_size, name.data(), name.size(),
                  nullptr, 0, NI_NUMERICHOST);
    found.push_back({descriptor, peer(name.data(), ntohs(from))});
  }
  return found;
}

httplib::TaskQueue* ViewGuests::threads(std::size_t count) { return new Threads(count, waiting_); }

void ViewGuests::known(const std::string& peer) {
  const std::lock_guard lock(lock_);
  known_.insert(peer);
}

void ViewGuests::make_room(int port) {
  const std::lock_guard lock(lock_);
  if (waiting_ == 0) silent_.clear();
  if (waiting_ == 0 && known_.size() < kManyKnown) return;
  const Time now = std::chrono::steady_clock::now();
  std::set<std::string> known;
  std::map<std::string, Time> silent;
  for (const Connection& one : connected_to(port)) {
    if (known_.contains(one.peer)) {
      known.insert(one.peer);
      continue;
    }
    if (waiting_ == 0 || has_said_more(one.socket)) continue;
    const auto before = silent_.find(one.peer);
    const Time since = before == silent_.end() ? now : before->second;
    silent.emplace(one.peer, since);
    if (now - since >= kPatience) ::shutdown(one.socket, SHUT_RDWR);
  }
  known_.swap(known);
  silent_.swap(silent);
}

}  // namespace saltus::app
