#include <doctest/doctest.h>

#include <random>

#include "saltus/scene_file/scene_write.h"
#include "saltus/scene_file/scene_yaml.h"
#include "scene_samples.h"

using namespace saltus;

namespace {

/// Changes a text by a few edits of the kind that typing, cutting and pasting make, and some worse
/// ones.
std::string mutate(std::string text, std::mt19937& random) {
  static const std::vector<std::string> kPieces{
      ":",     ": ",  "- ",   "[",    "]",   "{",  "}",   ",",  "\n", "\t",
      "  ",    "\"",  "'",    "#",    "&a",  "*a", "!x",  "|",  ">",  "? ",
      "---\n", "...", "no",   "~",    "nan", ".5", "1e9", "-1", "%",  "@",
      "\\",    "\r",  "\xC3", "\xFF", "kg",  "<<", "{a}", "[[", "0",  "99999999999999999999"};
  const auto below = [&](std::size_t n) {
    return static_cast<std::size_t>(random() % std::max<std::size_t>(n, 1));
  };
  const std::size_t edits = 1 + below(4);
  for (std::size_t i = 0; i < edits; ++i) {
    const std::size_t at = below(text.size());
    const std::size_t digit = text.find_first_of("0123456789", at);
    switch (random() % 8) {
      case 0:
        text.insert(at, kPieces[below(kPieces.size())]);
        break;
      case 1:
        text.erase(at, 1 + below(12));
        break;
      case 2:
        text.insert(at, text.substr(below(text.size()), below(80)));
        break;
      case 3:
        text[at] = static_cast<char>(random() % 256);
        break;
      case 4:
        text.resize(at + 1);
        break;
      case 5:
      case 6:
        if (digit < text.size()) text[digit] = static_cast<char>('0' + random() % 10);
        break;
      default:
        text.replace(at, 1 + below(3), kPieces[below(kPieces.size())]);
        break;
    }
  }
  return text;
}

/// Reads a text; anything but a scene or a placed SceneError escapes. True for a scene.
bool survives(const std::string& text) {
  try {
    const SceneSpec spec = read_scene_text(text, "m.yaml").spec;
    const SceneSpec again = read_scene_text(write_scene(spec), "r.json").spec;
    CHECK_MESSAGE(again == spec, text);
    return true;
  } catch (const SceneError& error) {
    CHECK_MESSAGE(error.placed(), text);
    CHECK_MESSAGE(std::string(error.what()).starts_with("m.yaml"), error.what() << "\n" << text);
    return false;
  }
}

}  // namespace

TEST_CASE("a scene damaged at random is read or refused with its place, never anything else") {
  std::mt19937 random(20240607);
  int read = 0, refused = 0;
  for (const std::string* text : {&saltus_test::kBass, &saltus_test::kEverything,
                                  &saltus_test::kMechanics, &saltus_test::kSmall})
    for (int i = 0; i < 2500; ++i) (survives(mutate(*text, random)) ? read : refused) += 1;
  CHECK(read > 400);  // edits of titles, blanks and digits leave scenes behind
  CHECK(refused > 4000);
}

TEST_CASE("a resolved scene damaged at random is read or refused with its place") {
  std::mt19937 random(7);
  const std::string text = write_scene(read_scene_text(saltus_test::kEverything, "a").spec);
  int refused = 0;
  for (int i = 0; i < 1000; ++i) refused += survives(mutate(text, random)) ? 0 : 1;
  CHECK(refused > 500);
}

TEST_CASE("random bytes and deep nesting are refused") {
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    std::string text(1 + random() % 200, ' ');
    for (char& c : text) c = static_cast<char>(random() % 2 ? 32 + random() % 95 : random() % 256);
    CHECK(!survives(text));
  }
  for (const char* piece : {"[", "{", "[[", "{a: ", "- ", "? ", "a:\n ", "{[", "'", "\"", "|\n "}) {
    std::string text;
    for (int i = 0; i < 5000; ++i) text += piece;
    CAPTURE(piece);
    CHECK(!survives(text));
    CHECK(!survives("saltus: " + text));
  }
}
