// Rigid bodies, particles, contacts and meshes for ParaView.
#include <zlib.h>

#include <array>

#include "saltus/convert/convert.h"
#include "saltus/convert/convert_members.h"
#include "support/skip.h"
#include "unit/view/base64.h"
#include "unit/view/view_run.h"

#include <doctest/doctest.h>

using namespace saltus;
using io_test::bytes_of;
using io_test::exists;
using io_test::Folder;
using io_test::message;
using view_test::PutRun;

namespace {

/// The numbers of a <DataArray> in base64, behind their count.
std::vector<double> reals_of(const std::string& xml, const std::string& name) {
  const std::size_t at = xml.find("type=\"Float64\" Name=\"" + name + "\"");
  std::vector<double> values;
  const std::size_t first = at == std::string::npos ? at : xml.find(">\n", at) + 2;
  REQUIRE(first != std::string::npos);
  const std::string bytes = io_test::bytes_of_base64(std::string_view(xml).substr(first));
  values.resize((bytes.size() - 8) / 8);
  std::memcpy(values.data(), bytes.data() + 8, 8 * values.size());
  return values;
}

Vector3 third(const std::vector<double>& values, std::size_t i) {
  return {values[3 * i], values[3 * i + 1], values[3 * i + 2]};
}

}  // namespace

TEST_CASE("vtp: a point a body with its velocities, surfaces where the bodies are, contacts") {
  const Folder folder;
  PutRun run({view_test::rigid_group("balls", 3), view_test::drop_group("drop"),
              view_test::particle_group("dust", 2)});
  run.write(folder / "a.h5", 12);
  view_test::put_contacts(folder / "a.h5", {0, 4, 2, 0, 0, 0, 0, 0, 0, 0, 0, 3});
  view_test::put_drawing(folder / "a.h5", 3);
  const ResultsReader results(folder / "a.h5");
  const std::vector<std::string> files = convert_vtp(results, folder / "a");
  CHECK(files.size() == 3 * 12 + 3);
  for (const char* name : {"a.bodies.pvd", "a.shapes.pvd", "a.contacts.pvd", "a.bodies.00.vtp"})
    CHECK(exists(folder / name));
  CHECK(bytes_of(folder / "a.bodies.pvd").find("file=\"a.bodies.11.vtp\"") != std::string::npos);

  run.at(3);  // frame 2
  const Vector& q = run.state.groups[1].q;
  const std::string bodies = bytes_of(folder / "a.bodies.02.vtp");
  const std::vector<double> place = reals_of(bodies, "places"),
                            velocity = reals_of(bodies, "velocity"),
                            spin = reals_of(bodies, "angular velocity");
  REQUIRE(place.size() == 3 * 6);
  const Vector3 x = q.segment<3>(7);
  CHECK(third(place, 1) == x);
  CHECK(third(velocity, 1) == Vector3(run.velocities[1].segment<3>(6)));
  const Quaternion Q(q[10], q[11], q[12], q[13]);
  const Vector3 omega = run.velocities[1].segment<3>(9);
  CHECK((third(spin, 1) - Q * omega).norm() < 1e-12);
  CHECK(reals_of(bodies, "body") == std::vector<double>{1, 1, 1, 2, 3, 3});
  CHECK(std::isnan(velocity[3 * 3]));  // of the pseudo-rigid body nothing is held

  const std::string shapes = bytes_of(folder / "a.shapes.02.vtp");
  const std::vector<double> points = reals_of(shapes, "places");
  // point 1 of the shape of ball 1: scale (0.1, ..), turned half about z, at (0.5, 0, 0)
  const Vector3 expected = x + Q * Vector3(0.5 - 0.1, 0.0, 0.0);
  CHECK((third(points, 4 + 1) - expected).norm() < 1e-12);

  const std::string contacts = bytes_of(folder / "a.contacts.02.vtp");
  CHECK(reals_of(contacts, "force").size() == 6);
  CHECK(reals_of(contacts, "force")[5] == 2.0);
  CHECK(reals_of(contacts, "status") == std::vector<double>{2, 2});
  CHECK(contacts.find("NumberOfPoints=\"2\" NumberOfVerts=\"2\"") != std::string::npos);
}

TEST_CASE("vtp and xdmf of a file with nothing for them are refused in one line") {
  const Folder folder;
  PutRun({}).write(folder / "a.h5", 2);
  view_test::make_old(folder / "a.h5");
  const ResultsReader results(folder / "a.h5");
  CHECK(message<SceneError>([&] {
          convert_vtp(results, folder / "a");
        }).find("contains no bodies") != std::string::npos);
  CHECK(message<SceneError>([&] {
          convert_xdmf(results, folder / "a");
        }).find("contains no body") != std::string::npos);
  CHECK(!exists(folder / "a.xdmf"));
}

TEST_CASE("xdmf_datasets_are_read_by_h5py as the text describes them") {
  if (std::system("/usr/bin/python3 -c 'import h5py' 2>/dev/null") != 0)
    SALTUS_SKIP("python3 has no h5py");
  const Folder folder;
  PutRun run({view_test::rigid_group("a & b", 3), view_test::brick_group("brick")});
  run.write(folder / "a.h5", 3, true);
  const ResultsReader results(folder / "a.h5");
  const std::vector<std::string> files = convert_xdmf(results, folder / "a");
  CHECK(files == std::vector<std::string>{folder / "a.xdmf", folder / "a.xdmf.h5"});
  io_test::put(folder / "read.py", R"(
import h5py, sys, xml.etree.ElementTree as xml
text, source = xml.parse(sys.argv[1] + '/a.xdmf').getroot(), h5py.File(sys.argv[1] + '/a.h5')
items = text.findall('.//DataItem')
assert len(items) == 3 * (3 + 5 + 6), len(items)  # 3 frames: topology, geometry and attributes of three bodies
data = h5py.File(sys.argv[1] + '/a.xdmf.h5')
def numbers(item):
    name, path = item.text.split(':')
    assert name == 'a.xdmf.h5'
    table = data[path]
    assert list(table.shape) == [int(n) for n in item.get('Dimensions').split()], path
    assert table.dtype.itemsize == int(item.get('Precision'))
    return table[:]
for item in items: numbers(item)
frames = text.findall("./Domain/Grid[@CollectionType='Temporal']/Grid")
assert [float(f.find('Time').get('Value')) for f in frames] == list(source['frames/time'])
last = {grid.get('Name'): grid for grid in frames[2].findall('Grid')}
def attribute(grid, name): return numbers(last[grid].find("Attribute[@Name='%s']/DataItem" % name))
q = source['bodies/a & b/q'][2].reshape(3, 7)
assert (numbers(last['a & b'].find('Geometry/DataItem')) == q[:, :3]).all()
string = source['bodies/string']
u = string['displacement'][2].reshape(-1, 3)
assert (numbers(last['string'].find('Geometry/DataItem')) == string['line/points'][:] + u).all()
assert (numbers(last['string'].find('Topology/DataItem')) == range(len(u))).all()
brick = source['bodies/brick']
u = brick['displacement'][2].reshape(8, 3)
assert (numbers(last['brick'].find('Geometry/DataItem')) == brick['nodes'][:] + u).all()
assert (attribute('brick', 'displacement') == u).all()
stress = brick['stress'][2].reshape(8, 6)
assert (attribute('brick', 'stress') == stress[:, [0, 3, 5, 3, 1, 4, 5, 4, 2]]).all()
assert (attribute('brick', 'von Mises') == brick['von_mises'][2]).all()
topology = numbers(last['brick'].find('Topology/DataItem'))
assert topology[0] == 9 and list(topology[1:]) == list(brick['cells/hex8'][0])
)");
  CHECK(std::system(
            ("/usr/bin/python3 " + (folder / "read.py") + " " + folder.path.string()).c_str()) ==
        0);
}
