#include "saltus/convert/convert.h"

#include <algorithm>
#include <filesystem>

#include "saltus/convert/convert_names.h"
#include "saltus/exchange/csv_write.h"
#include "saltus/results/replaceable.h"

namespace saltus {
namespace {

using Table = std::vector<std::pair<CsvColumn, std::vector<double>>>;

void add(Table& table, const std::string& name, const std::string& unit,
         std::vector<double> values) {
  table.emplace_back(CsvColumn{name, unit, {}}, std::move(values));
}

void write(const std::string& path, const Table& table) {
  std::vector<CsvColumn> columns;
  for (const auto& [column, values] : table) columns.push_back({column.name, column.unit, values});
  write_csv(path, columns);
}

/// Writes frames of one body, with one block of frames in memory at a time.
void write_frames(const ResultsReader& results, const BodyColumn& body, const std::string& path) {
  std::vector<CsvColumn> header{{"time", "s", {}}};
  for (std::size_t i = 0; i < body.positions; ++i)
    header.push_back({"q" + std::to_string(i), "", {}});
  for (std::size_t i = 0; i < body.velocities; ++i)
    header.push_back({"velocity" + std::to_string(i), "", {}});
  CsvWriter writer(path, header);
  const std::vector<double> time = results.frame_times();
  constexpr std::size_t block = 64;
  std::vector<double> row;
  for (std::size_t first = 0; first < time.size(); first += block) {
    const std::size_t count = std::min(block, time.size() - first);
    const auto q = results.body(body.name, "q", first, count);
    const auto v = results.body(body.name, "velocity", first, count);
    for (std::size_t k = 0; k < count; ++k) {
      const std::span<const double> q_row =
          std::span(q).subspan(k * body.positions, body.positions);
      const std::span<const double> v_row =
          std::span(v).subspan(k * body.velocities, body.velocities);
      row.assign(1, time[first + k]);
      row.insert(row.end(), q_row.begin(), q_row.end());
      row.insert(row.end(), v_row.begin(), v_row.end());
      writer.row(row);
    }
  }
  writer.commit();
}

void write_events(const std::vector<Event>& events, const std::string& path) {
  const std::vector<CsvColumn> header{{"time", "s", {}},        {"kind", "", {}},
                                      {"key", "", {}},          {"speed", "m/s", {}},
                                      {"normal", "N s", {}},    {"tangent 1", "N s", {}},
                                      {"tangent 2", "N s", {}}, {"energy", "J", {}}};
  CsvWriter writer(path, header);
  for (const Event& event : events)
    writer.row(std::vector<std::string>{csv_number(event.t), std::string(name_of(event.kind)),
                                        std::to_string(event.key), csv_number(event.speed),
                                        csv_number(event.impulse[0]), csv_number(event.impulse[1]),
                                        csv_number(event.impulse[2]), csv_number(event.energy)});
  writer.commit();
}

std::array<CsvColumn, 2> csv_columns(const Probe& probe, const Model& model,
                                     std::span<const double> time,
                                     std::span<const double> samples) {
  return {CsvColumn{"time", "s", time},
          CsvColumn{probe.name, std::string(unit_of(probe, model.joints())), samples}};
}

std::string beside(const std::string& folder, const std::string& name) {
  return folder.empty() || name.starts_with('/') ? name : folder + "/" + name;
}

}  // namespace

std::string file_name(const std::string& stem, const std::string& part, const std::string& suffix) {
  return stem + "." + part + suffix;
}

void require_other(const ResultsReader& results, const std::string& path,
                   const std::vector<std::string>& written) {
  std::error_code ignored;
  const bool twice = std::find(written.begin(), written.end(), path) != written.end();
  if (twice || std::filesystem::equivalent(path, results.file(), ignored))
    throw SceneError("", twice ? "would be written twice" : "is the input file",
                     twice ? "give the body another name than steps, ledger, probes or events"
                           : "choose another name with -o")
        .at(path, 0, 0);
}

std::string default_stem(const std::string& file) {
  std::string stem = file;
  for (const std::string_view suffix : {".part", ".h5", ".hdf5"})
    if (stem.ends_with(suffix)) stem.resize(stem.size() - suffix.size());
  return stem;
}

std::vector<WavReport> convert_wav(const ResultsReader& results, const std::string& stem,
                                   const std::string& probe) {
  std::vector<WavReport> reports;
  std::string known;
  for (const ProbeColumn& column : results.probes()) {
    known += (known.empty() ? "" : ", ") + column.name;
    if (!probe.empty() && column.name != probe) continue;
    const bool exact = !probe.empty() && stem.ends_with(".wav");
    const std::string path = exact ? stem : file_name(stem, column.name, ".wav");
    require_other(results, path, {});
    reports.push_back(write_wav(path, results.probe(column.name), column.rate, column.gain));
  }
  if (reports.empty())
    throw SceneError("", probe.empty() ? "contains no probes" : "contains no probe '" + probe + "'",
                     known.empty() ? "add a probe to the outputs of the scene" : "one of: " + known)
        .at(results.file(), 0, 0);
  return reports;
}

std::vector<std::string> convert_csv(const ResultsReader& results, const std::string& stem) {
  std::vector<std::string> written;
  const auto save = [&](const std::string& name, const Table& table) {
    const std::string path = file_name(stem, name, ".csv");
    require_other(results, path, written);
    write(path, table);
    written.push_back(path);
  };
  Table steps;
  for (const std::string& name : results.step_names())
    add(steps, name, results.step_unit(name), results.step(name));
  save("steps", steps);
  if (!results.accounts().empty()) {
    Table ledger;
    add(ledger, "time", "s", results.step("time"));
    for (const std::string& account : results.accounts())
      add(ledger, account, "J", results.ledger(account));
    save("ledger", ledger);
  }
  if (!results.probes().empty()) {
    Table probes;
    add(probes, "time", "s", results.step("time"));
    for (const ProbeColumn& probe : results.probes())
      add(probes, probe.name, probe.unit, results.probe(probe.name));
    save("probes", probes);
  }
  if (results.has_events()) {
    const std::string path = file_name(stem, "events", ".csv");
    require_other(results, path, written);
    write_events(results.events(), path);
    written.push_back(path);
  }
  if (results.frames() > 0)
    for (const BodyColumn& body : results.bodies()) {
      const bool modes = results.has(body.name, "shapes");
      if (body.nodes && !modes) continue;  // thousands of columns: use convert_nodes
      const std::string path = file_name(stem, body.name, ".csv");
      require_other(results, path, written);
      write_frames(results, body, path);
      written.push_back(path);
    }
  return written;
}

void expect_own_probe_files(const Probe& probe, const Model& model, const std::string& folder) {
  const auto expect = [&](const std::string& name, const char* what, const auto& is_own) {
    const std::string path = beside(folder, name);
    for (const std::string& one : {path, part_name(path)}) expect_replaceable(one, what, is_own);
  };
  if (!probe.wav.empty()) expect(probe.wav, "a sound written by Saltus", is_own_wav);
  if (!probe.csv.empty()) {
    const std::string header = csv_header(csv_columns(probe, model, {}, {})) + "\n";
    expect(probe.csv, "a table that Saltus wrote for this output",
           [&](std::string_view head) { return head.starts_with(header); });
  }
}

ProbeFiles write_probe_files(ResultsWriter& results, const Model& model, const std::string& folder,
                             bool replace_any) {
  ProbeFiles files;
  for (std::size_t i = 0; i < model.probes().size(); ++i) {
    const Probe& probe = model.probes()[i];
    if (probe.wav.empty() && probe.csv.empty()) continue;
    const std::vector<double> samples = results.probe(i);
    const double rate = model.options().h > 0.0 ? 1.0 / model.options().h : 0.0;
    Probe sound = probe, table = probe;  // with one file each
    sound.csv.clear();
    table.wav.clear();
    const auto attempt = [&](const Probe& one, auto&& action) {
      try {
        if (!replace_any) expect_own_probe_files(one, model, folder);
        action();
      } catch (const RunError& error) {
        files.faults.emplace_back(error.what());
      } catch (const SceneError& error) {
        files.faults.emplace_back(error.what());
      }
    };
    if (!probe.wav.empty())
      attempt(sound, [&] {
        const WavReport report = write_wav(beside(folder, probe.wav), samples, rate, probe.gain);
        files.sounds.push_back(report);
        files.written.push_back(report.path);
        results.set_wav(i, probe.wav, report.factor, report.rate.rate);
      });
    if (!probe.csv.empty())
      attempt(table, [&] {
        const std::string path = beside(folder, probe.csv);
        const std::vector<double> time = results.times();
        write_csv(path, csv_columns(probe, model, time, samples));
        files.written.push_back(path);
      });
  }
  return files;
}

}  // namespace saltus
