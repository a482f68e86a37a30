// Files that are whole whenever the program dies.
#include "saltus/results/atomic_file.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <random>

#include "unit/results/support.h"

using io_test::bytes_of;
using io_test::Folder;
using saltus::AtomicFile;

namespace {

std::string content(const std::string& path) {
  AtomicFile file;
  REQUIRE(file.open(path.c_str(), O_RDONLY) == 0);
  std::string bytes(file.size(), '\0');
  REQUIRE(file.read(0, bytes.data(), bytes.size()) == 0);
  return bytes;
}

/// A change and what the file holds after it.
void random_change(std::mt19937& random, AtomicFile& file, std::string& expected) {
  const std::size_t offset = random() % (expected.size() + 1), count = random() % 9'000;
  const std::string bytes(count, static_cast<char>('a' + random() % 26));
  if (offset + count > expected.size()) expected.resize(offset + count, '\0');
  expected.replace(offset, count, bytes);
  CHECK(file.write(offset, bytes.data(), count) == 0);
}

}  // namespace

TEST_CASE("atomic_file reads back what was written, committed or not") {
  const Folder folder;
  AtomicFile file;
  REQUIRE(file.open((folder / "a").c_str(), O_RDWR | O_CREAT) == 0);
  std::mt19937 random(7);
  std::string expected;
  for (int k = 0; k < 300; ++k) {
    random_change(random, file, expected);
    if (k % 11 == 0) {
      CHECK(file.commit() == 0);
      CHECK(bytes_of(folder / "a") == expected);
    }
    if (k % 37 == 0) {
      expected.resize(expected.size() / 2);
      file.resize(expected.size());
      CHECK(file.commit() == 0);
    }
    std::string read(expected.size(), '\0');
    CHECK(file.read(0, read.data(), read.size()) == 0);
    REQUIRE(read == expected);
  }
}

TEST_CASE("atomic_file holds the old state or the new one after a death at any write") {
  const Folder folder;
  // The commit is stopped after a number of bytes by the limit on the file's size or by cutting
  // short what a whole commit would have done: every prefix of the appendix is tried.
  std::string before, after;
  {
    AtomicFile file;
    REQUIRE(file.open((folder / "a").c_str(), O_RDWR | O_CREAT) == 0);
    before.assign(10'000, 'x');
    CHECK(file.write(0, before.data(), before.size()) == 0);
    CHECK(file.commit() == 0);
    after = before;
    after.replace(4'000, 200, std::string(200, 'y'));
    after += std::string(3'000, 'z');
  }
  const auto die_with_limit = [&](rlim_t limit) {
    io_test::put(folder / "b", before);
    return io_test::with_file_size_limit(limit, [&] {
      AtomicFile file;
      if (file.open((folder / "b").c_str(), O_RDWR) != 0) return 2;
      int error = file.write(4'000, after.data() + 4'000, 200);
      if (!error) error = file.write(10'000, after.data() + 10'000, 3'000);
      if (!error) error = file.commit();
      return error ? 1 : 0;
    });
  };
  int failed = 0, passed = 0;
  for (rlim_t limit = 9'000; limit < 36'000; limit += 1'501) {
    CAPTURE(limit);
    const int result = die_with_limit(limit);
    REQUIRE(result < 2);
    (result ? failed : passed) += 1;
    const std::string now =
        content(folder / "b").substr(0, result ? before.size() : std::string::npos);
    CHECK(now == (result ? before : after));
  }
  CHECK(failed > 5);
  CHECK(passed > 2);
}

TEST_CASE("atomic_file with an appendix is read as the new state, and completed by a writer") {
  const Folder folder;
  // A commit that dies after its appendix: the file of before, the appendix of after.
  const std::string before(10'000, 'x');
  io_test::put(folder / "a", before);
  std::uint64_t number = 1;
  std::string page(4096, 'y'), appendix(reinterpret_cast<const char*>(&number), 8);
  appendix += page;
  std::uint64_t hash = 0xcbf29ce484222325ULL ^ 9'000;
  for (std::size_t at = 0; at < appendix.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, appendix.data() + at, 8);
    hash = (hash ^ word) * 0x100000001b3ULL;
  }
  const std::array<std::uint64_t, 4> trailer{0x314c4e4a53544c53ULL, 1, 9'000, hash};
  appendix.append(reinterpret_cast<const char*>(trailer.data()), sizeof trailer);
  std::string whole = before;
  whole.resize(12'288, '\0');
  io_test::put(folder / "a", whole + appendix);
  const std::string after = std::string(4096, 'x') + page + std::string(9'000 - 8'192, 'x');
  CHECK(content(folder / "a") == after);
  CHECK(bytes_of(folder / "a").size() == whole.size() + appendix.size());
  {
    AtomicFile writer;
    CHECK(writer.open((folder / "a").c_str(), O_RDWR) == 0);
  }
  CHECK(bytes_of(folder / "a") == after);
  // One wrong byte: it is the old state with something behind it.
  appendix[100] = 'z';
  io_test::put(folder / "a", whole + appendix);
  CHECK(content(folder / "a").substr(0, before.size()) == before);
}

TEST_CASE("atomic_file reports a file that was shortened, also where it has grown again since") {
  const std::string bytes(50'000, 'x'), zeros(50'000, '\0');
  for (const off_t length : {off_t{0}, off_t{700}, off_t{30'000}, off_t{49'999}})
    for (const bool grown : {false, true})
      for (const int next : {0, 1, 2, 3}) {
        CAPTURE(length);
        CAPTURE(grown);
        CAPTURE(next);
        const Folder folder;
        const std::string path = folder / "a";
        AtomicFile file;
        REQUIRE(file.open(path.c_str(), O_RDWR | O_CREAT) == 0);
        REQUIRE(file.write(0, bytes.data(), bytes.size()) == 0);
        REQUIRE(file.commit() == 0);
        REQUIRE(::truncate(path.c_str(), length) == 0);
        if (grown) REQUIRE(::truncate(path.c_str(), static_cast<off_t>(bytes.size())) == 0);
        int error = 0;
        if (next == 0) error = file.commit();
        if (next == 1) error = file.write(bytes.size(), zeros.data(), zeros.size());
        if (next == 2) error = file.write(100, zeros.data(), 10) ? EIO : file.commit();
        if (next != 3) CHECK(error == ESTALE);
        CHECK(file.close() == ESTALE);
      }
}

TEST_CASE("atomic_file takes zeros at the end of a file for what they are") {
  const Folder folder;
  AtomicFile file;
  const std::string zeros(9'000, '\0');
  REQUIRE(file.open((folder / "a").c_str(), O_RDWR | O_CREAT) == 0);
  CHECK(file.write(0, "word", 4) == 0);
  CHECK(file.write(4, zeros.data(), zeros.size()) == 0);
  CHECK(file.commit() == 0);
  CHECK(file.write(0, zeros.data(), 4) == 0);
  CHECK(file.commit() == 0);
  file.resize(10);
  CHECK(file.commit() == 0);
  CHECK(file.size_on_disk() == 10);
  CHECK(file.close() == 0);
  CHECK(bytes_of(folder / "a") == std::string(10, '\0'));
}

TEST_CASE("atomic_file does not wait for a pipe") {
  const Folder folder;
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  AtomicFile file;
  CHECK(file.open((folder / "pipe").c_str(), O_RDONLY) == ESPIPE);
  CHECK_FALSE(AtomicFile::is_unborn((folder / "pipe").c_str()));
}
