// Files that a run reads and writes: none may take the place of another.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "command.h"

using namespace saltus_test;

namespace fs = std::filesystem;

namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The small scene with its losses and its fret in files, and a table of its probe.
void write_data_scene(const Folder& folder) {
  std::string text = replaced(small_scene(), "{constant: 0.8 1/s}", "{table: losses.csv}");
  text = replaced(text, "{frets: [[0.4 m, -0.5 mm]]}", "{file: obstacle.csv}");
  text = replaced(text, "wav: sound.wav", "wav: sound.wav, csv: p.csv");
  folder.write("scene.yaml",
               text + "  - {probe: string, name: second, at: 0.3 m, csv: second.csv}\n");
  std::string losses;
  for (int j = 1; j <= 20; ++j) losses += std::to_string(j) + ",0.8\n";
  folder.write("losses.csv", losses);
  folder.write("obstacle.csv", "0.4,-0.0005\n");
}

}  // namespace

TEST_CASE("a file that a run writes is none that it reads and none that it writes already") {
  const Folder folder;
  write_data_scene(folder);
  fs::create_symlink("losses.csv", folder / "link.csv");
  fs::create_hard_link(folder / "obstacle.csv", folder / "second_name.csv");
  fs::create_directory(folder / "sub");
  const std::vector<std::string> before = folder.names();
  const std::string scene = folder.read("scene.yaml"), losses = folder.read("losses.csv"),
                    obstacle = folder.read("obstacle.csv");
  struct Row {
    std::string option, value, says;
  };
  const Row table[] = {
      {"--set", "outputs[1].csv=p.csv", "outputs[1].csv: 'p.csv' is written by two outputs"},
      {"--set", "outputs[1].csv=./p.csv", "'./p.csv' is also the file of outputs[0].csv"},
      {"--set", "outputs[1].csv=sub/../sound.wav", "is also the file of outputs[0].wav"},
      {"--set", "outputs[1].csv=" + (folder / "p.csv"), "is also the file of outputs[0].csv"},
      {"--set", "outputs[1].csv=p.csv.part", "is also the file of outputs[0].csv while it is"},
      {"--set", "outputs[1].csv=./scene.yaml", "is also the scene itself"},
      {"--set", "outputs[1].csv=losses.csv", "also the file of bodies[0].string.damping.table"},
      {"--set", "outputs[1].csv=link.csv", "also the file of bodies[0].string.damping.table"},
      {"--set", "outputs[1].csv=second_name.csv", "also the file of contacts[0].against.file"},
      {"--set", "outputs[1].csv=scene.h5", "also the results file"},
      {"--set", "outputs[1].csv=scene.h5.part", "also the results file while it is written"},
      {"-o", "sub/../scene.yaml", "is the scene itself"},
      {"-o", "losses.csv", "losses.csv: is the file of bodies[0].string.damping.table"},
      {"-o", "./obstacle.csv", "is the file of contacts[0].against.file"},
      {"-o", "p.csv", "outputs[0].csv: 'p.csv' is also the results file"},
  };
  for (const Row& row : table) {
    CAPTURE(row.value);
    const Outcome outcome = saltus_command(folder, {"run", "scene.yaml", row.option, row.value});
    CAPTURE(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(holds(outcome.err, row.says));
    CHECK(folder.names() == before);
  }
  const Outcome checked =
      saltus_command(folder, {"check", "scene.yaml", "--set", "outputs[1].csv=./p.csv"});
  CHECK(checked.code == 2);
  CHECK(holds(checked.err, "is also the file of outputs[0].csv"));
  CHECK(folder.read("scene.yaml") == scene);
  CHECK(folder.read("losses.csv") == losses);
  CHECK(folder.read("obstacle.csv") == obstacle);
  CHECK(saltus_command(folder, {"run", "scene.yaml", "-q", "-o", "sub/a.h5"}).code == 0);
  CHECK(saltus_command(folder, {"run", "scene.yaml", "-q", "-o", "sub/a.h5"}).code == 0);
}

TEST_CASE("results and tables do not take the place of a pipe, and go where a link leads") {
  const Folder folder;
  write_data_scene(folder);
  struct Row {
    const char *name, *option, *value;
  };
  for (const Row& row : {Row{"pipe.h5", "-o", "pipe.h5"},
                         {"pipe.wav", "--set", "outputs[0].wav=pipe.wav"},
                         {"pipe.csv", "--set", "outputs[0].csv=pipe.csv"}}) {
    CAPTURE(row.value);
    REQUIRE(::mkfifo((folder / row.name).c_str(), 0600) == 0);
    const Outcome outcome = saltus_command(folder, {"run", "scene.yaml", row.option, row.value});
    CAPTURE(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(holds(outcome.err, "cannot be written: exists and is not a regular file"));
    CHECK(fs::is_fifo(folder / row.name));
  }
  fs::create_directory(folder / "far");
  fs::create_symlink("far/real.h5", folder / "a.h5");
  const std::vector<std::string> run{"run", "scene.yaml", "-q", "-o", "a.h5"};
  std::vector<std::string> begin = run, go_on = run;
  begin.emplace_back("--until");
  begin.emplace_back("20 ms");
  go_on.emplace_back("--resume");
  for (const std::vector<std::string>& words : {begin, go_on}) {
    CHECK(saltus_command(folder, words).code == 0);
    CHECK(fs::is_symlink(folder / "a.h5"));
    CHECK(fs::is_regular_file(folder / "far/real.h5"));
  }
  CHECK(holds(saltus_command(folder, {"info", "far/real.h5"}).out, "2000 to 0.05 s"));
}

TEST_CASE("a run is resumed with the data files it was made from, wherever they are") {
  const Folder folder;
  write_data_scene(folder);
  REQUIRE(
      saltus_command(folder, {"run", "scene.yaml", "-q", "-o", "a.h5", "--until", "20 ms"}).code ==
      0);
  const std::vector<std::string> resume{"run", "scene.yaml", "-q", "-o", "a.h5", "--resume"};
  const std::string losses = folder.read("losses.csv"), results = folder.read("a.h5");
  const auto refused = [&](const std::string& how) {
    const Outcome outcome = saltus_command(folder, resume);
    CAPTURE(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(holds(outcome.err,
                "saltus: losses.csv: bodies[0].string.damping.table: has changed since the run in "
                "a.h5 (" +
                    how + "); restore the old file"));
    CHECK(folder.read("a.h5") == results);
    CHECK(!folder.has("a.h5.part"));
  };
  folder.write("losses.csv", losses.substr(0, losses.size() - 2) + "7\n");
  refused("now other bytes of the same length");
  folder.write("losses.csv", losses + "\n");
  refused("now " + std::to_string(losses.size() + 1) + " bytes, previously " +
          std::to_string(losses.size()) + " bytes");

  folder.write("losses.csv", losses);
  fs::create_directory(folder / "moved");
  for (const char* name : {"scene.yaml", "losses.csv", "obstacle.csv"})
    fs::rename(folder / name, folder / (std::string("moved/") + name));
  const Outcome moved =
      saltus_command(folder, {"run", "moved/scene.yaml", "-q", "-o", "a.h5", "--resume"});
  CAPTURE(moved.err);
  CHECK(moved.code == 0);
}

TEST_CASE("a body whose table would have the name of another one is refused by convert") {
  const Folder folder;
  folder.write("a.yaml",
               "saltus: 1\ntime: {end: 10 ms, rate: 8 kHz}\n"
               "bodies:\n  - {name: steps, kind: modal, modes: {omega: [1, 2]}}\n");
  REQUIRE(saltus_command(folder, {"run", "a.yaml", "-q"}).code == 0);
  const Outcome outcome = saltus_command(folder, {"convert", "a.h5", "--to", "csv"});
  CHECK(outcome.code == 2);
  CHECK(outcome.error_lines() == 1);
  CHECK(holds(outcome.err, "a.steps.csv: would be written twice"));
  CHECK(folder.read("a.steps.csv").starts_with("time [s],contacts"));
}

TEST_CASE("results and pages replace results and pages, and nothing else that somebody wrote") {
  const Folder folder;
  folder.write("scene.yaml", small_scene());
  folder.write("notes.txt", "what I found out in ten years\n");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"run", "scene.yaml", "-q", "-o", "notes.txt"},
        {"report", "scene.h5", "-o", "notes.txt"},
        {"report", "scene.h5", "-o", "scene.yaml"}}) {
    CHECK(saltus_command(folder, {"run", "scene.yaml", "-q"}).code ==
          0);  // also over its own results
    const Outcome refused = saltus_command(folder, words);
    CHECK(refused.code == 2);
    CHECK(refused.error_lines() == 1);
    CHECK(holds(refused.err, "it would be lost; use another name, or move the file"));
  }
  CHECK(folder.read("notes.txt") == "what I found out in ten years\n");
  CHECK(folder.read("scene.yaml") == small_scene());
  CHECK(saltus_command(folder, {"report", "scene.h5"}).code == 0);
  CHECK(saltus_command(folder, {"report", "scene.h5"}).code == 0);
}

TEST_CASE("sounds and tables of a scene replace those that Saltus wrote, and nothing else") {
  const Folder folder;
  folder.write("scene.yaml", replaced(small_scene(), "wav: sound.wav", "wav: a.wav, csv: a.csv"));
  for (int times = 0; times < 2; ++times)  // also over its own files
    CHECK(saltus_command(folder, {"run", "scene.yaml", "-q"}).code == 0);
  const std::string table = folder.read("a.csv"), sound = folder.read("a.wav");
  REQUIRE(table.starts_with("time [s],pickup [m/s]\n"));
  const std::vector<std::pair<std::string, std::string>> others{
      {"a.csv", "time [s],angle [rad]\n0,0\n"},
      {"a.csv", "what I found out in ten years\n"},
      {"a.csv", "time [s],pickup [m/s]"},  // no end of the line
      {"a.wav", "what I heard in ten years\n"},
      {"a.wav", "RIFF" + std::string(4, '\0') + "WAVEfmt " + std::string(400, '\1')},
      {"a.wav", table}};
  for (const auto& [name, text] : others) {
    CAPTURE(name);
    CAPTURE(text);
    const std::string mine = folder.read(name);
    folder.write(name, text);
    const Outcome refused = saltus_command(folder, {"run", "scene.yaml", "-q", "-o", "other.h5"});
    CAPTURE(refused.err);
    CHECK(refused.code == 2);
    CHECK(refused.error_lines() == 1);
    CHECK(holds(refused.err, name + ": exists and is not a "));
    CHECK(folder.read(name) == text);
    CHECK(!folder.has("other.h5"));
    CHECK(!folder.has("other.h5.part"));
    folder.write(name, mine);
  }
  CHECK(saltus_command(folder, {"run", "scene.yaml", "-q"}).code == 0);
  CHECK(folder.read("a.csv") == table);
  CHECK(folder.read("a.wav") == sound);
}

TEST_CASE("a name of a file with a character 0 is refused, not cut off there") {
  const Folder folder;
  folder.write("notes.txt", "what I found out in ten years\n");
  folder.write("scene.yaml",
               replaced(small_scene(), "wav: sound.wav", "csv: \"notes.txt\\0.csv\""));
  const Outcome outcome = saltus_command(folder, {"run", "scene.yaml", "-q"});
  CAPTURE(outcome.err);
  CHECK(outcome.code == 2);
  CHECK(outcome.error_lines() == 1);
  CHECK(holds(outcome.err, "outputs[0].csv: contains a null character"));
  folder.write("scene.yaml", replaced(small_scene(), "damping: {constant: 0.8 1/s}",
                                      "damping: {table: \"notes.txt\\0\"}"));
  const Outcome table = saltus_command(folder, {"check", "scene.yaml"});
  CAPTURE(table.err);
  CHECK(table.code == 2);
  CHECK(holds(table.err, "contains a null character"));
  CHECK(folder.read("notes.txt") == "what I found out in ten years\n");
}

TEST_CASE("a fault in the name of a table leaves the stopped run that is there") {
  const Folder folder;
  folder.write("scene.yaml", small_scene());
  folder.write("scene.h5.part", "what a stopped run left");
  const Outcome refused =
      saltus_command(folder, {"run", "scene.yaml", "-q", "--set", "outputs[0].wav=nowhere/x.wav"});
  CHECK(refused.code == 2);
  CHECK(folder.read("scene.h5.part") == "what a stopped run left");
}

TEST_CASE("sounds and tables lie in the folder of the results, unless the command allows another") {
  const Folder folder;
  folder.write("scene.yaml", replaced(small_scene(), "wav: sound.wav", "csv: a.csv"));
  fs::create_directory(folder / "in");
  fs::create_directory(folder / "in/below");
  fs::create_directory(folder / "away");
  fs::create_directory_symlink(folder / "away", folder / "in/out");
  fs::create_symlink(folder / "away/new.csv", folder / "in/link.csv");
  const std::vector<std::pair<std::string, std::string>> others{
      {"../a.csv", "is not in the folder of the results"},
      {"below/../../a.csv", "is not in the folder of the results"},
      {folder / "in/a.csv", "is not in the folder of the results"},
      {"out/a.csv", "leads out of the folder of the results by a link"},
      {"link.csv", "leads out of the folder of the results by a link"},
      {".profile.csv", "is a hidden file"},
      {".config/a.csv", "is a hidden file"},
      {"Makefile", "does not end in .csv"},
      {"a.wav", "does not end in .csv"},
      {"", "is empty"}};
  for (const auto& [name, says] : others) {
    CAPTURE(name);
    const Outcome refused = saltus_command(folder, {"run", "scene.yaml", "-q", "-o", "in/a.h5",
                                                    "--set", "outputs[0].csv='" + name + "'"});
    CAPTURE(refused.err);
    CHECK(refused.code == 2);
    CHECK(refused.error_lines() == 1);
    CHECK(holds(refused.err, "outputs[0].csv"));
    CHECK(holds(refused.err, says));
    CHECK(!folder.has("in/a.h5"));
    CHECK(!folder.has("in/a.h5.part"));
    CHECK(!folder.has("away/new.csv"));
  }
  CHECK(saltus_command(folder, {"check", "scene.yaml", "--set", "outputs[0].csv=../a.csv"}).code ==
        2);
  CHECK(saltus_command(folder, {"check", "scene.yaml", "--set", "outputs[0].csv=../a.csv",
                                "--outputs-anywhere"})
            .code == 0);
  for (int times = 0; times < 2; ++times)
    CHECK(saltus_command(folder, {"run", "scene.yaml", "-q", "-o", "in/a.h5", "--set",
                                  "outputs[0].csv=below/a.csv"})
              .code == 0);
  folder.write("numbers", "of somebody else\n");
  const Outcome anywhere =
      saltus_command(folder, {"run", "scene.yaml", "-q", "-o", "in/a.h5", "--outputs-anywhere",
                              "--set", "outputs[0].csv=../numbers"});
  CAPTURE(anywhere.err);
  CHECK(anywhere.code == 0);
  CHECK(folder.read("numbers") == folder.read("in/below/a.csv"));
}

TEST_CASE("an unfinished file of somebody else is not emptied for a table of the same name") {
  const Folder folder;
  folder.write("scene.yaml", replaced(small_scene(), "wav: sound.wav", "csv: a.csv"));
  folder.write("a.csv.part", "half of my table\n");
  const Outcome refused = saltus_command(folder, {"run", "scene.yaml", "-q"});
  CHECK(refused.code == 2);
  CHECK(refused.error_lines() == 1);
  CHECK(holds(refused.err, "a.csv.part: exists and is not a table that Saltus wrote"));
  CHECK(folder.read("a.csv.part") == "half of my table\n");
  folder.write("a.csv.part", "time [s],pickup [m/s]\n0,");  // of a run that was killed
  CHECK(saltus_command(folder, {"run", "scene.yaml", "-q"}).code == 0);
  CHECK(!folder.has("a.csv.part"));
}

TEST_CASE("a table that somebody writes during the run is not replaced at its end") {
  const Folder folder;
  folder.write("scene.yaml", replaced(replaced(small_scene(), "wav: sound.wav", "csv: a.csv"),
                                      "end: 50 ms", "end: 5 s"));
  const Outcome outcome =
      saltus_command(folder, {"run", "scene.yaml", "-q"}, {.meanwhile = [&](pid_t) {
                       for (int k = 0; k < 2'000 && !folder.has("scene.h5.part"); ++k)
                         ::usleep(1'000);
                       folder.write("a.csv", "mine\n");
                     }});
  CAPTURE(outcome.err);
  CHECK(outcome.code == 1);
  CHECK(holds(outcome.err, "a.csv: exists and is not a table"));
  CHECK(folder.read("a.csv") == "mine\n");
  CHECK(folder.has("scene.h5"));
}
