#include "saltus/app/view_guests.h"

#include <httplib.h>
#include <linux/sockios.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <utility>

namespace saltus::app {
namespace {

constexpr std::chrono::milliseconds kPatience{500};
// Upper bound on descriptors to test: the system always assigns the lowest free number. Listing
// /proc would itself need a free descriptor.
constexpr rlim_t kDescriptors = 65536;

/// Whether there are unread bytes: then the client waits for the server, not vice versa.
bool has_said_more(int socket) {
  int bytes = 0;
  return ::ioctl(socket, FIONREAD, &bytes) == 0 && bytes > 0;
}

/// Bytes that wait to be read by the client.
int bytes_unread(int socket) {
  int bytes = 0;
  return ::ioctl(socket, SIOCOUTQ, &bytes) == 0 ? bytes : 0;
}

/// Since the connection was opened. The HTTP library reads a line of any length into memory.
std::uint64_t bytes_received(int socket) {
  // tcp_info of the C library lacks this member of the kernel's (64 bits, since Linux 4.1)
  constexpr std::size_t kAt = 128;
  std::array<char, kAt + sizeof(std::uint64_t)> info{};
  auto size = static_cast<socklen_t>(info.size());
  std::uint64_t bytes = 0;
  if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, info.data(), &size) == 0 && size == info.size())
    std::memcpy(&bytes, info.data() + kAt, sizeof bytes);
  return bytes;
}

}  // namespace

class ViewGuests::Threads final : public httplib::TaskQueue {
 public:
  Threads(std::size_t count, ViewGuests& guests) : pool_(count), guests_(guests) {}
  void enqueue(std::function<void()> serve) override {
    ++guests_.present_;
    ++guests_.waiting_;
    pool_.enqueue([this, serve = std::move(serve)] {
      --guests_.waiting_;
      serve();
      --guests_.present_;
    });
  }
  void shutdown() override { pool_.shutdown(); }

 private:
  httplib::ThreadPool pool_;
  ViewGuests& guests_;
};

std::string ViewGuests::peer(const std::string& address, int port) {
  return address + " " + std::to_string(port);
}

std::vector<ViewGuests::Connection> ViewGuests::connected_to(int port, std::size_t most) {
  std::vector<Connection> found;
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const auto end = static_cast<int>(std::min<rlim_t>(limit.rlim_cur, kDescriptors));
  for (int descriptor = 0; descriptor < end && found.size() < most; ++descriptor) {
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

httplib::TaskQueue* ViewGuests::threads(std::size_t count) { return new Threads(count, *this); }

void ViewGuests::known(const std::string& peer) {
  const std::lock_guard lock(lock_);
  known_.insert(peer);
}

void ViewGuests::make_room(int port) {
  const std::lock_guard lock(lock_);
  const bool crowded = waiting_ > 0;
  const Time now = std::chrono::steady_clock::now();
  std::set<std::string> known;
  std::map<std::string, Time> silent;
  std::map<std::string, Unread> unread;
  for (const Connection& one : connected_to(port, present_)) {
    const auto close_after_patience = [&](Time since) {
      if (now - since >= kPatience) ::shutdown(one.socket, SHUT_RDWR);
    };
    if (bytes_received(one.socket) > kMostSent) ::shutdown(one.socket, SHUT_RDWR);
    if (known_.contains(one.peer)) {
      known.insert(one.peer);
      const int bytes = crowded ? bytes_unread(one.socket) : 0;
      if (bytes == 0) continue;
      const auto before = unread_.find(one.peer);
      const bool same = before != unread_.end() && before->second.bytes == bytes;
      unread[one.peer] = {bytes, same ? before->second.since : now};
      close_after_patience(unread[one.peer].since);
    } else if (crowded && !has_said_more(one.socket)) {
      const auto before = silent_.find(one.peer);
      silent[one.peer] = before == silent_.end() ? now : before->second;
      close_after_patience(silent[one.peer]);
    }
  }
  known_.swap(known);
  silent_.swap(silent);
  unread_.swap(unread);
}

}  // namespace saltus::app
