// The server of `saltus view`: a few fixed routes, none of which reads a file by a name that a
// client gives (docs/reference/view_data.md, Server). It answers who has the token of its address:
// other users of the machine reach its port too.
#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace saltus::app {

/// What the server hands out. Its functions are called by many threads at once, and none of them
/// may hold a step of a run.
class ViewContent {
 public:
  using Bytes = std::shared_ptr<const std::string>;
  /// What a listener has heard.
  struct Cursor {
    std::uint64_t state = 0, row = 0, generation = 0;
  };
  virtual ~ViewContent() = default;

  virtual Bytes header() = 0;  ///< JSON
  /// Static bytes of the header with this number, 0: of the newest; null: forgotten.
  virtual Bytes fixed(std::uint64_t generation) = 0;
  /// A chunk of frames first .. last; null: they are not there.
  virtual Bytes frames(std::uint64_t first, std::uint64_t last) = 0;
  virtual std::string results() const { return ""; }  ///< file behind /results.h5, "": none
  /// Events behind the cursor as text of an event stream, which moves on; waits for `wait` at most,
  /// then "".
  virtual std::string events(Cursor& cursor, std::chrono::milliseconds wait) = 0;
  /// Does what a client asks; the answer is JSON: {"ok": true} or {"error": one line}.
  virtual std::string control(std::string_view request) = 0;
  /// The server ends: from now on events() waits no more.
  virtual void close() = 0;
};

/// Where to listen.
struct ViewAddress {
  std::string host = "127.0.0.1";
  int port = 0;  ///< 0: a free one
};

class ViewServer {
 public:
  static constexpr std::size_t kClients =
      160;  ///< served at once; more wait, or take the place of strangers
  static constexpr std::uint64_t kFramesAtOnce = 512;  ///< in one answer

  /// Binds, and draws a token. `page`: of GET /. Throws SceneError: the address is taken or not one
  /// of this machine; RunError: the system gives no random numbers.
  ViewServer(ViewContent& content, std::string_view page, const ViewAddress& address);
  ~ViewServer();

  int port() const;
  /// With the token: "http://127.0.0.1:8000/?token=...".
  std::string url() const;
  /// Serves until stop(), which may come from any thread.
  void run();
  void stop();

 private:
  struct Http;
  std::unique_ptr<Http> http_;
};

}  // namespace saltus::app
