// The server of `saltus view`: a few fixed routes, none of which reads a file whose name comes from
// a client (docs/reference/view_data.md, Server). It answers only clients with the token of its
// address, because other users of the machine can reach its port too.
#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace saltus::app {

/// Content of the server. Its functions are called by many threads at once, and none of them may
/// delay a step of a run.
class ViewContent {
 public:
  using Bytes = std::shared_ptr<const std::string>;
  /// Position of a listener in the event stream.
  struct Cursor {
    std::uint64_t state = 0, row = 0, generation = 0;
  };
  virtual ~ViewContent() = default;

  virtual Bytes header() = 0;  ///< JSON
  /// Static bytes of the header with this generation, 0: of the newest; null: no longer available.
  virtual Bytes fixed(std::uint64_t generation) = 0;
  /// A chunk of frames first .. last; null: not available.
  virtual Bytes frames(std::uint64_t first, std::uint64_t last) = 0;
  virtual std::string results() const { return ""; }  ///< file served as /results.h5; "": none
  /// Events after the cursor as text of an event stream, and advances the cursor. Waits at most
  /// `wait`, then returns "".
  virtual std::string events(Cursor& cursor, std::chrono::milliseconds wait) = 0;
  /// Executes a request of a client; returns JSON: {"ok": true} or {"error": one line}.
  virtual std::string control(std::string_view request) = 0;
  /// Called when the server ends: from then on events() does not wait.
  virtual void close() = 0;
};

/// The address to listen on.
struct ViewAddress {
  std::string host = "127.0.0.1";
  int port = 0;  ///< 0: a free port
};

class ViewServer {
 public:
  /// Served at once; others wait, or replace clients without the token.
  static constexpr std::size_t kClients = 160;
  static constexpr std::uint64_t kFramesAtOnce = 512;  ///< per answer

  /// Binds the port and generates a token. `page`: content of GET /. Throws SceneError: the address
  /// is in use or not on this machine; RunError: the system provides no random numbers.
  ViewServer(ViewContent& content, std::string_view page, const ViewAddress& address);
  ~ViewServer();

  int port() const;
  /// Includes the token: "http://127.0.0.1:8000/?token=...".
  std::string url() const;
  /// Serves until stop(), which may be called from any thread.
  void run();
  void stop();

 private:
  struct Http;
  std::unique_ptr<Http> http_;
};

}  // namespace saltus::app
