// Requests to the server of the viewer, as bytes on a connection that ends behind them: its parser, who is let in, and every
// route. Answers go nowhere; one that does not end is cut off.
#include <httplib.h>

#include "fuzz.h"
#define private public  // a connection without a socket
#include "saltus/app/view_server.h"
#undef private
#include "../../src/saltus/app/view_server.cpp"

using namespace saltus;
using namespace saltus_fuzz;

namespace saltus::app {
void complain(std::string_view) {}
}  // namespace saltus::app

namespace {

class Content : public app::ViewContent {
 public:
  Bytes header() override { return bytes_; }
  Bytes fixed(std::uint64_t generation) override { return generation < 3 ? bytes_ : nullptr; }
  Bytes frames(std::uint64_t first, std::uint64_t last) override {
    require(first <= last && last - first < app::ViewServer::kFramesAtOnce, "frames");
    return last < 1000 ? bytes_ : nullptr;
  }
  std::string results() const override {
    static const std::string file = [] {
      std::string name = folder().file("results.h5");
      write_file(name, std::string(1000, 'x'));
      return name;
    }();
    return file;
  }
  std::string events(Cursor& cursor, std::chrono::milliseconds) override {
    return ++cursor.row % 3 ? "data: {}\n\n" : "";
  }
  std::string control(std::string_view request) override {
    require(request.size() <= 64 * 1024, "a request of the size that is allowed");
    return R"({"ok":true})";
  }
  void close() override {}

 private:
  Bytes bytes_ = std::make_shared<const std::string>(300, 'y');
};

class Connection : public httplib::Stream {
 public:
  explicit Connection(std::string_view sent) : sent_(sent) {}
  bool is_readable() const override { return true; }
  bool is_writable() const override { return written_ < kMost; }
  ssize_t read(char* to, std::size_t size) override {
    const std::size_t count = std::min(size, sent_.size());
    std::copy_n(sent_.begin(), count, to);
    sent_.remove_prefix(count);
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* from, std::size_t size) override {
    if (written_ >= kMost) return -1;
    head_.append(from, std::min(size, std::size_t{16} - std::min<std::size_t>(head_.size(), 16)));
    written_ += size;
    return static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string& ip, int& port) const override {
    ip = "127.0.0.1", port = 1;
  }
  void get_local_ip_and_port(std::string& ip, int& port) const override {
    ip = "127.0.0.1", port = 80;
  }
  socket_t socket() const override { return INVALID_SOCKET; }

  bool finished() const { return sent_.empty() || written_ >= kMost; }
  /// "HTTP/1.1 200" ...; empty where nothing was answered.
  const std::string& head() const { return head_; }

 private:
  static constexpr std::size_t kMost = 1 << 16;
  std::string_view sent_;
  std::string head_;
  std::size_t written_ = 0;
};

struct Open : httplib::Server {
  using httplib::Server::process_request;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Content content;
  static app::ViewServer& server = *[] {
    auto* made = new app::ViewServer(content, "<html></html>", {});
    made->work_->address.port = 80;  // of the `Host` that requests name
    return made;
  }();
  // Requests of its owner: of others nothing behind the token is reached.
  static const std::string cookie = "\r\nCookie: saltus_view_80=" + server.work_->token;
  std::string text(text_of(data, size));
  for (std::size_t at = 0; (at = text.find("\r\nHost:", at)) != std::string::npos;
       at += cookie.size() + 2)
    text.insert(at, cookie);
  Connection connection(text);
  for (int k = 0; k < 4 && !connection.finished(); ++k) {
    bool closed = false;
    if (!(server.work_->server.*&Open::process_request)(connection, k == 3, closed,
                                                        [](httplib::Request&) {}) ||
        closed)
      break;
  }
  require(connection.head().empty() || connection.head().starts_with("HTTP/1.1 "), "an answer");
  return 0;
}
