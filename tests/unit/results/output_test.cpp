// Files that are complete under their final name or not there at all.
#include "saltus/results/output_file.h"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "saltus/base/error.h"
#include "unit/results/support.h"

using namespace saltus;
using io_test::bytes_of;
using io_test::exists;
using io_test::Folder;
using io_test::message;

TEST_CASE("output_file has its final name only after commit") {
  const Folder folder;
  const std::string path = folder / "a.csv";
  OutputFile file(path);
  file.write("one\n");
  file.write("two\n");
  CHECK(exists(path + ".part"));
  CHECK_FALSE(exists(path));
  file.commit();
  CHECK_FALSE(exists(path + ".part"));
  CHECK(bytes_of(path) == "one\ntwo\n");
}

TEST_CASE("output_file that is not committed leaves nothing, and the older file as it was") {
  const Folder folder;
  const std::string path = folder / "a.csv";
  io_test::put(path, "older");
  {
    OutputFile file(path);
    file.write(std::string(200'000, 'x'));
  }
  CHECK_FALSE(exists(path + ".part"));
  CHECK(bytes_of(path) == "older");
}

TEST_CASE("output_file replaces an older file of that name and a forgotten part") {
  const Folder folder;
  const std::string path = folder / "a.csv";
  io_test::put(path, "older and longer");
  io_test::put(path + ".part", "forgotten and longer");
  OutputFile file(path);
  file.write("new");
  file.commit();
  CHECK(bytes_of(path) == "new");
}

TEST_CASE("output_file that is kept can be taken up again") {
  const Folder folder;
  const std::string path = folder / "a.csv";
  {
    OutputFile file(path);
    file.write("begun");
    file.flush();
    file.keep();
  }
  CHECK(bytes_of(path + ".part") == "begun");
  OutputFile again = OutputFile::adopt(path);
  again.commit();
  CHECK(bytes_of(path) == "begun");
}

TEST_CASE("output_file names path, reason and remedy where it cannot be created") {
  const Folder folder;
  io_test::put(folder / "file", "");
  const auto attempt = [](const std::string& path) {
    return message<SceneError>([&] { OutputFile file(path); });
  };
  CHECK(
      attempt(folder / "missing/a.csv") ==
      folder / "missing/a.csv.part" +
          std::string(": cannot be written: No such file or directory; create the folder first, or "
                      "choose another one"));
  CHECK(attempt(folder / "file/a.csv").find("Not a directory") != std::string::npos);
  CHECK(attempt("/proc/a.csv").find("/proc/a.csv.part: cannot be written: ") == 0);
  CHECK(attempt(folder.path.string()).find("is a folder; give the name of a file") !=
        std::string::npos);
  CHECK(attempt("").find("needs a name") != std::string::npos);
}

TEST_CASE("output_file does not take the place of a pipe or a socket") {
  const Folder folder;
  const std::string pipe = folder / "pipe", socket = folder / "socket";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socket.copy(address.sun_path, sizeof address.sun_path - 1);
  REQUIRE(::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  std::filesystem::create_symlink("pipe", folder / "link");
  for (const std::string& path : {pipe, socket, folder / "link"}) {
    CAPTURE(path);
    CHECK(message<SceneError>([&] { OutputFile file(path); }) ==
          path + ": cannot be written: exists and is not a regular file; give the name of a file");
  }
  REQUIRE(::mkfifo((folder / "a.csv.part").c_str(), 0600) == 0);
  CHECK(message<SceneError>([&] {
          OutputFile file(folder / "a.csv");
        }).find("a.csv.part: cannot be written: exists and is not") != std::string::npos);
  OutputFile late(folder / "b.csv");  // the pipe comes while the file is written
  REQUIRE(::mkfifo((folder / "b.csv").c_str(), 0600) == 0);
  CHECK(message<RunError>([&] { late.commit(); }).find("is not a regular") != std::string::npos);
  ::close(descriptor);
  CHECK(std::filesystem::is_fifo(pipe));
  CHECK(std::filesystem::is_socket(socket));
  CHECK(std::filesystem::is_fifo(folder / "b.csv"));
}

TEST_CASE("output_file behind links is written where they end, and they stay") {
  namespace fs = std::filesystem;
  const Folder folder;
  fs::create_directory(folder / "far");
  fs::create_symlink("far/second", folder / "first");
  fs::create_symlink("real.csv", folder / "far/second");
  for (const char* text : {"dangling", "pointing"}) {
    OutputFile file(folder / "first");
    CHECK(exists(folder / "far/real.csv.part"));
    file.write(text);
    file.commit();
    CHECK(bytes_of(folder / "far/real.csv") == text);
    CHECK(fs::is_symlink(folder / "first"));
    CHECK(fs::is_symlink(folder / "far/second"));
    CHECK_FALSE(exists(folder / "far/real.csv.part"));
  }
  fs::create_symlink("round", folder / "round");
  CHECK(message<SceneError>([&] { OutputFile file(folder / "round"); }).find("is a cyclic link") !=
        std::string::npos);
  io_test::put(folder / "other", "untouched");
  fs::create_symlink("other", folder / "a.csv.part");  // opened, it would be emptied
  CHECK(message<SceneError>([&] {
          OutputFile file(folder / "a.csv");
        }).find("a.csv.part: cannot be written: exists and is not a regular file") !=
        std::string::npos);
  CHECK(bytes_of(folder / "other") == "untouched");
}

TEST_CASE("output_file written by another run is left alone") {
  const Folder folder;
  const std::string path = folder / "a.csv";
  OutputFile first(path);
  first.write("first");
  const std::string text = message<SceneError>([&] { OutputFile second(path); });
  CHECK(text.find("another run is writing it") != std::string::npos);
  first.commit();
  CHECK(bytes_of(path) == "first");
}

TEST_CASE("output_file on a full disk fails with one line and leaves nothing") {
  const Folder folder;
  const std::string path = folder / "a.csv";
  const int result = io_test::with_file_size_limit(100'000, [&] {
    const std::string text = message<RunError>([&] {
      OutputFile file(path);
      for (int i = 0; i < 100; ++i) file.write(std::string(3'000, 'x'));
      file.commit();
    });
    return text == path + ".part: write failed: File too large" ? 0 : 1;
  });
  CHECK(result == 0);
  CHECK_FALSE(exists(path));
  CHECK_FALSE(exists(path + ".part"));
}
