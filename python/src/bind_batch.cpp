// Batches of simulations: arrays with one row per simulation.
#include <pybind11/stl.h>

#include <fmt/format.h>

#include "core.h"
#include "gil.h"
#include "saltus/sim/batch.h"
#include "saltus/sim/failure_text.h"

namespace saltus::python {
namespace {

struct BatchObject {
  explicit BatchObject(Batch made) : batch(std::move(made)) {}
  Batch batch;
  Turn turn;
};

/// The batch, for the thread that has the turn.
class OwnBatch : Taken {
 public:
  explicit OwnBatch(BatchObject& of) : Taken(of.turn), batch_(of.batch) {}
  Batch* operator->() const { return &batch_; }
  Batch& operator*() const { return batch_; }

 private:
  Batch& batch_;
};

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// An array with one row per simulation, filled by rows(i, pointer).
template <class Rows>
py::array_t<double> batch_table(const Batch& batch, std::size_t columns, const Rows& rows) {
  py::array_t<double> table(
      {static_cast<py::ssize_t>(batch.size()), static_cast<py::ssize_t>(columns)});
  for (int i = 0; i < batch.size(); ++i)
    rows(i, table.mutable_data() + static_cast<std::size_t>(i) * columns);
  return table;
}

py::array_t<bool> advance_batch(BatchObject& self, int steps) {
  const OwnBatch batch(self);
  if (steps < 1) throw UsageError("advance(): steps must be at least 1");
  {
    const Others others;
    batch->advance(steps);
  }
  py::array_t<bool> good(batch->size());
  for (int i = 0; i < batch->size(); ++i) {
    const StepReport& report = batch->reports()[static_cast<std::size_t>(i)];
    good.mutable_data()[i] = report.converged && report.finite;
  }
  return good;
}

void set_all_in_batch(BatchObject& self, const py::object& target, const py::object& velocity,
                      const py::object& effort) {
  const OwnBatch batch(self);
  const auto n = static_cast<py::ssize_t>((*batch)[0].model().actuators().size());
  const auto numbers = [&](const py::object& given, const char* what) {
    if (given.is_none()) return Numbers();
    Numbers x = Numbers::ensure(given);
    if (!x) throw UsageError(fmt::format("set_all(): `{}` is not an array of numbers", what));
    if (x.ndim() != 2 || x.shape(0) != batch->size() || x.shape(1) != n)
      throw UsageError(
          fmt::format("set_all(): `{}` must have the shape ({}, {}): simulations, "
                      "actuators",
                      what, batch->size(), n));
    return x;
  };
  const Numbers t = numbers(target, "target"), u = numbers(velocity, "velocity"),
                f = numbers(effort, "effort");
  std::vector<std::vector<SetPoint>> all;
  for (int i = 0; i < batch->size(); ++i) {
    std::vector<SetPoint>& points = all.emplace_back();
    for (int k = 0; k < static_cast<int>(n); ++k) {
      SetPoint& point = points.emplace_back((*batch)[i].set_point(k));
      const auto at = static_cast<py::ssize_t>(i) * n + k;
      if (!target.is_none()) point.target = t.data()[at];
      if (!velocity.is_none()) point.velocity = u.data()[at];
      if (!effort.is_none()) point.effort = f.data()[at];
    }
  }
  batch->set_all(all);
}

py::tuple coordinates_of_batch(BatchObject& self) {
  const OwnBatch batch(self);
  std::size_t count = 0;
  for (const Joint& joint : (*batch)[0].model().joints())
    count += static_cast<std::size_t>(independent_count(joint.kind));
  py::array_t<double> rates(
      {static_cast<py::ssize_t>(batch->size()), static_cast<py::ssize_t>(count)});
  std::vector<double> value, rate;
  const auto values = batch_table(*batch, count, [&](int i, double* row) {
    (*batch)[i].joint_coordinates(value, rate);
    std::copy(value.begin(), value.end(), row);
    std::copy(rate.begin(), rate.end(), rates.mutable_data() + static_cast<std::size_t>(i) * count);
  });
  return py::make_tuple(values, rates);
}

py::array_t<double> batch_part(BatchObject& self, int group, bool velocity) {
  const OwnBatch batch(self);
  const auto groups = (*batch)[0].model().groups();
  if (group < 0 || group >= std::ssize(groups))
    throw UsageError(fmt::format("there is no group {} of {}", group, groups.size()));
  const auto g = static_cast<std::size_t>(group);
  const GroupState& first = (*batch)[0].state().groups[g];
  const auto columns = static_cast<std::size_t>(velocity ? first.v.size() : first.q.size());
  return batch_table(*batch, columns, [&](int i, double* row) {
    const GroupState& at = (*batch)[i].state().groups[g];
    const Vector& x = velocity ? at.v : at.q;
    std::copy(x.begin(), x.end(), row);
  });
}

py::array_t<double> probes_of_batch(BatchObject& self) {
  const OwnBatch batch(self);
  const std::size_t count = (*batch)[0].model().probes().size();
  return batch_table(*batch, count, [&](int i, double* row) {
    for (std::size_t k = 0; k < count; ++k) row[k] = (*batch)[i].probe(static_cast<int>(k));
  });
}

int checked_index(const Batch& batch, int i) {
  if (i < 0 || i >= batch.size())
    throw UsageError(fmt::format("there is no simulation {} of {}", i, batch.size()));
  return i;
}

}  // namespace

void bind_batch(py::module_& m) {
  py::class_<BatchObject>(m, "Batch",
                          R"(Many simulations of one model that step together, on several threads.

Arrays have one row per simulation. Each simulation has the bits of a separate run, whatever the number of simulations and
threads.

Parameters
----------
model : Model, Scene, path or dict
    The model of all.
count : int
    Number of simulations.
threads : int, optional
    Number of threads; by default all of the machine.

Raises
------
SceneError
    If the scene has faults.

>>> batch = saltus.Batch("arm.yaml", 256)
>>> batch.set_all(effort=np.zeros((256, len(batch.model.actuators))))
>>> batch.advance(10)
)")
      .def(py::init([](const Model& model, int count, std::optional<int> threads) {
             const Others others;
             return std::make_unique<BatchObject>(Batch(model, count, threads.value_or(0)));
           }),
           py::arg("model"), py::arg("count"), py::arg("threads") = py::none())
      .def("_advance", &advance_batch)
      .def("_set_all", &set_all_in_batch)
      .def("_coordinates", &coordinates_of_batch)
      .def("_part", &batch_part)
      .def("_probes", &probes_of_batch)
      .def("_state",
           [](BatchObject& self, int i) {
             const OwnBatch batch(self);
             return State((*batch)[checked_index(*batch, i)].state());
           })
      .def("_reset",
           [](BatchObject& self, const std::vector<int>& which, const py::object& state) {
             const OwnBatch batch(self);
             for (const int i : which) checked_index(*batch, i);
             const auto* given = state.is_none() ? nullptr : state.cast<const State*>();
             const Others others;
             const State from =
                 given ? *given : initial_state((*batch)[0].model().without_applied_forces());
             for (const int i : which) batch->reset(i, from);
           })
      .def("_failure",
           [](BatchObject& self, int i) {
             const OwnBatch batch(self);
             const StepReport& report =
                 batch->reports()[static_cast<std::size_t>(checked_index(*batch, i))];
             if (report.converged && report.finite) return text_of("");
             const Simulation& sim = (*batch)[i];
             return text_of(failure_text(sim.model(), report, sim.state().step + 1));
           })
      .def("__len__", [](const BatchObject& self) { return self.batch.size(); })
      .def_property_readonly(
          "model", [](const BatchObject& self) { return Model(self.batch[0].model()); },
          "Model : the model of all simulations.")
      .def_property_readonly(
          "t",
          [](BatchObject& self) {
            const OwnBatch batch(self);
            py::array_t<double> t(batch->size());
            for (int i = 0; i < batch->size(); ++i) t.mutable_data()[i] = (*batch)[i].state().t;
            return t;
          },
          "array, shape (count,) : times of the states [s].");
}

}  // namespace saltus::python
