// Results files: what `saltus info`, `saltus view` and `--resume` read of them, checkpoints with their checksum put right.
//
// Input that begins as an HDF5 file is one. Any other is a list of changes to one of the files in corpus/results: the first byte says
// which, whether it is a `.part`, whether checksums are put right, whether it is made one of an older format, and what is read of
// it; h5_changes.h reads the rest.
#include <zlib.h>

#include <bit>
#include <limits>
#include <nlohmann/json.hpp>

#include "h5_changes.h"
#include "saltus/results/checkpoint.h"
#include "saltus/results/info.h"
#include "saltus/results/layout.h"
#include "saltus/results/results.h"
#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"
#include "saltus/view/view_data.h"

using namespace saltus;
using namespace saltus_fuzz;

namespace {

std::string unpacked(const std::string& file) {
  const gzFile in = gzopen(file.c_str(), "rb");
  if (!in) stop("cannot be read", file);
  std::string bytes;
  std::array<char, 65536> buffer;
  for (int count; (count = gzread(in, buffer.data(), buffer.size())) > 0;)
    bytes.append(buffer.data(), static_cast<std::size_t>(count));
  gzclose(in);
  return bytes;
}

struct Base {
  std::string bytes, scene, resolved;
  ResultsOptions options;
  ObjectNames names;
  std::optional<Model> model;
  explicit Base(const std::string& name)
      : bytes(unpacked(std::string(SALTUS_FUZZ_FOLDER "/corpus/results/") + name + ".h5.gz")) {
    const std::string file = folder().file("base.h5");
    write_file(file, bytes);
    names = object_names(file);
    scene = ResultsReader(file).scene();
    resolved = layout::open(file, false).dataset("resolved").text();
    const Scene read = read_scene_text(scene, name + ".yaml");
    const auto& results = read.spec.results;
    options.fields = {results.stress, results.strain, results.resultants};
    options.own_thread = false;
    model = build(read);
  }
};

/// The sums of checkpoints, as their writer makes them: FNV-1a over words of 64 bits where they have no name, else splitmix64.
struct PlainSum {
  std::uint64_t sum = 0xcbf29ce484222325ULL;
  void word(std::uint64_t bits) { sum = (sum ^ bits) * 0x100000001b3ULL; }
};
struct StrongSum {
  std::uint64_t sum = 0;
  static std::uint64_t mixed(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
  }
  void word(std::uint64_t bits) { sum = mixed(sum ^ mixed(bits)); }
};

template <class Sum>
std::uint64_t sum_of(const h5::Group& group, std::uint64_t name) {
  Sum sum;
  for (const char* key : {"t", "h", "kinetic", "potential", "energy_start"})
    sum.word(std::bit_cast<std::uint64_t>(group.real(key)));
  for (const char* key : {"step", "rows", "frames"})
    sum.word(static_cast<std::uint64_t>(group.integer(key)));
  const auto add = [&](const auto& values) {
    sum.word(values.size());
    for (const auto x : values)
      if constexpr (sizeof x == 4)
        sum.word(static_cast<std::uint32_t>(x));
      else
        sum.word(std::bit_cast<std::uint64_t>(x));
  };
  const auto reals = [&](const char* key) { add(group.dataset(key).reals()); };
  const auto counts = [&](const char* key) { add(group.dataset(key).counts()); };
  const auto integers = [&](const char* key) { add(group.dataset(key).integers()); };
  const auto has = [&](const char* key) { return group.has(key) && group.dataset(key).rows() > 0; };
  reals("ledger"), reals("q"), counts("q_offset"), reals("v"), counts("v_offset");
  reals("memory"), counts("memory_offset"), counts("memory_count"), counts("contact_key");
  reals("contact_impulse"), reals("contact_moment"), integers("active"), counts("active_offset");
  reals("factor"), counts("factor_offset"), counts("changes");
  if (has("broken_joint")) integers("broken_joint"), reals("broken_time"), reals("broken_pull");
  if (has("lane_counts")) {
    reals("lane_times"), counts("lane_counts"), reals("lane_q"), counts("lane_q_offset");
    reals("lane_v"), counts("lane_v_offset"), reals("lane_memory"), counts("lane_memory_offset");
    counts("lane_memory_count"), counts("lane_key"), integers("lane_kind"), reals("lane_direction");
  }
  if (has("table_sum")) counts("table_rows"), counts("table_sum");
  if (name != 0) sum.word(name);
  return sum.sum;
}

constexpr const char* kName = "name_of_checkpoints";
constexpr const char* kTables = "provenance/sums";

/// The file says of its tables what they hold now. Tables that cannot be summed keep their sums.
void put_tables_right(const h5::File& file, const h5::Group& slot) {
  nlohmann::json list = nlohmann::json::parse(file.dataset(kTables).text());
  const auto sum = [&](const std::string& path, std::size_t rows, std::uint64_t before) {
    try {
      const h5::Dataset data = file.dataset(path);
      return data.sum(std::min(rows, data.rows()));
    } catch (const std::exception&) {
      return before;
    }
  };
  const std::vector<std::uint64_t> rows = slot.dataset("table_rows").counts();
  std::vector<std::uint64_t> sums = slot.dataset("table_sum").counts();
  std::size_t k = 0;
  for (const auto& path : list.at("growing")) {
    if (k >= rows.size() || k >= sums.size()) break;
    const std::string name = path.get<std::string>();
    if (name != "timing/step") sums[k] = sum(name, rows[k], sums[k]);
    ++k;
  }
  for (auto& [path, value] : list.at("fixed").items())
    if (value.is_number_unsigned())
      value = sum(path, std::numeric_limits<std::size_t>::max(), value.get<std::uint64_t>());
  slot.remove("table_sum");
  slot.write("table_sum", std::span<const std::uint64_t>(sums));
  file.remove(kTables);
  file.write(kTables, list.dump());
}

/// As a file is that was made before tables were summed and checkpoints had names.
void make_old(const std::string& path) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  for (const char* object : {"provenance", "checkpoint/a", "checkpoint/b"})
    if (H5Oexists_by_name(file, object, H5P_DEFAULT) > 0)
      H5Adelete_by_name(file, object, kName, H5P_DEFAULT);
  for (const char* object : {kTables, "checkpoint/a/table_rows", "checkpoint/a/table_sum",
                             "checkpoint/b/table_rows", "checkpoint/b/table_sum"})
    H5Ldelete(file, object, H5P_DEFAULT);
  H5Fclose(file);
}

/// Where a slot cannot be summed it stays as it is.
void put_checksums_right(const std::string& path) {
  const h5::File file = h5::File::modify(path);
  for (const char* slot : {"a", "b"}) try {
      if (!file.has(std::string("checkpoint/") + slot)) continue;
      const h5::Group group = file.group(std::string("checkpoint/") + slot);
      if (file.has(kTables)) put_tables_right(file, group);
      const bool named = group.has_attribute(kName);
      const auto name = named ? std::bit_cast<std::uint64_t>(group.integer(kName)) : 0;
      const std::uint64_t sum =
          name != 0 ? sum_of<StrongSum>(group, name) : sum_of<PlainSum>(group, 0);
      group.set("checksum", std::bit_cast<std::int64_t>(sum));
    } catch (const std::exception&) {
    }
}

void check_state(const State& state, const Model& model) {
  require(state.groups.size() == model.groups().size(), "groups");
  for (std::size_t g = 0; g < state.groups.size(); ++g)
    require(state.groups[g].q.size() == model.initial()[g].q.size() &&
                state.groups[g].v.size() == model.initial()[g].v.size(),
            "coordinates");
  require(state.ledger.size() == model.accounts().size(), "accounts");
}

void read_info(const std::string& file) {
  const ResultsReader results(file);
  info_text(results);
  info_json(results);
  for (const BodyColumn& body : results.bodies())
    if (body.nodes > 0)  // inverted elements are drawn as they are
      for (const ElementBlock& block : results.mesh(body.name).blocks)
        for (const int node : block.nodes)
          require(node >= 0 && static_cast<std::size_t>(node) < body.nodes, "nodes of elements");
  for (const ProbeColumn& probe : results.probes())
    require(results.probe(probe.name).size() == results.rows(), "rows of a probe");
  results.events();
}

void read_view(const std::string& file) {
  const ResultsReader results(file);
  ViewData view(results, {.quantised = true, .from = {}, .to = {}});
  view.header();
  if (view.frames() > 0) view.chunk(0, view.frames());
}

void read_state(const std::string& file, const Model& model) {
  const h5::File stored = layout::open(file, false);
  newest_checkpoint_step(stored);
  check_state(newest_checkpoint(stored, file, model).state, model);
}

/// What `--resume` does to a file, with a row and a frame of no step.
void go_on(const std::string& file, const Base& base) {
  const Model& model = *base.model;
  const State state = read_checkpoint(file, model);
  ResultsWriter out = ResultsWriter::resume(file, model, base.scene, base.resolved, base.options);
  std::vector<Vector> velocities;
  for (const GroupState& group : state.groups) velocities.push_back(group.v);
  const std::vector<std::array<Vector3, 2>> loads(model.joints().size(),
                                                  {Vector3::Zero(), Vector3::Zero()});
  const Event event{Event::Kind::impact, state.t, 1, -1.0, Vector3::Zero(), 0.0};
  out.events(std::span(&event, 1));
  out.record({}, state, std::vector<double>(model.probes().size()));
  out.frame(state, velocities, loads);
  out.checkpoint(state);
  out.finish(state, {});
}

/// parts: one bit each; an error of a part of the view may begin with its body.
void read(const std::string& file, unsigned parts, const Base* base) {
  if (parts & 1) allowed(file, [&] { read_info(file); });
  if (parts & 2) allowed("", [&] { read_view(file); });
  if (parts & 4 && base) allowed(file, [&] { read_state(file, *base->model); });
  if (parts & 8 && base) allowed("", [&] { go_on(file, *base); });
}

/// Sums that are put right must be taken for those of the writer: else no change is ever seen by what reads behind them.
bool expect_taken_up(const Base& base) {
  const std::string file = folder().file("a.h5");
  for (const bool old : {false, true}) {
    write_file(file, base.bytes);
    if (old) make_old(file);
    put_checksums_right(file);
    require(allowed("", [&] { go_on(file, base); }), "a whole run whose sums were put right");
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  static const Base bases[] = {Base("events"), Base("mixed"), Base("parts")};
  static const bool taken_up = std::ranges::all_of(bases, expect_taken_up);
  require(taken_up, "bases");
  const std::string file = folder().file("a.h5");
  if (text_of(data, size).find("\x89HDF") < 513) {
    write_file(file, text_of(data, size));
    read(file, 3, nullptr);
    return 0;
  }
  Choices choices(data, size);
  const unsigned first = choices.byte();
  const Base& base = bases[first & 32 ? 2 : first & 1];
  write_file(file, base.bytes);
  change_file(file, base.names, choices);
  if (first & 64) make_old(file);
  if (first & 2) allowed("", [&] { put_checksums_right(file); });
  constexpr unsigned parts[] = {1, 2, 4, 15};
  const std::string name = first & 4 ? file + ".part" : file;
  if (first & 4) std::filesystem::rename(file, name);
  read(name, parts[first >> 3 & 3], &base);
  return 0;
}
