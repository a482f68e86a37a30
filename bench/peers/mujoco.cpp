// MuJoCo 2.2. PARAMETER: the step. METHOD: `rk4` for smooth motion; for contacts semi-implicit Euler with elliptic cones, impratio 10
// and the solver `newton` (to 1e-12), `noslip` (the same and its pass against creep) or `cg`. MuJoCo has no rigid contact:
// solref is a spring as stiff as the manual allows, time constant two steps, critical damping, impedance 0.9999 (half the time constant throws the stack over); the ball's is given directly,
// stiffness and damping of the restitution asked for, a contact lasting ten steps.
#include <mujoco/mujoco.h>

#include <stdexcept>

#include "blocks.h"
#include "peer.h"

namespace {

using namespace peers;

std::string number(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}
std::string vector(const double* x, int n) {
  std::string text;
  for (int i = 0; i < n; ++i) text += (i ? " " : "") + number(x[i]);
  return text;
}

class World {
 public:
  /// `solref` "" : the stiffest that the manual recommends.
  World(double h, const std::string& method, const std::string& gravity, double friction,
        const std::string& bodies, std::string solref = "") {
    if (method != "newton" && method != "noslip" && method != "cg" && method != "rk4")
      throw std::runtime_error("method newton, noslip, cg, rk4");
    if (solref.empty()) solref = number(2.0 * h) + " 1";
    const std::string xml =
        "<mujoco><compiler angle=\"radian\" inertiafromgeom=\"auto\"/><option timestep=\"" +
        number(h) + "\" gravity=\"" + gravity + "\" integrator=\"" +
        (method == "rk4" ? "RK4" : "Euler") + "\" cone=\"elliptic\" solver=\"" +
        (method == "cg" ? "CG" : "Newton") +
        "\" tolerance=\"1e-12\" iterations=\"200\" impratio=\"10\" noslip_iterations=\"" +
        (method == "noslip" ? "10" : "0") + "\" noslip_tolerance=\"1e-12\"/><size njmax=\"" +
        (friction > 0.0 ? "4000\" nconmax=\"1500" : "50\" nconmax=\"10") +
        "\"/><default><geom friction=\"" + number(friction > 0.0 ? friction : 1.0) +
        " 0 0\" condim=\"" + (friction > 0.0 ? "3" : "1") + "\" solref=\"" + solref +
        "\" solimp=\"0.9999 0.9999 0.001\"/></default><worldbody>" + bodies +
        "</worldbody></mujoco>";
    mjVFS* const files = new mjVFS;
    mj_defaultVFS(files);
    mj_makeEmptyFileVFS(files, "scene.xml", static_cast<int>(xml.size()));
    std::copy(xml.begin(), xml.end(), static_cast<char*>(files->filedata[0]));
    char fault[1000] = "";
    model_ = mj_loadXML("scene.xml", files, fault, sizeof fault);
    mj_deleteVFS(files);
    delete files;
    if (!model_) throw std::runtime_error(fault);
    data_ = mj_makeData(model_);
  }
  ~World() {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }
  const mjModel& model() const { return *model_; }
  mjData& data() { return *data_; }
  void step(double) { mj_step(model_, data_); }
  /// Of all bodies but the world, whose place is that of a free joint each.
  void places(std::vector<double>& values) const {
    for (int i = 0; i < model_->njnt; ++i)
      values.insert(values.end(), data_->qpos + 7 * i, data_->qpos + 7 * i + 3);
  }

 private:
  mjModel* model_;
  mjData* data_;
};

const std::string kDown = "0 0 " + number(-scenes::kGravity);
const std::string kFloor = "<geom type=\"plane\" size=\"10 10 1\"/>";

std::string box(double m, const double* half, double x, double y, double z) {
  const double at[] = {x, y, z};
  return "<body pos=\"" + vector(at, 3) + "\"><freejoint/><geom type=\"box\" size=\"" +
         vector(half, 3) + "\" mass=\"" + number(m) + "\"/></body>";
}
std::string sphere(double m, double r, double x, double y, double z) {
  const double at[] = {x, y, z};
  return "<body pos=\"" + vector(at, 3) + "\"><freejoint/><geom type=\"sphere\" size=\"" +
         number(r) + "\" mass=\"" + number(m) + "\"/></body>";
}

Outcome top(double h, const std::string& method) {
  using namespace scenes::top;
  const double own[] = {inertia[0] - mass * arm * arm, inertia[1] - mass * arm * arm, inertia[2]},
               at[] = {0.0, 0.0, arm};
  World world(h, method, kDown, 0.0,
              "<body><joint type=\"ball\"/><inertial pos=\"" + vector(at, 3) + "\" mass=\"" +
                  number(mass) + "\" diaginertia=\"" + vector(own, 3) + "\"/></body>");
  mjData& data = world.data();
  data.qpos[0] = std::cos(0.5 * tilt);
  data.qpos[1] = std::sin(0.5 * tilt);
  data.qpos[2] = data.qpos[3] = 0.0;
  data.qvel[0] = data.qvel[1] = 0.0;
  data.qvel[2] = spin;  // in the frame of the body
  return march(
      end, h, 1, [&](double step) { world.step(step); },
      [&](std::vector<double>& values) { values.insert(values.end(), data.qpos, data.qpos + 4); });
}

Outcome chain(double h, const std::string& method) {
  using namespace scenes::chain;
  const double across = mass * (rod * rod + width * width) / 12.0,
               inertia[] = {mass * width * width / 6.0, across, across};
  std::string text, ends;
  for (int i = 0; i < links; ++i) {
    text += "<body pos=\"" + number(i > 0 ? rod : 0.0) +
            " 0 0\"><joint type=\"hinge\" axis=\"0 1 0\"/><inertial pos=\"" + number(0.5 * rod) +
            " 0 0\" mass=\"" + number(mass) + "\" diaginertia=\"" + vector(inertia, 3) + "\"/>";
    ends += "</body>";
  }
  World world(h, method, kDown, 0.0, text + ends);
  return march(
      end, h, rows, [&](double step) { world.step(step); },
      [&](std::vector<double>& values) {
        double x = 0.0, z = 0.0, angle = 0.0;
        for (int i = 0; i < links; ++i) {
          angle += world.data().qpos[i];
          const double c = 0.5 * rod * std::cos(angle), s = 0.5 * rod * std::sin(angle);
          values.push_back(x + c);
          values.push_back(z - s);
          x += 2.0 * c;
          z -= 2.0 * s;
        }
      });
}

Outcome ball(double h, const std::string& method) {
  using namespace scenes::ball;
  // damping ratio z of a spring and dashpot that do not pull: e = exp(-z/d (pi - angle)), d = sqrt(1 - z^2)
  double low = 0.0, high = 0.7;
  for (int k = 0; k < 100; ++k) {
    const double z = 0.5 * (low + high), d = std::sqrt(1.0 - z * z);
    (std::exp(-z / d * (M_PI - std::atan2(2.0 * z * d, 1.0 - 2.0 * z * z))) > restitution ? low
                                                                                          : high) =
        z;
  }
  const double zeta = low, omega = 0.3 / h;
  World world(h, method, kDown, 0.0, kFloor + sphere(mass, radius, 0.0, 0.0, radius + height),
              number(-omega * omega) + " " + number(-2.0 * zeta * omega));
  return march(
      end, h, rows, [&](double step) { world.step(step); },
      [&](std::vector<double>& values) { values.push_back(world.data().qpos[2] - radius); });
}

Outcome incline(double h, const std::string& method) {
  using namespace scenes::incline;
  const double down[] = {-scenes::kGravity * std::sin(slope), 0.0,
                         -scenes::kGravity * std::cos(slope)};
  World world(h, method, vector(down, 3), friction, kFloor + box(mass, half, 0.0, 0.0, half[2]));
  world.data().qvel[0] = speed;
  return march(
      end, h, 1, [&](double step) { world.step(step); },
      [&](std::vector<double>& values) { world.places(values); });
}

Outcome stack(double h, const std::string& method) {
  using namespace scenes::stack;
  const double sides[] = {half, half, half};
  std::string text = kFloor;
  for (int k = 0; k < cubes; ++k)
    text += box(density * 8.0 * half * half * half, sides, 0.0, 0.0, half * (2 * k + 1));
  World world(h, method, kDown, friction, text);
  return march(
      end, h, 1, [&](double step) { world.step(step); },
      [&](std::vector<double>& values) { world.places(values); });
}

Outcome wall(double h, const std::string& method) {
  using namespace scenes::wall;
  std::string text = kFloor;
  for (const auto& b : bricks_at)
    text += box(density * 8.0 * b[3] * b[4] * b[5], b + 3, b[0], b[1], b[2]);
  World world(h, method, kDown, friction, text);
  return march(
      end, h, 1, [&](double step) { world.step(step); },
      [&](std::vector<double>& values) { world.places(values); });
}

Outcome pile(double h, const std::string& method) {
  using namespace scenes::pile;
  std::string text = kFloor;
  const std::string a = number(half);
  text += "<geom type=\"plane\" size=\"10 10 1\" pos=\"-" + a +
          " 0 0\" zaxis=\"1 0 0\"/><geom type=\"plane\" size=\"10 10 1\" pos=\"" + a +
          " 0 0\" zaxis=\"-1 0 0\"/><geom type=\"plane\" size=\"10 10 1\" pos=\"0 -" + a +
          " 0\" zaxis=\"0 1 0\"/><geom type=\"plane\" size=\"10 10 1\" pos=\"0 " + a +
          " 0\" zaxis=\"0 -1 0\"/>";
  for (const auto& c : centres)
    text += sphere(density * 4.0 / 3.0 * M_PI * radius * radius * radius, radius, c[0], c[1], c[2]);
  World world(h, method, kDown, friction, text);
  return march_seen(world, h);
}

}  // namespace

int main(int argc, char** argv) {
  return main_of(argc, argv, "MuJoCo " + std::string(mj_versionString()),
                 {{"top", top},
                  {"chain", chain},
                  {"ball", ball},
                  {"incline", incline},
                  {"stack", stack},
                  {"wall", wall},
                  {"pile", pile}});
}
