#include "saltus/app/view_server.h"

#include <fcntl.h>
#include <httplib.h>
#include <sys/random.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <mutex>
#include <optional>
#include <thread>

#include "saltus/app/terminal.h"
#include "saltus/app/view_guests.h"
#include "saltus/base/error.h"
#include "saltus/results/atomic_file.h"

namespace saltus::app {
namespace {

constexpr const char* kText = "text/plain; charset=utf-8";
constexpr const char* kBinary = "application/octet-stream";
// how soon a disconnected listener is detected
constexpr std::chrono::milliseconds kHeartbeat{2000};

constexpr std::chrono::milliseconds kDoor{100};  // how soon a waiting connection is detected

constexpr std::size_t kTokenBytes = 16;  // random bytes: 2^128 tokens

// time for answers that are still being read at the end
constexpr std::chrono::milliseconds kLastAnswers{500};

bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// In hexadecimal. Throws RunError.
std::string random_token() {
  std::array<unsigned char, kTokenBytes> bytes{};
  ssize_t got = 0;
  do got = ::getrandom(bytes.data(), bytes.size(), 0);
  while (got < 0 && errno == EINTR);
  if (got != static_cast<ssize_t>(bytes.size()))
    throw RunError("the system provides no random numbers for the token of the viewer");
  std::string token;
  for (const unsigned char byte : bytes)
    for (const int digit : {byte >> 4, byte & 15}) token += "0123456789abcdef"[digit];
  return token;
}

/// Takes the same time wherever the two differ, so that a token cannot be found digit by digit.
bool is_token(std::string_view given, std::string_view token) {
  if (given.size() != token.size() || token.empty()) return false;
  unsigned different = 0;
  for (std::size_t i = 0; i < token.size(); ++i)
    different |= static_cast<unsigned>(given[i] ^ token[i]);
  return different == 0;
}

/// "10.0.0.7" or "[fe80::1]", but no host name, which an attacker could point to this server.
bool is_address(std::string_view host) {
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    return std::ranges::all_of(host.substr(1, host.size() - 2), [](char c) {
      return std::isxdigit(static_cast<unsigned char>(c)) || c == ':' || c == '.';
    });
  }
  return !host.empty() &&
         std::ranges::all_of(host, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
}

void refuse(httplib::Response& answer, int status, const std::string& why) {
  answer.status = status;
  answer.set_content(why + "\n", kText);
}

void hand_out(httplib::Response& answer, const ViewContent::Bytes& bytes, const char* type) {
  answer.set_content_provider(
      bytes->size(), type, [bytes](std::size_t at, std::size_t count, httplib::DataSink& sink) {
        return sink.write(bytes->data() + at, std::min(count, bytes->size() - at));
      });
}

std::optional<std::uint64_t> whole_number(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

/// The part of a file given by the range of a request. The library accepts ranges past the end, so
/// they are clipped here.
struct Slice {
  std::uint64_t at = 0, count = 0, size = 0;
};
std::optional<Slice> slice_of(const httplib::Ranges& ranges, std::uint64_t size) {
  if (ranges.empty()) return Slice{0, size, size};
  if (ranges.size() > 1 || size == 0) return {};
  const std::int64_t end = static_cast<std::int64_t>(size);
  std::int64_t first = ranges[0].first, last = ranges[0].second;
  if (first < 0 && last < 0) return {};
  if (first < 0) {  // the last `last` bytes
    if (last == 0) return {};
    first = std::max<std::int64_t>(0, end - last);
    last = end - 1;
  } else if (last < 0 || last >= end) {
    last = end - 1;
  }
  if (first >= end || first > last) return {};
  return Slice{static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(last - first + 1),
               size};
}

// Most bytes of a part that is read completely before the response starts, so that all bytes
// belong to one state of the file.
constexpr std::uint64_t kTakenAtOnce = 16u << 20;
constexpr int kTakes = 5;  // attempts if a run writes to it in between

/// Opens the file and reads the slice if it is small. Returns an errno if the bytes do not belong
/// to one state of the file.
int take(const std::string& name, const httplib::Ranges& ranges, AtomicFile& file,
         std::optional<Slice>& slice, std::optional<std::string>& bytes) {
  if (const int error = file.open(name.c_str(), O_RDONLY)) return error;
  slice = slice_of(ranges, file.size());
  if (!slice || slice->count > kTakenAtOnce) return 0;
  bytes.emplace(slice->count, '\0');
  return file.read(slice->at, bytes->data(), bytes->size());
}

/// Serves a file that a run may be writing. Bytes of two states are never mixed: a small part is
/// read again until it is consistent, the answer with a large part is aborted.
void hand_out_file(const std::string& name, httplib::Request& request, httplib::Response& answer) {
  std::shared_ptr<AtomicFile> file;
  std::optional<Slice> slice;
  std::optional<std::string> bytes;
  int error = ESTALE;
  for (int k = 0; k < kTakes && error == ESTALE; ++k) {
    file = std::make_shared<AtomicFile>();
    bytes.reset();
    error = take(name, request.ranges, *file, slice, bytes);
  }
  if (error == ESTALE) {
    request.ranges.clear();
    answer.set_header("Retry-After", "1");
    return refuse(answer, 503, "the results file is being written; try again");
  }
  if (error != 0) {
    request.ranges.clear();
    return refuse(answer, 404, "the results file no longer exists");
  }
  const std::uint64_t size = file->size();
  const bool part = !request.ranges.empty();
  request.ranges.clear();  // the library then serves a plain body
  if (!slice) {
    answer.set_header("Content-Range", "bytes */" + std::to_string(size));
    return refuse(answer, 416, "only one range within the file is allowed");
  }
  answer.status = part ? 206 : 200;
  answer.set_header("Accept-Ranges", "bytes");
  if (part)
    answer.set_header("Content-Range", "bytes " + std::to_string(slice->at) + "-" +
                                           std::to_string(slice->at + slice->count - 1) + "/" +
                                           std::to_string(size));
  if (slice->count == 0) return answer.set_content("", kBinary);
  if (bytes)
    return hand_out(answer, std::make_shared<const std::string>(std::move(*bytes)), kBinary);
  answer.set_content_provider(
      slice->count, kBinary,
      [file, start = slice->at](std::size_t at, std::size_t count, httplib::DataSink& sink) {
        std::array<char, 65536> buffer;
        const std::size_t piece = std::min(count, buffer.size());
        return file->read(start + at, buffer.data(), piece) == 0 &&
               sink.write(buffer.data(), piece);
      });
}

// no SO_REUSEPORT, with which two servers could use one port without an error
void own_options(int socket) {
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
}

/// True if a `Host` header names the server at `host`, `port`: a loopback address or `host` itself,
/// or any numeric address if it listens on all of them. Other names are refused, so that no web
/// page can reach the server by a name that resolves to it.
bool is_own_host(std::string_view header, std::string_view host, int port) {
  std::string_view name = header, digits;
  const std::size_t colon = header.rfind(':');
  if (colon != std::string_view::npos && header.find(']', colon) == std::string_view::npos) {
    name = header.substr(0, colon);
    digits = header.substr(colon + 1);
  }
  if (digits.empty() ? port != 80 : digits != std::to_string(port)) return false;
  if (!digits.empty() && !all_digits(digits)) return false;
  if (name == "127.0.0.1" || name == "localhost" || name == "[::1]") return true;
  if (host == "0.0.0.0" || host == "::") return is_address(name);
  return name == host || name == "[" + std::string(host) + "]";
}

}  // namespace

struct ViewServer::Http {
  httplib::Server server;
  ViewContent& content;
  ViewAddress address;
  ViewGuests guests;
  const std::string token = random_token();
  std::atomic<bool> stopping = false;
  std::mutex end_lock;
  std::optional<std::chrono::steady_clock::time_point> ending;  ///< start time of the shutdown

  Http(ViewContent& content_, const ViewAddress& address_) : content(content_), address(address_) {}

  /// Includes the port, because cookies do not distinguish ports.
  std::string cookie() const { return "saltus_view_" + std::to_string(address.port); }

  /// Accepts the token in a cookie or in the address; the latter sets the cookie.
  bool has_token(const httplib::Request& request, httplib::Response& answer) const {
    if (request.has_param("token") && is_token(request.get_param_value("token"), token)) {
      answer.set_header("Set-Cookie",
                        cookie() + "=" + token + "; Path=/; HttpOnly; SameSite=Strict");
      return true;
    }
    const std::string name = cookie() + "=";
    const auto [first, last] = request.headers.equal_range("Cookie");
    for (auto header = first; header != last; ++header) {
      for (std::string_view rest = header->second; !rest.empty();) {
        const std::size_t end = std::min(rest.find(';'), rest.size());
        std::string_view one = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        while (one.starts_with(' ')) one.remove_prefix(1);
        if (one.starts_with(name) && is_token(one.substr(name.size()), token)) return true;
      }
    }
    refuse(answer, 403,
           "this server requires the token of its address: open the full address printed by "
           "`saltus view`");
    return false;
  }

  /// Refuses requests of other pages, identified by `Origin`, and requests with another host name.
  bool let_in(const httplib::Request& request, httplib::Response& answer) const {
    if (request.get_header_value_count("Host") != 1 ||
        !is_own_host(request.get_header_value("Host"), address.host, address.port)) {
      refuse(answer, 403, "this server answers only under its own address");
      return false;
    }
    if (!request.has_header("Origin")) return true;
    const std::string origin = request.get_header_value("Origin");
    constexpr std::string_view kScheme = "http://";
    if (origin.starts_with(kScheme) && request.get_header_value_count("Origin") == 1 &&
        is_own_host(std::string_view(origin).substr(kScheme.size()), address.host, address.port))
      return true;
    refuse(answer, 403, "this server answers only requests of its own page");
    return false;
  }

  /// Stops reading from all connections, so that threads that wait for a next request end. Answers
  /// that clients are still reading may finish for a short time.
  void hang_up() {
    const std::lock_guard lock(end_lock);
    const auto now = std::chrono::steady_clock::now();
    if (!ending) ending = now;
    const int what = now - *ending < kLastAnswers ? SHUT_RD : SHUT_RDWR;
    for (const auto& one : ViewGuests::connected_to(address.port)) ::shutdown(one.socket, what);
  }

  void listen_to_events(httplib::Response& answer) {
    answer.set_header("Cache-Control", "no-cache");
    answer.set_chunked_content_provider(
        "text/event-stream",
        [this, cursor = ViewContent::Cursor{}](std::size_t, httplib::DataSink& sink) mutable {
          if (stopping) {
            sink.done();
            return true;
          }
          std::string text;
          try {  // exceptions would not be caught elsewhere
            text = content.events(cursor, kHeartbeat);
          } catch (const std::exception& error) {
            complain(std::string("view: ") + error.what());
            sink.done();
            return true;
          } catch (...) {
            sink.done();
            return true;
          }
          if (text.empty()) text = ": still here\n\n";
          return sink.write(text.data(), text.size());
        });
  }

  void frames(const httplib::Request& request, httplib::Response& answer) {
    const auto first = whole_number(request.matches[1]), last = whole_number(request.matches[2]);
    if (!first || !last || *last < *first || *last - *first >= kFramesAtOnce)
      return refuse(
          answer, 400,
          "use /frames/FIRST-LAST with at most " + std::to_string(kFramesAtOnce) + " frames");
    const ViewContent::Bytes chunk = content.frames(*first, *last);
    if (!chunk) return refuse(answer, 416, "these frames do not exist");
    hand_out(answer, chunk, kBinary);
  }

  void fixed(const httplib::Request& request, httplib::Response& answer) {
    std::uint64_t generation = 0;
    if (request.has_param("generation")) {
      const auto asked = whole_number(request.get_param_value("generation"));
      if (!asked) return refuse(answer, 400, "generation must be an integer");
      generation = *asked;
    }
    const ViewContent::Bytes bytes = content.fixed(generation);
    if (!bytes) return refuse(answer, 410, "read /view.json again");
    hand_out(answer, bytes, kBinary);
  }

  /// Sets limits for clients and the headers of all answers.
  void set_limits() {
    server.new_task_queue = [this] { return guests.threads(kClients); };
    server.set_read_timeout(5);
    server.set_write_timeout(5);
    server.set_keep_alive_timeout(1);
    server.set_payload_max_length(64 * 1024);
    server.set_default_headers({{"X-Content-Type-Options", "nosniff"},
                                {"Referrer-Policy", "no-referrer"},
                                {"Cross-Origin-Resource-Policy", "same-origin"}});
  }

  /// Sets the access check, and the handling of exceptions in routes.
  void add_handlers() {
    server.set_pre_routing_handler(
        [this](const httplib::Request& request, httplib::Response& answer) {
          using enum httplib::Server::HandlerResponse;
          if (!let_in(request, answer) || !has_token(request, answer)) return Handled;
          guests.known(ViewGuests::peer(request.remote_addr, request.remote_port));
          return Unhandled;
        });
    server.set_exception_handler(
        [](const httplib::Request&, httplib::Response& answer, const std::exception_ptr& thrown) {
          try {
            std::rethrow_exception(thrown);
          } catch (const std::exception& error) {
            refuse(answer, 500, error.what());
          } catch (...) {
            refuse(answer, 500, "an unknown error");
          }
        });
  }

  /// `page`: content of GET /.
  void add_routes(std::string_view page) {
    const auto whole =
        [](auto serve) {  // ranges apply only to the results file; the library does not limit them
          return [serve](const httplib::Request& request, httplib::Response& answer) {
            // The library parses ranges before calling this handler and applies them afterwards.
            // The request is its own object and not constant.
            const_cast<httplib::Request&>(request).ranges.clear();
            answer.status = 200;
            serve(request, answer);
          };
        };
    const auto text = std::make_shared<const std::string>(page);
    server.Get("/", whole([text](const httplib::Request&, httplib::Response& answer) {
                 hand_out(answer, text, "text/html; charset=utf-8");
               }));
    server.Get("/view.json", whole([this](const httplib::Request&, httplib::Response& answer) {
                 hand_out(answer, content.header(), "application/json");
               }));
    server.Get("/static.bin", whole([this](const httplib::Request& request,
                                           httplib::Response& answer) { fixed(request, answer); }));
    server.Get(R"(/frames/(\d+)-(\d+))",
               whole([this](const httplib::Request& request, httplib::Response& answer) {
                 frames(request, answer);
               }));
    server.Get("/events", whole([this](const httplib::Request&, httplib::Response& answer) {
                 listen_to_events(answer);
               }));
    server.Get("/results.h5", [this](const httplib::Request& request, httplib::Response& answer) {
      const std::string file = content.results();
      if (file.empty()) return refuse(answer, 404, "this run has no results file");
      hand_out_file(file, const_cast<httplib::Request&>(request), answer);
    });
    server.Post("/control", [this](const httplib::Request& request, httplib::Response& answer) {
      answer.set_content(content.control(request.body), "application/json");
    });
  }

  /// Binds the port, a free one if it is 0. Throws SceneError.
  void bind() {
    int listening = -1;
    server.set_socket_options([&](int socket) {
      own_options(socket);
      listening = socket;
    });
    const int asked = address.port;
    if (asked == 0)
      address.port = std::max(server.bind_to_any_port(address.host), 0);
    else if (!server.bind_to_port(address.host, asked))
      address.port = 0;
    // The default backlog of the library is 5; further clients would only retry after a second or
    // more.
    if (listening >= 0) ::listen(listening, static_cast<int>(kClients));
    server.set_socket_options(own_options);
    if (address.port == 0)
      throw SceneError(asked == 0 ? "--host" : "--port",
                       asked == 0
                           ? "cannot listen on " + address.host
                           : "cannot listen on " + address.host + ":" + std::to_string(asked),
                       "use an address of this machine and a free port, or no port");
  }
};

ViewServer::ViewServer(ViewContent& content, std::string_view page, const ViewAddress& address)
    : http_(std::make_unique<Http>(content, address)) {
  http_->set_limits();
  http_->add_handlers();
  http_->add_routes(page);
  http_->bind();
}

ViewServer::~ViewServer() { stop(); }
int ViewServer::port() const { return http_->address.port; }
std::string ViewServer::url() const {
  const std::string& host = http_->address.host;
  const bool all = host == "0.0.0.0" || host == "::";
  return "http://" +
         (all                                   ? "127.0.0.1"
          : host.find(':') == std::string::npos ? host
                                                : "[" + host + "]") +
         ":" + std::to_string(port()) + "/?token=" + http_->token;
}
void ViewServer::run() {
  const std::jthread door([this](const std::stop_token& stop) {
    for (; !stop.stop_requested(); std::this_thread::sleep_for(kDoor))
      http_->guests.make_room(port());
  });
  http_->server.listen_after_bind();
}
void ViewServer::stop() {
  http_->stopping = true;
  http_->content.close();
  http_->server.stop();
  http_->hang_up();
}

}  // namespace saltus::app
