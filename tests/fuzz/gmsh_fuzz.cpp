// The reader of Gmsh meshes against spoilt files: it throws SceneError in one line, or returns a mesh that check() passes.
//
// With libFuzzer:   clang++ -fsanitize=fuzzer,address,undefined -DSALTUS_LIBFUZZER ... gmsh_fuzz.cpp
// Without:          g++ -fsanitize=address,undefined ... gmsh_fuzz.cpp; gmsh_fuzz SECONDS [SEED]
//
// The driver spoils small files of both versions, text and binary: bytes, numbers, whole lines. To be linked: bodies/gmsh*,
// bodies/mesh*, bodies/element*, base, fmt. docs/reference/mesh_files.md describes the format.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "saltus/base/error.h"
#include "saltus/mesh/gmsh.h"
#include "support/gmsh_files.h"

using namespace saltus;
using namespace saltus_test;

namespace {

[[noreturn]] void stop(const char* what, const std::string& text) {
  std::fprintf(stderr, "%s: %s\n", what, text.c_str());
  std::abort();
}

bool read(std::string_view bytes) {
  try {
    const Mesh mesh = read_gmsh_bytes(bytes, "a.msh");
    check(mesh);
    for (const auto& [name, set] : mesh.face_sets) nodes_of(mesh, set);
    return true;
  } catch (const SceneError& error) {
    const std::string_view line = error.what();
    if (!line.starts_with("a.msh") || line.find('\n') != line.npos)
      stop("no error in one line", error.what());
    return false;
  } catch (const UsageError& error) {
    stop("a mesh was read that is not whole", error.what());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read({reinterpret_cast<const char*>(data), size});
  return 0;
}

#ifndef SALTUS_LIBFUZZER
namespace {

std::vector<std::string> bases() {
  std::vector<std::string> all;
  for (ElementKind kind : {ElementKind::tet4, ElementKind::quad8, ElementKind::bar3,
                           ElementKind::wedge6, ElementKind::pyramid5}) {
    BoxMesh box;
    box.kind = kind;
    const GmshText file = gmsh_of(box_mesh(box));
    for (const GmshEncoding& as : gmsh_encodings()) all.push_back(file.encode(as));
    all.push_back(gmsh_text(box_mesh(box)));
  }
  return all;
}

std::string spoilt(std::string text, std::mt19937& random) {
  static const char* const words[] = {"0",  "-1",         "1",        "2",      "15",     "16",
                                      "17", "2147483647", "1e300",    "nan",    "$Nodes", "$End",
                                      "-0", "1e-320",     "99999999", "$End\n", "\"",     "4.1"};
  for (unsigned k = 1 + random() % 4; k > 0 && !text.empty(); --k) {
    const std::size_t at = random() % text.size();
    switch (random() % 10) {
      case 0:
        text.resize(at);
        break;
      case 1:
        text.insert(at, text.substr(random() % text.size(), random() % 64));
        break;
      case 2:
        text.erase(at, 1 + random() % 16);
        break;
      case 3:
        text[at] = static_cast<char>(random());
        break;
      case 4:
        text[at] = static_cast<char>(text[at] ^ (1 << random() % 8));
        break;
      case 5: {  // a line twice, or gone
        const std::size_t end = std::min(text.find('\n', at), text.size() - 1);
        random() % 2 ? text.insert(end + 1, text.substr(at, end + 1 - at))
                     : text.erase(at, end - at);
        break;
      }
      default: {  // another word
        const std::size_t first = std::min(text.find_first_of(" \n", at), text.size() - 1);
        const std::size_t last = std::min(text.find_first_of(" \n", first + 1), text.size());
        text.replace(first + 1, last - first - 1, words[random() % std::size(words)]);
      }
    }
  }
  return text;
}

}  // namespace

int main(int count, char** arguments) {
  const double seconds = count > 1 ? std::atof(arguments[1]) : 10.0;
  std::mt19937 random(count > 2 ? static_cast<unsigned>(std::atoi(arguments[2])) : 1);
  const std::vector<std::string> files = bases();
  unsigned long tried = 0, whole = 0;
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < seconds)
    for (int k = 0; k < 1000; ++k, ++tried)
      whole += read(spoilt(files[random() % files.size()], random));
  std::printf("%lu spoilt files, %lu still whole\n", tried, whole);
  return whole == 0;
}
#endif
