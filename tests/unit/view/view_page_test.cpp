// The page of `saltus report`.
#include "saltus/view/view_page.h"

#include <zlib.h>

#include <nlohmann/json.hpp>

#include "unit/view/base64.h"
#include "unit/view/view_run.h"
#include "unit/view/view_support.h"

using namespace saltus;
using io_test::bytes_of;
using io_test::exists;
using io_test::Folder;
using io_test::message;
using view_test::PutRun;
using view_test::ReadChunk;
using view_test::rigid_group;

namespace {

constexpr std::string_view kPlain =
    "<!doctype html>\n<html><body><p>before</p>\n<!--saltus-data-->\n<p>behind</p></body></html>\n";

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

/// Text of the script with this id.
std::string script(const std::string& page, const std::string& id) {
  const std::size_t name = page.find("id=\"" + id + "\">");
  REQUIRE(name != std::string::npos);
  const std::size_t first = name + id.size() + 6, last = page.find("</script>", first);
  REQUIRE(last != std::string::npos);
  return page.substr(first, last - first);
}

/// The bytes behind base64 of a zlib stream.
std::string unpacked(const std::string& text) {
  const std::string packed = io_test::bytes_of_base64(text);
  std::string bytes(std::size_t{1} << 26, '\0');
  uLongf size = bytes.size();
  REQUIRE(uncompress(reinterpret_cast<Bytef*>(bytes.data()), &size,
                     reinterpret_cast<const Bytef*>(packed.data()), packed.size()) == Z_OK);
  bytes.resize(size);
  return bytes;
}

}  // namespace

TEST_CASE("a page holds the viewer and three parts, and asks nobody for anything") {
  const Folder folder;
  PutRun run({rigid_group("balls", 3)});
  run.write(folder / "a.h5", 20);
  const ResultsReader results(folder / "a.h5");
  const PageReport report = write_view_page(results, folder / "a.html", 1'000'000, kPlain);
  const std::string page = bytes_of(folder / "a.html");
  CHECK(report.bytes == page.size());
  CHECK(report.frames == 20);
  CHECK(report.of == 20);
  CHECK(report.sounds == 0);  // 21 samples are no sound
  CHECK(!exists(folder / "a.html.part"));
  CHECK(page.starts_with("<!doctype html>\n<html><body><p>before</p>\n<script"));
  CHECK(page.ends_with("</script>\n\n<p>behind</p></body></html>\n"));
  CHECK(count_of(page, "<script") == 3);
  CHECK(count_of(page, "</script>") == 3);  // although the title of the scene holds one
  for (const char* word : {"http", " src=", " href=", "url(", "<!--"})
    CHECK(count_of(page, word) == 0);
  const auto header = nlohmann::json::parse(script(page, "saltus-header"));
  CHECK(header["title"] == "A </script> B");
  const std::string fixed = unpacked(script(page, "saltus-static")),
                    frames = unpacked(script(page, "saltus-frames"));
  const ReadChunk chunk(frames);
  CHECK(chunk.records.size() == 20);
  CHECK(header["frame_bytes"].get<std::size_t>() == chunk.records[3].size());
  const std::size_t at = header["frames"]["time"]["at"];
  CHECK(view_test::number_at<double>(fixed, at + 8 * 19) == chunk.times[19]);
}

TEST_CASE("what the library was built with is a page that takes the data of a view") {
  if (viewer_page().empty()) {
    CHECK(message<RunError>([] {
            const Folder folder;
            PutRun({}).write(folder / "a.h5", 2);
            write_view_page(ResultsReader(folder / "a.h5"), folder / "a.html", 1'000'000);
          }).find("this program was built without the viewer") != std::string::npos);
    return;
  }
  const std::string page = page_with_view(viewer_page(), "{}", "", "");
  CHECK(page.starts_with("<!doctype html>"));
  CHECK(count_of(page, "id=\"saltus-") == 3);
  for (const char* word : {"<script src", "<link rel=\"stylesheet", "@import", "<img", "<iframe"})
    CHECK(count_of(page, word) == 0);
}

TEST_CASE("the data go where the page wants them, once") {
  CHECK_THROWS_AS(page_with_view("<html></html>", "{}", "", ""), UsageError);
  CHECK_THROWS_AS(page_with_view("<!--saltus-data--><!--saltus-data-->", "{}", "", ""), UsageError);
}

TEST_CASE("a run of 1000 bodies fits 25 MB with all frames, and less with fewer") {
  const Folder folder;
  PutRun run({rigid_group("balls", 1000)});
  run.write(folder / "a.h5", 120);
  const ResultsReader results(folder / "a.h5");
  std::size_t before = 1000;
  for (const std::size_t size : {25'000'000u, 600'000u, 200'000u}) {
    CAPTURE(size);
    const PageReport report = write_view_page(results, folder / "a.html", size, kPlain);
    CHECK(std::filesystem::file_size(folder / "a.html") == report.bytes);
    CHECK(report.bytes <= size);
    CHECK(report.of == 120);
    CHECK(report.frames < before);
    before = report.frames;
    if (size == 25'000'000u)
      CHECK(report.frames == 120);
    else
      CHECK(static_cast<double>(report.bytes) >
            0.4 * static_cast<double>(size));  // the room is used
    const auto chunk_bytes = unpacked(script(bytes_of(folder / "a.html"), "saltus-frames"));
    CHECK(ReadChunk(chunk_bytes).steps.back() == 120);  // the last frame is there
  }
}

TEST_CASE("weak contacts are left out rather than most frames, and the page says how many") {
  const Folder folder;
  PutRun run({rigid_group("balls", 7)});
  run.write(folder / "a.h5", 60);
  view_test::put_contacts(folder / "a.h5", std::vector<int>(60, 500));
  const ResultsReader results(folder / "a.h5");
  const PageReport report = write_view_page(results, folder / "a.html", 250'000, kPlain);
  CHECK(report.bytes <= 250'000);
  CHECK(report.frames >= 30);
  CHECK(report.contacts_left_out > 0);
  const auto header = nlohmann::json::parse(script(bytes_of(folder / "a.html"), "saltus-header"));
  CHECK(header["contacts_left_out"] == report.contacts_left_out);
  const std::string chunk = unpacked(script(bytes_of(folder / "a.html"), "saltus-frames"));
  const ReadChunk read(chunk);
  std::size_t there = 0;
  for (const std::string_view record : read.records)
    there += (record.size() - header["frame_bytes"].get<std::size_t>()) / 52;
  CHECK(there + report.contacts_left_out == 500 * report.frames);
}

TEST_CASE("a size in which nothing fits is refused, and an older page stays") {
  const Folder folder;
  PutRun run({rigid_group("balls", 100)});
  run.write(folder / "a.h5", 5);
  const ResultsReader results(folder / "a.h5");
  io_test::put(folder / "a.html", "<!doctype html>older");
  const std::string fault =
      message<SceneError>([&] { write_view_page(results, folder / "a.html", 2000, kPlain); });
  CHECK(fault.starts_with("--size: "));
  CHECK(fault.find('\n') == std::string::npos);
  CHECK(bytes_of(folder / "a.html") == "<!doctype html>older");
  CHECK(!exists(folder / "a.html.part"));
}

TEST_CASE("sizes have a unit") {
  CHECK(bytes_of_size("--size", "25MB") == 25'000'000);
  CHECK(bytes_of_size("--size", "1.5 GB") == 1'500'000'000);
  CHECK(bytes_of_size("--size", "800kB") == 800'000);
  CHECK(bytes_of_size("--size", "2 MiB") == 2'097'152);
  for (const char* text :
       {"25", "25 MW", "25mb", "MB", "-1MB", "0MB", "nanMB", "infMB", "1e300GB", ""}) {
    CAPTURE(text);
    CHECK(message<SceneError>([&] { bytes_of_size("--size", text); }).starts_with("--size: "));
  }
}
