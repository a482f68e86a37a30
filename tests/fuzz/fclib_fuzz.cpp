// The reader of FCLIB files against spoilt ones: it throws SceneError, or returns a problem that is whole.
//
// With libFuzzer:   clang++ -fsanitize=fuzzer,address,undefined -DSALTUS_LIBFUZZER ... fclib_fuzz.cpp
// Without:          g++ -fsanitize=address,undefined ... fclib_fuzz.cpp; fclib_fuzz SECONDS [SEED [FILE...]]
//
// Input that begins as an HDF5 file is one. Any other is a list of changes to the datasets of a small problem, which
// reaches far more of the reader. The driver draws both: changes, and bytes of the small problems and of the files
// named. A file that spoils the HDF5 library itself must not end the driver, so bytes are tried in a child, many at a
// time. docs/howto/solve_contact_problems.md says what is to be linked.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>

#include "saltus/base/error.h"
#include "saltus/exchange/fclib.h"
#include "support/fclib_tree.h"

using namespace saltus;
using namespace saltus_test;

namespace {

using Bytes = std::basic_string<std::uint8_t>;

std::string work_file(const char* what) {
  static const std::filesystem::path folder = std::filesystem::is_directory("/dev/shm")
                                                  ? std::filesystem::path("/dev/shm")
                                                  : std::filesystem::temp_directory_path();
  return (folder / ("fclib_fuzz_" + std::to_string(::getpid()) + what)).string();
}

void require(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "a problem was read that is not whole: %s\n", what);
  std::abort();
}

/// Reads what is there; a problem that is returned obeys what the header of the reader promises.
bool read(const std::string& path) {
  FclibProblem problem;
  try {
    problem = read_fclib(path, FclibRead::solutions);
  } catch (const SceneError& e) {
    const std::string_view line = e.what();
    require(line.starts_with(path + ": ") && line.find('\n') == line.npos, "error in one line");
    return false;
  }
  const int rows = problem.rows();
  require(problem.W && problem.W->rows() == rows && std::ssize(problem.ids) == rows, "sizes");
  require(problem.contacts > 0 && std::ssize(problem.laws) == problem.contacts + problem.equalities,
          "laws");
  int next = 0;
  for (const Law& law : problem.laws) {
    require(law.first == next && law.size > 0, "rows of the laws");
    require(law.friction >= 0.0 && law.rolling >= 0.0, "friction");
    next += law.size;
  }
  require(next == rows && problem.b.allFinite(), "rows");
  for (const double value : problem.W->blocks()->value) require(std::isfinite(value), "W");
  Vector u(rows);
  problem.W->apply(Vector::Ones(rows), u);
  try {
    write_fclib(work_file("_out"), problem);
  } catch (const SceneError&) {
    return true;  // equalities that are coupled unsymmetrically
  }
  const FclibProblem back = read_fclib(work_file("_out"));
  require(back.b == problem.b && back.W->blocks()->value == problem.W->blocks()->value &&
              back.W->blocks()->column == problem.W->blocks()->column,
          "what was written comes back");
  return true;
}

FclibTree base(unsigned which) {
  FclibTree tree;
  switch (which % 5) {
    case 0:
      return two_contacts();
    case 1:
      return global_problem();
    case 2:
      return global_problem(false);
    case 3:
      tree = two_contacts();
      put_triplets(tree, "fclib_local/V", 6, 1, {0.1, 0.0, 0.0, 0.3, 0.0, 0.0});
      put_triplets(tree, "fclib_local/R", 1, 1, {1.0});
      tree["fclib_local/vectors/s"] = Reals{0.5};
      tree["solution/r"] = tree["solution/u"] = Reals(6, 0.0);
      tree["solution/l"] = Reals{0.0};
      return tree;
    default:
      tree["fclib_local_rolling/spacedim"] = Integers{3};
      put_rows(tree, "fclib_local_rolling/W", 3, 3, {1, 0, 0, 0, 1, 0, 0, 0, 1});
      tree["fclib_local_rolling/vectors/q"] = Reals(3, -1.0);
      tree["fclib_local_rolling/vectors/mu"] = Reals{0.1};
      tree["fclib_local_rolling/vectors/mu_r"] = Reals{0.1};
      tree["guesses/number_of_guesses"] = Integers{1};
      tree["guesses/1/r"] = Reals(3, 0.0);
      return tree;
  }
}

/// Bytes as a stream of choices; 0 behind the end.
class Choices {
 public:
  Choices(const std::uint8_t* data, std::size_t size) : data_(data), end_(data + size) {}
  bool more() const { return data_ != end_; }
  unsigned below(std::size_t limit) {
    unsigned value = byte();
    if (limit > 256) value = 256 * value + byte();
    return limit ? static_cast<unsigned>(value % limit) : 0;
  }

 private:
  unsigned byte() { return more() ? *data_++ : 0; }
  const std::uint8_t *data_, *end_;
};

std::int32_t integer(Choices& choices) {
  constexpr std::int32_t top = std::numeric_limits<std::int32_t>::max();
  constexpr std::int32_t special[] = {0,       1,   2,  3,   4,     5,       6,
                                      7,       13,  14, 255, 46341, 1 << 16, 1 << 30,
                                      top - 1, top, -1, -2,  -3,    -top,    -top - 1};
  return special[choices.below(std::size(special))];
}

double real(Choices& choices) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double special[] = {
      0.0,    -0.0,   1.0,    -1.0,     0.5,       1e308,
      -1e308, 1e-308, 5e-324, infinity, -infinity, std::numeric_limits<double>::quiet_NaN()};
  return special[choices.below(std::size(special))];
}

void change(FclibTree& tree, Choices& choices) {
  const auto at = std::next(tree.begin(), choices.below(tree.size()));
  FclibData& data = at->second;
  switch (choices.below(8)) {
    case 0:
      tree.erase(at);
      return;
    case 1:
      data = std::next(tree.begin(), choices.below(tree.size()))->second;
      return;
    case 2:  // another type
      if (choices.below(2))
        data = Integers(choices.below(9), integer(choices));
      else
        data = Reals(choices.below(9), real(choices));
      return;
    case 3: {  // another length
      const std::size_t size = choices.below(20);
      std::visit([&](auto& values) { values.resize(size); }, data);
      return;
    }
    default:  // another value
      if (auto* integers = std::get_if<Integers>(&data); integers && !integers->empty())
        (*integers)[choices.below(integers->size())] = integer(choices);
      if (auto* reals = std::get_if<Reals>(&data); reals && !reals->empty())
        (*reals)[choices.below(reals->size())] = real(choices);
  }
}

void read_bytes(const std::uint8_t* data, std::size_t size) {
  std::ofstream(work_file(""), std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  read(work_file(""));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 4 && data[0] == 0x89 && data[1] == 'H' && data[2] == 'D' && data[3] == 'F') {
    read_bytes(data, size);
    return 0;
  }
  Choices choices(data, size);
  FclibTree tree = base(choices.below(5));
  while (choices.more() && !tree.empty()) change(tree, choices);
  write_tree(work_file(""), tree);
  read(work_file(""));
  return 0;
}

#ifndef SALTUS_LIBFUZZER
namespace {

Bytes file_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// A file with a few bytes changed, cut or doubled.
Bytes spoilt(Bytes bytes, std::mt19937& random) {
  for (unsigned k = 1 + random() % 8; k > 0 && !bytes.empty(); --k) {
    const std::size_t at = random() % bytes.size();
    switch (random() % 8) {
      case 0:
        bytes.resize(at);
        break;
      case 1:
        bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 64));
        break;
      case 2:
        bytes[at] = 0xff;
        break;
      case 3:
        bytes[at] ^= static_cast<std::uint8_t>(1U << random() % 8);
        break;
      default:
        bytes[at] = static_cast<std::uint8_t>(random());
    }
  }
  return bytes;
}

/// Tries `count` spoilt files in a child. False: it was ended by a signal or a sanitizer, or hung; `seed` repeats it.
bool try_bytes(const std::vector<Bytes>& files, unsigned seed, unsigned count) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    std::mt19937 random(seed);
    for (unsigned k = 0; k < count; ++k) {
      const Bytes bytes = spoilt(files[random() % files.size()], random);
      if (std::getenv("FCLIB_FUZZ_KEEP"))  // the one that ends the child
        std::ofstream("fclib_fuzz_last.hdf5", std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()),
                   static_cast<std::streamsize>(bytes.size()));
      read_bytes(bytes.data(), bytes.size());
    }
    for (const char* name : {"", "_out", "_out.part"}) std::remove(work_file(name).c_str());
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

int main(int count, char** arguments) {
  const double seconds = count > 1 ? std::atof(arguments[1]) : 10.0;
  unsigned seed = count > 2 ? static_cast<unsigned>(std::atoi(arguments[2])) : 1;
  std::vector<Bytes> files;
  for (unsigned k = 0; k < 5; ++k) {
    write_tree(work_file(""), base(k));
    files.push_back(file_bytes(work_file("")));
  }
  for (int k = 3; k < count; ++k) files.push_back(file_bytes(arguments[k]));

  std::mt19937 random(seed);
  unsigned long changed = 0, whole = 0, spoilt_files = 0, ended = 0;
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() <
         seconds) {
    for (int k = 0; k < 500; ++k, ++changed) {
      Bytes bytes(1 + random() % 16, 0);
      for (std::uint8_t& b : bytes) b = static_cast<std::uint8_t>(random());
      bytes[0] = static_cast<std::uint8_t>(bytes[0] % 0x80);
      LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
      std::ifstream out(work_file("_out"));
      if (!out) continue;
      ++whole;
      std::remove(work_file("_out").c_str());
    }
    constexpr unsigned kTogether = 200;
    if (!try_bytes(files, ++seed, kTogether)) {
      ++ended;
      std::fprintf(stderr, "a child ended early: bytes with seed %u\n", seed);
    }
    spoilt_files += kTogether;
  }
  for (const char* name : {"", "_out", "_out.part"}) std::remove(work_file(name).c_str());
  std::printf(
      "%lu changed problems (%lu still whole), %lu spoilt files, %lu children ended early\n",
      changed, whole, spoilt_files, ended);
  return ended > 0;
}
#endif
