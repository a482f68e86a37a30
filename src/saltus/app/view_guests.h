// Decides which viewer connections may stay. Threads of the server are reserved for clients that
// have its token, so that clients that open connections and send little or nothing cannot block
// others (docs/reference/view_data.md, Server).
#pragma once
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace httplib {
class TaskQueue;
}

namespace saltus::app {

class ViewGuests {
 public:
  /// A connection that a client opened to a port of this process.
  struct Connection {
    int socket = -1;
    std::string peer;  ///< in the format of peer()
  };

  /// Bytes of all requests of a connection together.
  static constexpr std::uint64_t kMostSent = 1u << 20;

  /// Connections to `port`, which the HTTP library does not provide; at most `most`.
  static std::vector<Connection> connected_to(
      int port, std::size_t most = std::numeric_limits<std::size_t>::max());
  static std::string peer(const std::string& address, int port);

  /// A queue of threads that serve connections; counts the connections that wait for a thread. The
  /// caller owns it and must destroy it before this object.
  httplib::TaskQueue* threads(std::size_t count);

  /// Records that this client has shown the token.
  void known(const std::string& peer);

  /// Call periodically. While connections to `port` wait for a thread, closes those that have not
  /// shown the token and send nothing, half a second after this was first detected, and those that
  /// have shown it and read nothing of what was sent to them for as long. Always closes those that
  /// have sent more than kMostSent bytes, which no client of the viewer does.
  void make_room(int port);

 private:
  using Time = std::chrono::steady_clock::time_point;
  class Threads;

  std::atomic<std::size_t> waiting_ = 0, present_ = 0;  ///< connections; present: also those served
  std::mutex lock_;
  std::set<std::string> known_;
  std::map<std::string, Time> silent_;  ///< since when, while connections wait
  struct Unread {
    int bytes = 0;  ///< sent to the client that it has not read
    Time since;
  };
  std::map<std::string, Unread> unread_;  ///< by known clients, while connections wait
};

}  // namespace saltus::app
