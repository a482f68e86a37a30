#include "command.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace saltus_test {

namespace fs = std::filesystem;

Folder::Folder() {
  path_ = (fs::temp_directory_path() / "saltus_cli_XXXXXX").string();
  REQUIRE(::mkdtemp(path_.data()) != nullptr);
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void Folder::write(const std::string& name, const std::string& text) const {
  std::ofstream file(*this / name, std::ios::binary);
  file << text;
  file.close();
  REQUIRE(!file.fail());
}

std::string Folder::read(const std::string& name) const {
  std::ifstream file(*this / name, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool Folder::has(const std::string& name) const { return fs::exists(*this / name); }

std::vector<std::string> Folder::names() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(path_))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

int Outcome::error_lines() const {
  return static_cast<int>(std::count(err.begin(), err.end(), '\n'));
}

Outcome saltus_command(const Folder& folder, std::vector<std::string> arguments,
                       const Launch& launch) {
  const Folder streams;  // beside the working folder, so that its files can be counted
  const std::string out = streams / "out", err = streams / "err";
  arguments.insert(arguments.begin(), SALTUS_BINARY);
  std::vector<char*> words;
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const int to_out = ::open(out.c_str(), O_WRONLY | O_CREAT, 0600);
    const int to_err = ::open(err.c_str(), O_WRONLY | O_CREAT, 0600);
    if (to_out < 0 || to_err < 0 || ::chdir(folder.path().c_str()) != 0) ::_exit(126);
    ::dup2(to_out, STDOUT_FILENO);
    ::dup2(to_err, STDERR_FILENO);
    ::signal(SIGINT,
             SIG_DFL);  // a test runner in the background ignores it, and so would its children
    ::setenv("GCOV_ERROR_FILE", "/dev/null",
             1);  // of a build with counters: stderr is the command's
    if (launch.file_size > 0 || launch.memory > 0 || launch.nobody)
      ::setenv("GCOV_PREFIX", "/dev/null", 1);  // nor are its counters cut off
    if (launch.file_size > 0) {
      const rlimit limit{static_cast<rlim_t>(launch.file_size),
                         static_cast<rlim_t>(launch.file_size)};
      ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    if (launch.memory > 0) {
      const rlimit limit{static_cast<rlim_t>(launch.memory), static_cast<rlim_t>(launch.memory)};
      ::setrlimit(RLIMIT_AS, &limit);
    }
    if (!launch.preload.empty()) {
      ::setenv("LD_PRELOAD", launch.preload.c_str(), 1);
      const char* const asked = std::getenv("ASAN_OPTIONS");  // it goes before the sanitizer
      const std::string options =
          (asked ? asked + std::string(":") : "") + "verify_asan_link_order=0";
      ::setenv("ASAN_OPTIONS", options.c_str(), 1);
    }
    constexpr unsigned kNobody = 65'534;
    if (launch.nobody && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) ::_exit(126);
    ::execv(SALTUS_BINARY, words.data());
    ::_exit(127);
  }
  if (launch.meanwhile) launch.meanwhile(child);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  Outcome outcome;
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  outcome.out = streams.read("out");
  outcome.err = streams.read("err");
  return outcome;
}

bool catches(pid_t child, int signal) {
  const std::string process = "/proc/" + std::to_string(child);
  const auto runs = [&] {  // before, it is a copy of the test with the test's handlers
    std::error_code error;
    return std::filesystem::equivalent(process + "/exe", SALTUS_BINARY, error);
  };
  for (;; ::usleep(1000)) {
    const bool running = runs();
    std::ifstream status(process + "/status");
    std::string line;
    while (std::getline(status, line)) {
      if (line.starts_with("State:") && line.find('Z') != std::string::npos) return false;
      if (!running || !line.starts_with("SigCgt:")) continue;
      const unsigned long long caught = std::stoull(line.substr(7), nullptr, 16);
      if ((caught >> (signal - 1) & 1U) != 0) return true;
    }
  }
}

std::string small_scene() {
  return R"(saltus: 1
time: {end: 50 ms, rate: 40 kHz}
bodies:
  - name: string
    kind: modal
    string:
      length: 0.7 m
      tension: 70 N
      linear_density: 1 g/m
      modes: 20
      damping: {constant: 0.8 1/s}
    scheme: modal-exact
    pluck: {at: 0.2 m, height: 3 mm}
contacts:
  - on: string
    against: {frets: [[0.4 m, -0.5 mm]]}
    law: signorini-position
outputs:
  - {probe: string, name: pickup, at: 0.5 m, wav: sound.wav}
)";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  REQUIRE(text.find(from, at + 1) == std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace saltus_test
