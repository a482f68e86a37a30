// Results files: tables as arrays, and conversions. saltus/_results.py builds the convenient
// interface on top.
#include <pybind11/stl.h>

#include <algorithm>
#include <filesystem>

#include "core.h"
#include "file_lock.h"
#include "saltus/base/suggest.h"
#include "saltus/convert/convert.h"
#include "saltus/results/cite.h"
#include "saltus/results/info.h"
#include "saltus/results/layout.h"
#include "saltus/study/compare.h"
#include "saltus/study/convert_results.h"
#include "saltus/view/view_file.h"
#include "saltus/view/view_page.h"

namespace saltus::python {
namespace {

/// A file in the state in which it was opened, even if a run is still writing to it. All calls of
/// HDF5 are made under the lock, including closing.
class ResultsFile {
 public:
  explicit ResultsFile(const std::string& file) {
    const FileLock lock;
    reader_ = std::make_unique<ResultsReader>(file);
    rows = reader_->rows();
    frames = reader_->frames();
    finished = reader_->finished();
  }
  ~ResultsFile() {
    const FileLock lock;
    reader_.reset();
  }
  ResultsFile(const ResultsFile&) = delete;
  ResultsFile& operator=(const ResultsFile&) = delete;

  /// Constant data while the file is open: names. Does not access the file.
  const ResultsReader* operator->() const { return reader_.get(); }

  /// Runs `work` on the reader, under the lock and without the GIL; repeats it with a new reader if
  /// the run has written in the meantime. Tables only grow: existing rows do not change.
  template <typename Work>
  auto read(Work&& work) const {
    const FileLock lock;
    return read_under_lock(work);
  }
  template <typename Work>
  auto read_under_lock(Work&& work) const {
    for (int attempt = 1;; ++attempt) try {
        return work(static_cast<const ResultsReader&>(*reader_));
      } catch (const h5::Changed&) {
        if (attempt == layout::kAttempts) throw;
        open_again();
      } catch (const SceneError&) {  // thrown by readers of several tables if the file has changed
        if (finished || attempt > 3) throw;
        open_again();
      }
  }

  std::size_t rows = 0, frames = 0;
  bool finished = false;

 private:
  /// The run may have ended and renamed the file to its final name.
  void open_again() const {
    std::string name = reader_->file();
    constexpr std::string_view kPart = ".part";
    if (name.ends_with(kPart) && !std::filesystem::exists(name))
      name.resize(name.size() - kPart.size());
    reader_ = std::make_unique<ResultsReader>(name);
  }

  mutable std::unique_ptr<ResultsReader> reader_;
};

/// The numbers become the memory of an array. `columns` 1: one-dimensional.
template <typename T>
py::array adopt(std::vector<T>&& numbers, std::size_t columns) {
  auto* const kept = new std::vector<T>(std::move(numbers));
  const py::capsule owner(kept, [](void* at) { delete static_cast<std::vector<T>*>(at); });
  std::vector<py::ssize_t> shape{
      static_cast<py::ssize_t>(kept->size() / std::max<std::size_t>(columns, 1))};
  if (columns > 1) shape.push_back(static_cast<py::ssize_t>(columns));
  return py::array_t<T>(shape, kept->data(), owner);
}

/// Rows first .. first + count - 1 of a table, as far as they exist; count -1: all from `first`.
py::array read_table(const ResultsFile& file, const std::string& path, std::size_t first,
                     std::int64_t count) {
  std::vector<double> reals;
  std::vector<std::int32_t> integers;
  std::vector<std::uint64_t> counts;
  std::size_t columns = 1;
  h5::Extent extent;
  file.read([&](const ResultsReader& reader) {
    if (!reader.hdf5().has(path))
      throw UsageError("'" + path + "' is not a table of " + reader.file());
    const h5::Dataset data = reader.hdf5().dataset(path);
    extent = data.extent();
    columns = std::max<std::size_t>(data.columns(), 1);
    const std::size_t there = data.rows(), from = std::min(first, there);
    const std::size_t n =
        count < 0 ? there - from : std::min(there - from, static_cast<std::size_t>(count));
    const auto part = [&](auto all) {
      using Each = typename decltype(all)::difference_type;
      return decltype(all)(all.begin() + static_cast<Each>(from * columns),
                           all.begin() + static_cast<Each>((from + n) * columns));
    };
    if (extent.kind == h5::Extent::Kind::real)
      reals = data.reals(from, n);
    else if (extent.kind == h5::Extent::Kind::integer && extent.size == 8)
      counts = part(data.counts());
    else if (extent.kind == h5::Extent::Kind::integer)
      integers = part(data.integers());
    else
      throw UsageError("'" + path + "' contains text, not numbers");
  });
  if (extent.kind == h5::Extent::Kind::real) return adopt(std::move(reals), columns);
  return extent.size == 8 ? adopt(std::move(counts), columns) : adopt(std::move(integers), columns);
}

struct BodyFacts {
  BodyColumn column;
  std::string name, names;  ///< as in the scene; JSON list, "" if there is none
  std::int64_t members = 1;
  std::vector<std::string> tables, groups;
};

py::list bodies(const ResultsFile& file) {
  const auto found = file.read([](const ResultsReader& reader) {
    std::vector<BodyFacts> all;
    for (const BodyColumn& column : reader.bodies()) {
      BodyFacts& body = all.emplace_back();
      body.column = column;
      const h5::Group group = reader.hdf5().group("bodies/" + column.name);
      body.name = group.has_attribute("name") ? group.text("name") : column.name;
      if (group.has_attribute("bodies")) body.members = group.integer("bodies");
      for (const std::string& member : group.names())
        if (group.is_group(member))
          body.groups.push_back(member);
        else if (member == "names")
          body.names = group.dataset(member).text();
        else
          body.tables.push_back(member);
    }
    return all;
  });
  py::list result;
  for (const BodyFacts& body : found) {
    py::dict cells;
    for (const auto& [kind, count] : body.column.cells) cells[text_of(kind)] = count;
    py::list tables, groups;
    for (const std::string& one : body.tables) tables.append(text_of(one));
    for (const std::string& one : body.groups) groups.append(text_of(one));
    py::dict entry;
    entry["name"] = text_of(body.name);
    entry["path"] = text_of("bodies/" + body.column.name);
    entry["kind"] = text_of(body.column.kind);
    entry["scheme"] = text_of(body.column.scheme);
    entry["positions"] = body.column.positions;
    entry["velocities"] = body.column.velocities;
    entry["nodes"] = body.column.nodes;
    entry["cells"] = cells;
    entry["index"] = result.size();
    entry["members"] = body.members;
    entry["names"] = text_of(body.names);
    entry["tables"] = tables;
    entry["groups"] = groups;
    result.append(entry);
  }
  return result;
}

py::list probes(const ResultsFile& file) {
  py::list result;
  for (const ProbeColumn& probe : file->probes()) {
    py::dict entry;
    entry["name"] = text_of(probe.name);
    entry["body"] = text_of(probe.body);
    entry["joint"] = text_of(probe.joint);
    entry["coordinate"] = text_of(probe.coordinate);
    entry["quantity"] = text_of(probe.quantity);
    entry["unit"] = text_of(probe.unit);
    entry["at"] = text_of(probe.at);
    entry["rate"] = probe.rate;
    entry["delay"] = probe.delay;
    result.append(entry);
  }
  return result;
}

py::list joints(const ResultsFile& file) {
  struct JointFacts {
    std::string path, name, kind;
    std::optional<std::array<double, 3>> link;  ///< strength, broken_at, broken_by
  };
  const auto found = file.read([](const ResultsReader& reader) {
    std::vector<JointFacts> all;
    if (!reader.hdf5().has("joints")) return all;
    const h5::Group group = reader.hdf5().group("joints");
    for (const std::string& name : layout::in_order(group)) {
      const h5::Group member = group.group(name);
      JointFacts& joint = all.emplace_back();
      joint.path = "joints/" + name;
      joint.name = member.has_attribute("name") ? member.text("name") : name;
      joint.kind = member.has_attribute("kind") ? member.text("kind") : "";
      if (member.has_attribute("broken_at"))
        joint.link = {member.real("strength"), member.real("broken_at"), member.real("broken_by")};
    }
    return all;
  });
  py::list result;
  for (const JointFacts& joint : found) {
    py::dict entry;
    entry["path"] = text_of(joint.path);
    entry["name"] = text_of(joint.name);
    entry["kind"] = text_of(joint.kind);
    if (joint.link) {
      entry["strength"] = (*joint.link)[0];
      entry["broken_at"] = (*joint.link)[1];
      entry["broken_by"] = (*joint.link)[2];
    }
    result.append(entry);
  }
  return result;
}

/// Points of a mesh, a string or a bar: at rest, (points, 3), and displacements, (frames, 3
/// points); None for other bodies.
py::object points(const ResultsFile& file, std::size_t body) {
  std::vector<double> rest, moved;
  file.read([&](const ResultsReader& reader) {
    ViewFile view(reader);
    const ViewBody& of = view.scene().bodies.at(body);
    rest.clear();
    moved.clear();
    if (of.mesh)
      rest.assign(of.mesh->nodes.data(), of.mesh->nodes.data() + of.mesh->nodes.size());
    else
      rest = of.line;
    if (rest.empty()) return;
    for (std::size_t k = 0; k < std::min(file.frames, view.frames()); ++k) {
      const std::span<const double> row = view.row(body, "displacement", k);
      moved.insert(moved.end(), row.begin(), row.end());
    }
  });
  if (rest.empty()) return py::none();
  const std::size_t width = rest.size();
  return py::make_tuple(adopt(std::move(rest), 3), adopt(std::move(moved), width));
}

/// Rate and samples of the sound of a probe: mean removed, decimated to a rate of sound files, not
/// scaled.
py::tuple sound(const ResultsFile& file, const std::string& name) {
  const auto found = std::ranges::find(file->probes(), name, &ProbeColumn::name);
  if (found == file->probes().end())
    throw UsageError("there is no probe '" + name + "' in " + file->file());
  WavRate rate;
  std::vector<double> samples;
  const double of_run = found->rate;
  file.read([&](const ResultsReader& reader) {
    rate = wav_rate(of_run);
    samples = reader.probe(name);
    double mean = 0.0;
    for (const double x : samples) mean += x;
    if (!samples.empty()) mean /= static_cast<double>(samples.size());
    for (double& x : samples) x -= mean;
    if (rate.divide > 1) samples = decimated(samples, rate.divide);
  });
  return py::make_tuple(rate.rate, adopt(std::move(samples), 1));
}

py::tuple convert(const ResultsFile& file, const ConvertRequest& request) {
  std::vector<std::string> notes;
  const std::vector<std::string> files = file.read(
      [&](const ResultsReader& reader) { return convert_results(reader, request, notes); });
  return py::make_tuple(files, notes);
}

py::dict report(const ResultsFile& file, const std::string& output, const std::string& size) {
  std::string path;
  const PageReport page = file.read([&](const ResultsReader& reader) {
    path = output.empty() ? default_stem(reader.file()) + ".html" : output;
    const std::size_t most = bytes_of_size("size", size);
    std::error_code ignored;
    if (std::filesystem::equivalent(path, reader.file(), ignored))
      throw SceneError("file", "is the input file", "choose another name").at(path, 0, 0);
    return write_view_page(reader, path, most);
  });
  py::dict result;
  result["file"] = file_name(path);
  result["bytes"] = page.bytes;
  result["frames"] = page.frames;
  result["of"] = page.of;
  result["contacts_left_out"] = page.contacts_left_out;
  result["sounds"] = page.sounds;
  return result;
}

/// Text and JSON of a comparison.
py::tuple compare(const ResultsFile& a, const ResultsFile& b, double tolerance) {
  if (!(tolerance >= 0.0)) throw UsageError("tolerance must be >= 0; 0: bit for bit");
  std::string text, json;
  a.read([&](const ResultsReader& first) {
    b.read_under_lock([&](const ResultsReader& second) {
      const Comparison found = compare_results(first, second, tolerance);
      text = comparison_text(found, first, second);
      json = comparison_json(found, first, second);
    });
  });
  return py::make_tuple(text_of(text), text_of(json));
}

}  // namespace

void bind_results(py::module_& m) {
  const auto text = [](auto read) {
    return [read](const ResultsFile& file) {
      return text_of(file.read([&](const ResultsReader& r) { return std::string(read(r)); }));
    };
  };
  py::class_<ResultsFile>(m, "_ResultsFile")
      .def(py::init<const std::string&>(), py::arg("file"))
      .def_property_readonly("file", [](const ResultsFile& f) { return file_name(f->file()); })
      .def_property_readonly("finished", [](const ResultsFile& f) { return f.finished; })
      .def_property_readonly("rate", [](const ResultsFile& f) { return f->rate(); })
      .def_property_readonly("rows", [](const ResultsFile& f) { return f.rows; })
      .def_property_readonly("frames", [](const ResultsFile& f) { return f.frames; })
      .def_property_readonly("step_names", [](const ResultsFile& f) { return f->step_names(); })
      .def_property_readonly("accounts", [](const ResultsFile& f) { return f->accounts(); })
      .def_property_readonly("bodies", &bodies)
      .def_property_readonly("probes", &probes)
      .def_property_readonly("joints", &joints)
      .def_property_readonly("provenance",
                             [](const ResultsFile& f) {
                               const auto found =
                                   f.read([](const ResultsReader& r) { return r.provenance(); });
                               py::dict result;
                               for (const auto& [name, value] : found)
                                 result[text_of(name)] = text_of(value);
                               return result;
                             })
      .def("title", text([](const ResultsReader& r) { return r.title(); }))
      .def("scene", text([](const ResultsReader& r) { return r.scene(); }))
      .def("resolved", text([](const ResultsReader& r) { return r.resolved(); }))
      .def("fixed_bodies",
           [](const ResultsFile& f) {
             py::list names;
             for (const std::string& name :
                  f.read([](const ResultsReader& r) { return r.fixed_bodies(); }))
               names.append(text_of(name));
             return names;
           })
      .def("summary", text([](const ResultsReader& r) { return r.summary(); }))
      .def("info", text([](const ResultsReader& r) { return info_text(r); }))
      .def("info_json", text([](const ResultsReader& r) { return info_json(r); }))
      .def("bibtex", text([](const ResultsReader& r) { return bibtex(cited_keys(r)); }))
      .def("step_unit",
           [](const ResultsFile& f, const std::string& name) {
             return text_of(f.read([&](const ResultsReader& r) { return r.step_unit(name); }));
           })
      .def("has",
           [](const ResultsFile& f, const std::string& path) {
             return f.read([&](const ResultsReader& r) { return r.hdf5().has(path); });
           })
      .def("read", &read_table, py::arg("path"), py::arg("first") = 0, py::arg("count") = -1)
      .def("_events",
           [](const ResultsFile& f) {
             return event_array(f.read([](const ResultsReader& r) { return r.events(); }));
           })
      .def("points", &points, py::arg("body"))
      .def("sound", &sound, py::arg("probe"))
      .def(
          "convert",
          [](const ResultsFile& f, const std::string& to, const std::string& output,
             const std::string& probe, const std::string& nodes, std::uint64_t step) {
            return convert(f, {to, output, probe, nodes, step});
          },
          py::arg("to"), py::arg("output"), py::arg("probe"), py::arg("nodes"), py::arg("step"))
      .def("report", &report, py::arg("output"), py::arg("size"))
      .def("compare", &compare, py::arg("other"), py::arg("tolerance"));
}

}  // namespace saltus::python
