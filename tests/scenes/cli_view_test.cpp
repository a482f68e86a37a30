// `saltus view`: what the server answers, to whom, and that a run waits for none of its listeners.
#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>
#include <vector>

#include "command.h"

using namespace saltus_test;
using namespace std::chrono_literals;

namespace {

/// By which the server knows who may ask it; "": as somebody who was not told its address.
std::string cookie_of_server;

/// A connection to a port of this machine.
class Client {
 public:
  /// `kept`: bytes that the system keeps for it, 0: as many as usual.
  explicit Client(int port, int kept = 0) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    if (kept > 0) ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &kept, sizeof kept);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience{10, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    const timeval shorter{3, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &shorter, sizeof shorter);
    open_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  ~Client() { ::close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  bool open() const { return open_; }
  /// False if the other side does not take it.
  bool send(std::string text) const {
    const std::size_t end = text.find(" HTTP/1.1\r\n");
    if (end != std::string::npos && !cookie_of_server.empty())
      text.insert(end + 11, "Cookie: other=1; " + cookie_of_server + "\r\n");
    return ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(text.size());
  }
  /// Until the other side ends, or `enough` is in it, if that is not empty.
  std::string receive(const std::string& enough = "") const {
    std::string all;
    char buffer[65536];
    for (ssize_t n; (enough.empty() || all.find(enough) == std::string::npos) &&
                    (n = ::recv(socket_, buffer, sizeof buffer, 0)) > 0;)
      all.append(buffer, static_cast<std::size_t>(n));
    return all;
  }

 private:
  int socket_;
  bool open_ = false;
};

struct Answer {
  int status = 0;
  std::string head, body;
};

Answer ask_plainly(int port, const std::string& request) {
  const Client client(port);
  client.send(request);
  const std::string all = client.receive();
  Answer answer;
  const std::size_t end = all.find("\r\n\r\n");
  if (end == std::string::npos || all.size() < 12) return answer;
  answer.head = all.substr(0, end);
  answer.body = all.substr(end + 4);
  answer.status = std::atoi(all.c_str() + 9);
  return answer;
}

Answer ask(int port, const std::string& path, const std::string& more = "") {
  return ask_plainly(port, "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
                               "\r\nConnection: close\r\n" + more + "\r\n");
}

nlohmann::json tell(int port, const nlohmann::json& what) {
  const std::string body = what.dump();
  const Answer answer = ask_plainly(
      port, "POST /control HTTP/1.1\r\nHost: localhost:" + std::to_string(port) +
                "\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) +
                "\r\n\r\n" + body);
  return nlohmann::json::parse(answer.body, nullptr, false);
}

/// A free port; somebody else could take it before it is used, which then fails the test by name.
int free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  REQUIRE(::bind(socket, reinterpret_cast<const sockaddr*>(&address), size) == 0);
  REQUIRE(::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  ::close(socket);
  return ntohs(address.sin_port);
}

/// The token in the address that a server prints, as soon as it does.
std::string token_told(pid_t child) {
  constexpr std::string_view kBefore = "/?token=";
  for (int i = 0; i < 400; ++i) {
    std::ifstream out("/proc/" + std::to_string(child) + "/fd/1");
    const std::string text(std::istreambuf_iterator<char>(out), {});
    const std::size_t at = text.find(kBefore);
    if (at != std::string::npos && text.size() >= at + kBefore.size() + 32)
      return text.substr(at + kBefore.size(), 32);
    std::this_thread::sleep_for(25ms);
  }
  return "";
}

/// Runs `saltus view words... --port N`, calls `visit` with the port when it answers, and interrupts it.
Outcome with_server(const Folder& folder, std::vector<std::string> words,
                    const std::function<void(int, pid_t)>& visit) {
  const int port = free_port();
  words.insert(words.begin(), "view");
  words.insert(words.end(), {"--port", std::to_string(port)});
  Launch launch;
  launch.meanwhile = [&](pid_t child) {
    bool answers = false;
    for (int i = 0; i < 400 && !answers; ++i) {
      answers = Client(port).open();
      if (!answers) std::this_thread::sleep_for(25ms);
    }
    CHECK_MESSAGE(answers, "the server does not listen");
    const std::string token = token_told(child);
    CHECK(token.size() == 32);
    cookie_of_server = "saltus_view_" + std::to_string(port) + "=" + token;
    if (answers) visit(port, child);
    cookie_of_server.clear();
    ::kill(child, SIGINT);
  };
  return saltus_command(folder, words, launch);
}

Outcome with_server(const Folder& folder, std::vector<std::string> words,
                    const std::function<void(int)>& visit) {
  return with_server(folder, std::move(words), [&](int port, pid_t) { visit(port); });
}

/// Largest memory that a process has used until now [MB].
double peak_memory(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::atof(line.c_str() + 6) / 1024.0;
  return 0.0;
}

/// A block on a floor, whose records show stress where the scene asks for it.
std::string block_scene() {
  return R"(saltus: 1
time: {end: 1 s, step: 10 ms}
gravity: [0, 0, -9.81]
bodies:
  - name: floor
    kind: rigid
    rigid: {shape: {plane: {}}, fixed: true}
  - name: block
    kind: fem
    fem:
      mesh: {box: {kind: hex8, cells: [1, 1, 1], size: [1, 1, 1]}}
      material: {law: linear, young: 1 MPa, poisson: 0.3, density: 1000}
surfaces:
  - {law: {kind: newton-impact}}
outputs:
  - {probe: block, name: time, at: [0, 0, 1], direction: [0, 0, 1], quantity: displacement}
)";
}

}  // namespace

TEST_CASE(
    "view hands out page, header, static bytes and frames of a stored run, and nothing else") {
  const Folder folder;
  folder.write("scene.yaml", small_scene());
  REQUIRE(saltus_command(folder, {"run", "scene.yaml", "-o", "a.h5", "-q"}).code == 0);
  const std::string file = folder.read("a.h5");
  const Outcome outcome = with_server(folder, {"a.h5"}, [&](int port) {
    const Answer page = ask(port, "/");
    CHECK(page.status == 200);
    CHECK(page.body.size() > 10'000);
    const auto header = nlohmann::json::parse(ask(port, "/view.json").body, nullptr, false);
    REQUIRE(header.is_object());
    CHECK(header["format"] == "saltus-view");
    CHECK(header["finished"] == true);
    const auto frames = header["frames"]["count"].get<int>();
    REQUIRE(frames > 3);
    const std::string generation = std::to_string(header["generation"].get<int>());
    CHECK(ask(port, "/static.bin?generation=" + generation).body.size() > 1000);
    CHECK(ask(port, "/static.bin?generation=77").status == 410);
    const Answer chunk = ask(port, "/frames/1-3");
    CHECK(chunk.status == 200);
    CHECK(chunk.body.starts_with("SLTF"));
    CHECK(ask(port, "/frames/1-" + std::to_string(frames)).status == 416);
    for (const char* path : {"/frames/3-1", "/frames/0-600", "/frames/99999999999999999999999-1"})
      CHECK_MESSAGE(ask(port, path).status == 400, path);
    for (const char* path : {"/scene.yaml", "/../a.h5", "/..%2f..%2f..%2fetc/passwd", "/a.h5",
                             "//etc/passwd", "/frames/../../etc/passwd"})
      CHECK_MESSAGE(ask(port, path).status == 404, path);
    CHECK(tell(port, {{"do", "start"}}).contains("error"));
  });
  CHECK(outcome.code == 0);
  CHECK(outcome.out.find("http://127.0.0.1:") != std::string::npos);
}

TEST_CASE("view gives the parts of the results file that a range names, and 416 for what is none") {
  const Folder folder;
  folder.write("scene.yaml", small_scene());
  REQUIRE(saltus_command(folder, {"run", "scene.yaml", "-o", "a.h5", "-q"}).code == 0);
  const std::string file = folder.read("a.h5");
  with_server(folder, {"a.h5"}, [&](int port) {
    const auto part = [&](const std::string& range) {
      return ask(port, "/results.h5", "Range: " + range + "\r\n");
    };
    CHECK(ask(port, "/results.h5").body == file);
    CHECK(part("bytes=0-9").status == 206);
    CHECK(part("bytes=0-9").body == file.substr(0, 10));
    CHECK(part("bytes=-5").body == file.substr(file.size() - 5));
    const Answer tail = part("bytes=" + std::to_string(file.size() - 3) + "-999999999999");
    CHECK(tail.status == 206);
    CHECK(tail.body == file.substr(file.size() - 3));
    for (const char* range :
         {"bytes=9-3", "bytes=99999999999-", "bytes=0-1,5-6", "bites=0-1", "bytes=a-b", "bytes=-0",
          "bytes=99999999999999999999999-", "bytes=0-18446744073709551615", "bytes=-", "bytes="})
      CHECK_MESSAGE(part(range).status == 416, range);
    CHECK(ask(port, "/view.json", "Range: bytes=0-3\r\n").status == 200);
  });
}

TEST_CASE("view answers its own page alone: other hosts and origins are refused") {
  const Folder folder;
  folder.write("scene.yaml", small_scene());
  with_server(folder, {"--live", "scene.yaml"}, [&](int port) {
    const std::string digits = std::to_string(port);
    const auto status = [&](const std::string& host, const std::string& more) {
      return ask_plainly(port,
                         "GET /view.json HTTP/1.1\r\nConnection: close\r\n" + host + more + "\r\n")
          .status;
    };
    CHECK(status("Host: 127.0.0.1:" + digits + "\r\n", "") == 200);
    CHECK(status("Host: localhost:" + digits + "\r\n",
                 "Origin: http://localhost:" + digits + "\r\n") == 200);
    for (const std::string& host :
         {std::string(), "Host: evil.example:" + digits + "\r\n",
          std::string("Host: 127.0.0.1\r\n"), "Host: 127.0.0.1.evil.example:" + digits + "\r\n",
          "Host: localhost:" + digits + "\r\nHost: evil.example:" + digits + "\r\n"})
      CHECK_MESSAGE(status(host, "") == 403, host);
    for (const std::string& origin :
         {std::string("null"), std::string("http://evil.example"), "https://localhost:" + digits,
          "http://localhost:" + std::to_string(port + 1)})
      CHECK_MESSAGE(
          status("Host: localhost:" + digits + "\r\n", "Origin: " + origin + "\r\n") == 403,
          origin);
  });
}

TEST_CASE("a file that a run writes is told to grow, and not when that run was killed") {
  const Folder folder;
  const auto growing = [](int port) {
    const Client listener(port);
    listener.send("GET /events HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n\r\n");
    const std::string heard = listener.receive("\"ended\":");
    CHECK(heard.find("\"ended\":false") != std::string::npos);
    return heard.find("\"running\":true") != std::string::npos;
  };
  bool before = false, after = true;
  Launch launch;
  launch.meanwhile = [&](pid_t run) {
    for (int i = 0; i < 100 && saltus_command(folder, {"info", "a.h5.part"}).code != 0; ++i)
      std::this_thread::sleep_for(20ms);
    with_server(folder, {"a.h5.part"}, [&](int port) {
      before = growing(port);
      ::kill(run, SIGKILL);
      for (int i = 0; i < 100 && (after = growing(port)); ++i) std::this_thread::sleep_for(50ms);
    });
    ::kill(run, SIGKILL);
  };
  saltus_command(
      folder, {"run", SALTUS_EXAMPLES "/sphere_pile.yaml", "-o", "a.h5", "-q", "--until", "20 s"},
      launch);
  CHECK(before);
  CHECK_FALSE(after);
}

TEST_CASE("a hundred clients are served beside thirty that read nothing") {
  const Folder folder;
  folder.write("scene.yaml", small_scene());
  REQUIRE(saltus_command(folder, {"run", "scene.yaml", "-o", "a.h5", "-q"}).code == 0);
  with_server(folder, {"a.h5"}, [&](int port) {
    std::vector<std::unique_ptr<Client>> stalled;
    for (int i = 0; i < 30; ++i) {
      stalled.push_back(std::make_unique<Client>(port));
      if (i % 2)
        stalled.back()->send("GET / HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
                             "\r\n\r\n");
    }
    const std::string whole = ask(port, "/view.json").body;
    std::atomic<int> served = 0;
    std::vector<std::thread> clients;
    for (int i = 0; i < 100; ++i)
      clients.emplace_back([&] { served += ask(port, "/view.json").body == whole; });
    for (std::thread& client : clients) client.join();
    CHECK(served == 100);
  });
}

TEST_CASE("a live run is started, paused, stepped, changed and started again by a client") {
  const Folder folder;
  folder.write("scene.yaml", small_scene());
  const Outcome outcome = with_server(folder, {"--live", "scene.yaml"}, [&](int port) {
    const auto holds = [&](int frame) {  // of a chunk: its third number
      const std::string name = std::to_string(frame);
      const Answer chunk = ask(port, "/frames/" + name + "-" + name);
      return chunk.status == 200 && chunk.body.size() >= 16 && chunk.body[8] == 1;
    };
    const auto frames = [&] {
      int count = 0;
      while (holds(count)) ++count;
      return count;
    };
    const auto header = nlohmann::json::parse(ask(port, "/view.json").body, nullptr, false);
    REQUIRE(header.is_object());
    CHECK(header["live"] == true);
    CHECK(header["controls"].size() > 0);
    CHECK(frames() == 1);
    CHECK(tell(port, {{"do", "step"}})["ok"] == true);
    for (int i = 0; i < 200 && frames() < 2; ++i) std::this_thread::sleep_for(10ms);
    CHECK(frames() == 2);
    CHECK(tell(port, {{"do", "set"}, {"path", "speed"}, {"value", 0}})["ok"] == true);
    CHECK(tell(port, {{"do", "start"}})["ok"] == true);
    const Client listener(port);
    listener.send("GET /events HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n\r\n");
    const std::string heard = listener.receive("\"ended\":true");
    CHECK(heard.find("event: state") != std::string::npos);
    CHECK(heard.find("event: rows") != std::string::npos);
    CHECK(heard.find("\"ended\":true") != std::string::npos);
    CHECK(frames() > 2);
    CHECK(tell(port, {{"do", "restart"}})["ok"] == true);
    CHECK(frames() == 1);
    for (const nlohmann::json& wrong :
         {nlohmann::json{{"do", "fly"}}, nlohmann::json{{"do", "set"}},
          nlohmann::json{{"do", "set"}, {"path", "bodies[7].name"}, {"value", 1}},
          nlohmann::json{{"do", "set"}, {"path", "speed"}, {"value", -1}}, nlohmann::json(3)}) {
      const auto answer = tell(port, wrong);
      REQUIRE(answer.contains("error"));
      CHECK(answer["error"].get<std::string>().find('\n') == std::string::npos);
    }
  });
  CHECK(outcome.code == 0);
}

TEST_CASE(
    "a change that a live run refuses leaves it as it was, and one that changes its records begins "
    "anew") {
  const Folder folder;
  folder.write("scene.yaml", block_scene());
  const Outcome outcome = with_server(folder, {"--live", "scene.yaml"}, [&](int port) {
    const auto header = [&] {
      return nlohmann::json::parse(ask(port, "/view.json").body, nullptr, false);
    };
    const int bytes = header()["frame_bytes"].get<int>();
    CHECK(tell(port,
               {{"do", "set"}, {"path", "bodies[1].fem.mesh.box.cells"}, {"value", "[2, 1, 1]"}})
              .contains("error"));
    CHECK(header()["frame_bytes"] == bytes);
    CHECK(tell(port, {{"do", "step"}})["ok"] == true);
    for (int i = 0; i < 200 && ask(port, "/frames/1-1").body[8] != 1; ++i)
      std::this_thread::sleep_for(10ms);
    CHECK(tell(port, {{"do", "set"}, {"path", "results.stress"}, {"value", true}})["ok"] == true);
    CHECK(header()["frame_bytes"] > bytes);
    CHECK(ask(port, "/frames/1-1").body[8] == 0);  // of the records before
    CHECK(ask(port, "/frames/2-2").body[8] == 1);
    const Client listener(port);  // a probe called time is no time
    listener.send("GET /events HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n\r\n");
    CHECK(listener.receive("\"time-2\"").find("event: rows") != std::string::npos);
  });
  CHECK(outcome.code == 0);
}

TEST_CASE(
    "clients that fetch frames while a live run changes its records get none or those of one") {
  const Folder folder;
  folder.write("scene.yaml", block_scene());
  int changes = 0;
  std::atomic<int> whole = 0, wrong = 0;
  const Outcome outcome =
      with_server(folder, {"--live", "scene.yaml", "--set", "time.end=1000"}, [&](int port) {
        struct Header {
          int generation = 0;
          std::uint32_t frame = 0, contact = 1;  // [bytes]
          bool operator==(const Header&) const = default;
        };
        const auto header = [&]() -> Header {
          const auto json = nlohmann::json::parse(ask(port, "/view.json").body, nullptr, false);
          if (!json.is_object()) return {};
          return {json["generation"], json["frame_bytes"], json["contact_bytes"]};
        };
        const std::uint32_t plain = header().frame;
        CHECK(tell(port, {{"do", "set"}, {"path", "results.stress"}, {"value", true}})["ok"] ==
              true);
        const std::uint32_t stressed = header().frame;
        REQUIRE(plain < stressed);
        std::atomic<bool> done = false;
        std::vector<std::thread> clients;
        for (int k = 0; k < 3; ++k)
          clients.emplace_back([&, k] {
            for (; !done; std::this_thread::sleep_for(2ms)) {
              const Header before = header();
              const Answer chunk = ask(port, "/frames/0-" + std::to_string(k));
              const Header after = header();
              std::uint32_t head[4]{}, of_record = 0;
              if (chunk.status != 200 || chunk.body.size() < 16) {
                if (!done) ++wrong;
                continue;
              }
              std::memcpy(head, chunk.body.data(), sizeof head);
              const std::size_t count = head[2], offsets = 16 + 12 * count + 4;
              if (count == 0) continue;
              std::memcpy(&of_record, chunk.body.data() + offsets, sizeof of_record);
              ++whole;
              if (before == after &&
                  (of_record < before.frame || (of_record - before.frame) % before.contact != 0))
                ++wrong;
            }
          });
        for (int k = 0; k < 6; ++k)
          changes += tell(port, {{"do", "restart"}}).contains("ok") &&
                     tell(port, {{"do", "start"}}).contains("ok") &&
                     tell(port, {{"do", "set"}, {"path", "results.stress"}, {"value", k % 2 == 1}})
                         .contains("ok");
        done = true;
        for (std::thread& client : clients) client.join();
      });
  CHECK(outcome.code == 0);
  CHECK(changes == 6);
  CHECK(whole > 0);
  CHECK(wrong == 0);
}

TEST_CASE("view ends at once although browsers keep their connections open") {
  const Folder folder;
  folder.write("scene.yaml", small_scene());
  std::vector<std::unique_ptr<Client>> idle;
  std::chrono::steady_clock::time_point told;
  const Outcome outcome = with_server(folder, {"--live", "scene.yaml"}, [&](int port) {
    for (int k = 0; k < 6; ++k) {
      idle.push_back(std::make_unique<Client>(port));
      if (k % 3 == 0) continue;  // one that asks for nothing
      idle.back()->send((k % 3 == 1 ? "GET /view.json" : "GET /events") +
                        (" HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n\r\n"));
      CHECK(idle.back()->receive("\r\n\r\n").starts_with("HTTP/1.1 200"));
    }
    told = std::chrono::steady_clock::now();
  });
  CHECK(outcome.code == 0);
  CHECK(std::chrono::steady_clock::now() - told < 2s);
}

TEST_CASE(
    "the answer with a large results file breaks off when a run writes to the file meanwhile") {
  const Folder folder;
  folder.write("scene.yaml", small_scene());
  REQUIRE(saltus_command(folder, {"run", "scene.yaml", "-o", "a.h5", "-q"}).code == 0);
  constexpr std::size_t kSize = 32u << 20;
  const int file = ::open((folder / "a.h5").c_str(), O_RDWR);
  REQUIRE(file >= 0);
  REQUIRE(::ftruncate(file, kSize) == 0);  // zeros behind what HDF5 wrote
  with_server(folder, {"a.h5"}, [&](int port) {
    const auto whole = [&](bool flush) {
      const Client client(port, 4096);
      client.send("GET /results.h5 HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
                  "\r\nConnection: close\r\n\r\n");
      const std::string head = client.receive("\r\n\r\n");
      CHECK(head.starts_with("HTTP/1.1 200"));
      std::uint64_t count = 0;  // of flushes, twice
      REQUIRE(::pread(file, &count, sizeof count, 56) == sizeof count);
      count += 2;
      if (flush) REQUIRE(::pwrite(file, &count, sizeof count, 56) == sizeof count);
      return head.size() + client.receive().size() > kSize;
    };
    CHECK(whole(false));
    CHECK_FALSE(whole(true));
    CHECK(whole(false));
    CHECK(ask(port, "/results.h5", "Range: bytes=0-99\r\n").status == 206);
  });
  ::close(file);
}

TEST_CASE(
    "sixty listeners that read nothing hold no step of a live run, whose cost is told at the end") {
  const Folder folder;
  folder.write("scene.yaml", small_scene());
  double wall = 0.0;
  const Outcome outcome = with_server(folder, {"--live", "scene.yaml", "--json"}, [&](int port) {
    const std::string head = " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n\r\n";
    std::vector<std::unique_ptr<Client>> stalled;
    for (int i = 0; i < 60; ++i) {
      stalled.push_back(std::make_unique<Client>(port, 4096));
      stalled.back()->send((i % 2 ? "GET /events" : "GET /") + head);
    }
    CHECK(tell(port, {{"do", "set"}, {"path", "speed"}, {"value", 0}})["ok"] == true);
    const auto began = std::chrono::steady_clock::now();
    CHECK(tell(port, {{"do", "start"}})["ok"] == true);
    const Client listener(port);
    listener.send("GET /events" + head);
    CHECK(listener.receive("\"ended\":true").find("\"ended\":true") != std::string::npos);
    wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  });
  CHECK(outcome.code == 0);
  const std::string last = outcome.out.substr(outcome.out.find('\n') + 1);
  const auto cost = nlohmann::json::parse(last, nullptr, false);
  REQUIRE(cost.is_object());
  CHECK(cost["steps"] == 2000);
  CHECK(cost["waiting"].get<double>() <= 0.01 * wall);
  CHECK(cost["stepping"].get<double>() <= wall);
  CHECK(cost["handing_over"].get<double>() <= wall);
  CHECK(cost["stepping_cpu"].get<double>() > 0.0);
  CHECK(cost["frames"].get<double>() <= 3.0 + 60.0 * wall);
}

TEST_CASE("strangers who say nothing or a byte at times keep nobody out who has the token") {
  const Folder folder;
  folder.write("scene.yaml", small_scene());
  const Outcome outcome = with_server(folder, {"--live", "scene.yaml"}, [&](int port) {
    const Client listener(port);  // who has it stays, however quiet
    listener.send("GET /events HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n\r\n");
    CHECK(listener.receive("\r\n\r\n").starts_with("HTTP/1.1 200"));
    std::vector<std::unique_ptr<Client>> strangers;
    for (int k = 0; k < 240; ++k) strangers.push_back(std::make_unique<Client>(port));
    std::jthread drip([&](const std::stop_token& stop) {
      for (; !stop.stop_requested(); std::this_thread::sleep_for(200ms))
        for (std::size_t k = 0; k < strangers.size(); ++k)
          if (k % 4 != 0) strangers[k]->send("G");
    });
    std::this_thread::sleep_for(500ms);
    for (int k = 0; k < 3; ++k) {
      const auto asked = std::chrono::steady_clock::now();
      CHECK(ask(port, "/").status == 200);
      CHECK(std::chrono::steady_clock::now() - asked < 4s);
    }
    CHECK(tell(port, {{"do", "set"}, {"path", "speed"}, {"value", 0}})["ok"] == true);
    CHECK(tell(port, {{"do", "start"}})["ok"] == true);
    CHECK(listener.receive("\"ended\":true").find("\"ended\":true") != std::string::npos);
  });
  CHECK(outcome.code == 0);
}

TEST_CASE("clients with the token that read nothing make nobody wait, and take little memory") {
  const Folder folder;
  folder.write("scene.yaml", small_scene());
  const Outcome outcome = with_server(
      folder, {"--live", "scene.yaml", "--set", "time.end=40"}, [&](int port, pid_t server) {
        const std::string end = " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n\r\n";
        CHECK(tell(port, {{"do", "set"}, {"path", "speed"}, {"value", 0}})["ok"] == true);
        CHECK(tell(port, {{"do", "start"}})["ok"] == true);
        std::this_thread::sleep_for(1s);  // many rows for listeners
        std::vector<std::unique_ptr<Client>> stalled;
        for (int i = 0; i < 220; ++i) {
          stalled.push_back(std::make_unique<Client>(port, 4096));
          stalled.back()->send((i % 2 ? "GET /events" : "GET /") + end);
        }
        std::this_thread::sleep_for(1s);
        for (int k = 0; k < 3; ++k) {
          const auto asked = std::chrono::steady_clock::now();
          CHECK(ask(port, "/view.json").status == 200);
          CHECK(std::chrono::steady_clock::now() - asked < 2s);
        }
        CHECK(peak_memory(server) < 500);
      });
  CHECK(outcome.code == 0);
}

TEST_CASE("a request without an end is cut off before it fills the memory") {
  const Folder folder;
  folder.write("scene.yaml", small_scene());
  const Outcome outcome =
      with_server(folder, {"--live", "scene.yaml"}, [&](int port, pid_t server) {
        const std::string host = "Host: 127.0.0.1:" + std::to_string(port) + "\r\n";
        const std::string block(65536, 'A');
        for (const std::string& begin :
             {std::string("GET /"), "GET / HTTP/1.1\r\n" + host + "X: ",
              "POST /control HTTP/1.1\r\n" + host + "Content-Length: 999999999\r\n\r\n"}) {
          const Client client(port);
          client.send(begin);
          for (int k = 0; k < 8'000 && client.send(block);) ++k;  // half a gigabyte
        }
        CHECK(peak_memory(server) < 300);
        CHECK(ask(port, "/view.json").status == 200);
      });
  CHECK(outcome.code == 0);
}

TEST_CASE("view says in one line what it cannot show or where it cannot listen") {
  const Folder folder;
  folder.write("scene.yaml", small_scene());
  REQUIRE(saltus_command(folder, {"run", "scene.yaml", "-o", "a.h5", "-q"}).code == 0);
  folder.write("text.h5", "no HDF5 at all");
  for (const std::vector<std::string>& words : {std::vector<std::string>{"view", "text.h5"},
                                                {"view", "nothing.h5"},
                                                {"view", "--live", "nothing.yaml"},
                                                {"view", "a.h5", "--set", "x=1"},
                                                {"view", "a.h5", "--port", "0"},
                                                {"view", "a.h5", "--host", "203.0.113.1"}}) {
    const Outcome outcome = saltus_command(folder, words);
    CHECK_MESSAGE(outcome.code == 2, words.back());
    CHECK_MESSAGE(outcome.error_lines() == 1, outcome.err);
  }
}

TEST_CASE("view answers nobody without the token of its address, by whatever route") {
  const Folder folder;
  folder.write("scene.yaml", block_scene());
  folder.write("secret.csv", "root:x:0:0:a line of a private file\n");
  const Outcome outcome = with_server(folder, {"--live", "scene.yaml"}, [&](int port) {
    const std::string cookie = std::exchange(cookie_of_server, "");
    const std::string token = cookie.substr(cookie.find('=') + 1);
    const std::string name = cookie.substr(0, cookie.find('=') + 1);
    std::string other = token;
    other.back() = other.back() == '0' ? '1' : '0';
    const auto all_refused = [&](const std::string& more, const std::string& query) {
      for (const char* path : {"/", "/view.json", "/static.bin", "/frames/0-0", "/events",
                               "/results.h5", "/no_such_thing"}) {
        const Answer answer = ask(port, path + query, more);
        CHECK_MESSAGE(answer.status == 403, path);
        CHECK(answer.body.size() < 200);
        CHECK(answer.head.find("Set-Cookie") == std::string::npos);
      }
    };
    all_refused("", "");
    all_refused("", "?token=");
    all_refused("", "?token=" + other);
    all_refused("", "?token=" + token.substr(0, 31));
    all_refused("", "?token=" + token + "0");
    for (const std::string& wrong : {other, token.substr(1), token + "0", std::string()})
      all_refused("Cookie: " + name + wrong + "\r\n", "");
    all_refused("Cookie: other" + cookie + "\r\n", "");
    CHECK(!tell(port, {{"do", "start"}}).is_object());

    const Answer first = ask(port, "/?token=" + token);
    CHECK(first.status == 200);
    CHECK(first.head.find("Set-Cookie: " + cookie + "; Path=/; HttpOnly; SameSite=Strict") !=
          std::string::npos);
    CHECK(ask(port, "/view.json", "Cookie: a=b; " + cookie + "; c=d\r\n").status == 200);
    cookie_of_server = cookie;
    CHECK(tell(port, {{"do", "step"}})["ok"] == true);
  });
  CHECK(outcome.code == 0);
}

TEST_CASE("a client changes numbers, choices and switches of a live run, and reads no file by it") {
  const Folder folder;
  folder.write("scene.yaml", replaced(block_scene(), "  - {law: {kind: newton-impact}}",
                                      "  - {law: {kind: newton-impact, friction: 0.2}}"));
  folder.write("secret.msh", "root:x:0:0:a line of a private file\n");
  folder.write("secret", "root:x:0:0:a line of a private file\n");
  const Outcome outcome = with_server(folder, {"--live", "scene.yaml"}, [&](int port) {
    const auto set = [&](const char* path, const nlohmann::json& value) {
      return tell(port, {{"do", "set"}, {"path", path}, {"value", value}});
    };
    CHECK(set("surfaces[0].law.friction", 0.3)["ok"] == true);
    CHECK(set("gravity[2]", "-9.7 m/s^2")["ok"] == true);
    CHECK(set("results.stress", true)["ok"] == true);
    CHECK(set("bodies[1].fem.material.law", "linear")["ok"] == true);
    const std::vector<std::pair<const char*, nlohmann::json>> wrong{
        {"bodies[1].fem.mesh", "secret.msh"},
        {"bodies[1].fem.mesh", "secret"},
        {"bodies[1].fem.mesh.file", "secret.msh"},
        {"bodies[1].fem.mesh.file", "secret"},
        {"bodies[1].fem.mesh.box", "{file: secret.msh}"},
        {"bodies[0].rigid.shape", "secret"},
        {"bodies[0].rigid.shape.mesh.file", "secret"},
        {"surfaces[0].law.friction", "{file: secret}"},
        {"surfaces[0].law.friction", "secret"},
        {"surfaces[0].law.friction", true},
        {"surfaces[0].law.friction", nullptr},
        {"surfaces[0].law.friction=1,bodies[1].fem.mesh.file", 1},
        {"surfaces[0].law.kind", "secret"},
        {"results.stress", "maybe"},
        {"outputs[0].csv", "/tmp/x.csv"},
        {"outputs[0].name", "other"},
        {"bodies[1].name", "other"},
        {"bodies[1].fem.material.law", "secret"},
        {"time.end", std::vector<int>{1}},
        {"", 1}};
    for (const auto& [path, value] : wrong) {
      const auto answer = set(path, value);
      CAPTURE(path);
      REQUIRE(answer.contains("error"));
      const std::string error = answer["error"];
      CAPTURE(error);
      CHECK(error.find("root") == std::string::npos);
      CHECK(error.find("private") == std::string::npos);
      CHECK(error.find('\n') == std::string::npos);
    }
    CHECK(set("surfaces[0].law.friction", 0.1)["ok"] == true);
  });
  CHECK(outcome.code == 0);
}

TEST_CASE(
    "the page of a live arm knows joints, colours, outputs and set-points, and a set-point moves "
    "the arm") {
  const Folder folder;
  folder.write(
      "arm.yaml",
      "saltus: 1\ntime: {end: 2 s, step: 1 ms}\nbodies:\n"
      "  - {name: base, kind: rigid, colour: grey, rigid: {fixed: true, shape: {box: {size: [0.2, "
      "0.2, 0.2]}}}}\n"
      "  - {name: upper, kind: rigid, colour: \"#d06020\", rigid: {shape: {box: {size: [0.4, 0.05, "
      "0.05]}}, mass: 1, "
      "inertia: [0.001, 0.02, 0.02], position: [0.3, 0, 0.2], touches: false}}\n"
      "  - {name: lower, kind: rigid, rigid: {mass: 0.5, inertia: [0.01, 0.01, 0.01], position: "
      "[0.7, 0, 0.2]}}\n"
      "joints:\n"
      "  - {name: shoulder, kind: revolute, between: [base, upper], at: [0.1, 0, 0.2], axis: [0, "
      "1, 0], turn: {servo: "
      "{target: 0, stiffness: 20, damping: 2, torque: 9}, limits: {lower: -1, upper: 2}}}\n"
      "  - {name: wrist, kind: ball, between: [upper, lower], at: [0.5, 0, 0.2], axis: [1, 0, 0], "
      "swing: {cone: 40 deg, "
      "spring: {stiffness: 1}, damping: 0.1}}\n"
      "outputs:\n  - {probe: shoulder, quantity: displacement, name: angle}\n");
  const Outcome outcome = with_server(folder, {"--live", "arm.yaml"}, [&](int port) {
    const auto header = nlohmann::json::parse(ask(port, "/view.json").body, nullptr, false);
    REQUIRE(header.is_object());
    CHECK(header["fixed"]["names"] == nlohmann::json({"base"}));
    CHECK(header["fixed"]["colours"] == nlohmann::json({"#8c8c8c"}));
    CHECK(header["bodies"][0]["colours"] == nlohmann::json({"#d06020", ""}));
    CHECK(header["plots"][0]["title"] == "angle");
    CHECK(header["plots"][0]["own"] == true);
    CHECK(header["plots"][1]["own"] == false);
    const nlohmann::json &shoulder = header["joints"][0], &wrist = header["joints"][1];
    CHECK(shoulder["actuator"] == "servo");
    CHECK(shoulder["stops"] == true);
    CHECK(shoulder["sides"][0]["body"] == -1);
    CHECK(shoulder["sides"][1]["body"] == 0);
    CHECK(shoulder["sides"][1]["member"] == 0);
    CHECK(shoulder["sides"][1]["place"][0] == doctest::Approx(-0.2));
    CHECK(shoulder["sides"][1]["axis"] == nlohmann::json({0.0, 1.0, 0.0}));
    CHECK(wrist["kind"] == "ball");
    CHECK(wrist["spring"] == true);
    CHECK(wrist["damper"] == true);
    CHECK(wrist["sides"][1]["member"] == 1);
    CHECK(wrist["sides"][1]["axis"] == nlohmann::json({1.0, 0.0, 0.0}));
    const nlohmann::json& slider = header["controls"][0];
    CHECK(slider["path"] == "set-point.shoulder.servo");
    CHECK(slider["group"] == "Set-points");
    CHECK(slider["immediate"] == true);
    CHECK(slider["low"] == -1.0);
    CHECK(slider["high"] == 2.0);
    const auto set = [&](const char* path, const nlohmann::json& value) {
      return tell(port, {{"do", "set"}, {"path", path}, {"value", value}});
    };
    const auto told = [&] {  // value of the slider
      return nlohmann::json::parse(ask(port, "/view.json").body, nullptr,
                                   false)["controls"][0]["value"];
    };
    CHECK(told() == 0.0);
    CHECK(set("set-point.shoulder.servo", "90 deg")["ok"] == true);
    CHECK(told() == doctest::Approx(std::acos(0.0)));
    CHECK(set("joints[0].turn.servo.target", -0.5)["ok"] == true);  // the last command counts
    CHECK(told() == -0.5);
    CHECK(set("set-point.shoulder.servo", 0.3)["ok"] == true);
    CHECK(set("set-point.shoulder.servo", nullptr)["ok"] == true);
    CHECK(told() == -0.5);
    CHECK(set("set-point.shoulder.servo", 0.7)["ok"] == true);
    for (const auto& [path, value] :
         {std::pair<const char*, nlohmann::json>{"set-point.elbow.servo", 1},
          {"set-point.shoulder.servo", "fast"},
          {"set-point.wrist.spring", 1}}) {
      const auto answer = set(path, value);
      REQUIRE(answer.contains("error"));
      CHECK(answer["error"].get<std::string>().find("set-point.") != std::string::npos);
    }
    const auto last_angle = [&] {
      CHECK(set("speed", 0)["ok"] == true);
      CHECK(tell(port, {{"do", "start"}})["ok"] == true);
      const Client listener(port);
      listener.send("GET /events HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n\r\n");
      const std::string heard = listener.receive("\"ended\":true");
      const std::size_t at = heard.rfind("\"angle\":{");
      REQUIRE(at != std::string::npos);
      const std::size_t end = heard.find(']', at), from = heard.find_last_of("[,", end);
      return std::stod(heard.substr(from + 1, end - from - 1));
    };
    CHECK(std::abs(last_angle() - 0.7) < 0.05);
    CHECK(tell(port, {{"do", "restart"}})["ok"] == true);  // the set-point stays
    const auto again = nlohmann::json::parse(ask(port, "/view.json").body, nullptr, false);
    CHECK(again["controls"][0]["value"] == 0.7);
    CHECK(std::abs(last_angle() - 0.7) < 0.05);
  });
  CHECK(outcome.code == 0);
}
