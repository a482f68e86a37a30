// Results files: what `saltus info`, `saltus view` and `--resume` read of them, checkpoints with their checksum put right.
//
// Input that begins as an HDF5 file is one. Any other is a list of changes to one of the files in corpus/results: the first byte says
// which, whether it is a `.part`, whether checksums are put right, and what is read of it; h5_changes.h reads the rest.
#include <zlib.h>

#include <bit>

#include "h5_changes.h"
#include "saltus/io/checkpoint.h"
#include "saltus/io/info.h"
#include "saltus/io/layout.h"
#include "saltus/io/results.h"
#include "saltus/io/scene_yaml.h"
#include "saltus/io/view_data.h"
#include "saltus/scene/build.h"

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

/// FNV-1a over words of 64 bits, as the writer of checkpoints sums them; where a slot cannot be summed it stays as it is.
void put_checksum_right(const h5::File& file, const std::string& slot) {
  if (!file.has("checkpoint/" + slot)) return;
  const h5::Group group = file.group("checkpoint/" + slot);
  std::uint64_t sum = 0xcbf29ce484222325ULL;
  const auto word = [&](std::uint64_t bits) { sum = (sum ^ bits) * 0x100000001b3ULL; };
  for (const char* name : {"t", "h", "kinetic", "potential", "energy_start"})
    word(std::bit_cast<std::uint64_t>(group.real(name)));
  for (const char* name : {"step", "rows", "frames"})
    word(static_cast<std::uint64_t>(group.integer(name)));
  const auto reals = [&](const char* name) {
    const std::vector<double> values = group.dataset(name).reals();
    word(values.size());
    for (const double x : values) word(std::bit_cast<std::uint64_t>(x));
    return values.size();
  };
  const auto counts = [&](const char* name) {
    const std::vector<std::uint64_t> values = group.dataset(name).counts();
    word(values.size());
    for (const std::uint64_t x : values) word(x);
  };
  const auto integers = [&](const char* name) {
    const std::vector<std::int32_t> values = group.dataset(name).integers();
    word(values.size());
    for (const std::int32_t x : values) word(static_cast<std::uint32_t>(x));
  };
  reals("ledger"), reals("q"), counts("q_offset"), reals("v"), counts("v_offset");
  reals("memory"), counts("memory_offset"), counts("memory_count"), counts("contact_key");
  reals("contact_impulse"), reals("contact_moment"), integers("active"), counts("active_offset");
  reals("factor"), counts("factor_offset"), counts("changes");
  if (group.has("broken_joint") && group.dataset("broken_joint").rows() > 0)
    integers("broken_joint"), reals("broken_time"), reals("broken_pull");
  if (group.has("lane_counts") && group.dataset("lane_counts").rows() > 0) {
    reals("lane_times"), counts("lane_counts"), reals("lane_q"), counts("lane_q_offset");
    reals("lane_v"), counts("lane_v_offset"), reals("lane_memory"), counts("lane_memory_offset");
    counts("lane_memory_count"), counts("lane_key"), integers("lane_kind"), reals("lane_direction");
  }
  group.set("checksum", std::bit_cast<std::int64_t>(sum));
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  static const Base bases[] = {Base("events"), Base("mixed"), Base("parts")};
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
  if (first & 2) try {
      const h5::File stored = h5::File::modify(file);
      for (const char* slot : {"a", "b"}) put_checksum_right(stored, slot);
    } catch (const std::exception&) {  // then they are wrong
    }
  constexpr unsigned parts[] = {1, 2, 4, 15};
  const std::string name = first & 4 ? file + ".part" : file;
  if (first & 4) std::filesystem::rename(file, name);
  read(name, parts[first >> 3 & 3], &base);
  return 0;
}
