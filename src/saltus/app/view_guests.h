// Who is connected to the viewer, and who of them has to leave: threads of the server are for those
// who have its token, so that clients that open connections and say little or nothing keep nobody
// out (docs/reference/view_data.md, Server).
#pragma once
#include <atomic>
#include <chrono>
#include <cstddef>
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
  /// A connection that others opened to a port of ours.
  struct Connection {
    int socket = -1;
    std::string peer;  ///< as peer() writes it
  };

  /// Those to `port`; the library does not tell.
  static std::vector<Connection> connected_to(int port);
  static std::string peer(const std::string& address, int port);

  /// Threads that serve connections; those that wait for one are counted. The caller owns it, and
  /// it must not outlive this.
  httplib::TaskQueue* threads(std::size_t count);

  /// This client has shown the token.
  void known(const std::string& peer);

  /// To be called again and again: while connections to `port` wait for a thread, those that have
  /// not shown the token and for whose next bytes a thread waits are closed, half a second after
  /// they were found so.
  void make_room(int port);

 private:
  using Time = std::chrono::steady_clock::time_point;
  class Threads;

  std::atomic<std::size_t> waiting_ = 0;
  std::mutex lock_;
  std::set<std::string> known_;
  std::map<std::string, Time> silent_;  ///< since when, while somebody waits
};

}  // namespace saltus::app
