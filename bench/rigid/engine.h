// What the comparison asks of an engine, and one run of it: steps timed, the motion measured, one line of JSON.
#pragma once
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "bench/contact/cpu_time.h"
#include "bench/rigid/scenes.h"

namespace saltus_bench {

struct BodyState {
  Triple x{};                                   ///< centre [m]
  std::array<double, 4> Q{1.0, 0.0, 0.0, 0.0};  ///< w x y z
  Triple v{}, omega{};                          ///< in space [m/s], [rad/s]
};

/// NAME=VALUE arguments after the scene.
class Settings {
 public:
  Settings(int argc, char** argv) {
    for (int i = 2; i < argc; ++i) {
      const char* const equals = std::strchr(argv[i], '=');
      if (!equals) {
        std::fprintf(stderr, "%s: not NAME=VALUE\n", argv[i]);
        std::exit(2);
      }
      given_[std::string(static_cast<const char*>(argv[i]), equals)] = equals + 1;
    }
  }
  std::string text(const std::string& name, const std::string& fallback) {
    const auto found = given_.find(name);
    used_[name] = found == given_.end() ? fallback : found->second;
    return used_[name];
  }
  double number(const std::string& name, double fallback) {
    char plain[32];
    std::snprintf(plain, sizeof plain, "%g", fallback);
    return std::atof(text(name, plain).c_str());
  }
  int count(const std::string& name, int fallback) {
    return static_cast<int>(number(name, fallback));
  }
  /// Ends the program where a name was given that nobody reads.
  void check() const {
    for (const auto& [name, value] : given_)
      if (!used_.contains(name)) {
        std::fprintf(stderr, "%s: no such setting\n", name.c_str());
        std::exit(2);
      }
  }

 private:
  std::map<std::string, std::string> given_, used_;
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string name() const = 0;  ///< with what of its settings matters
  virtual void step(double h) = 0;
  /// Takes the last Scene::released fixed solids away.
  virtual void release() = 0;
  virtual void get(std::vector<BodyState>& bodies) const = 0;
  virtual void set(const std::vector<BodyState>& bodies) = 0;
  virtual int contacts() const = 0;        ///< points, in the last step
  virtual double penetration() const = 0;  ///< the deepest of the last step [m]
  virtual double seconds() const { return cpu_seconds(); }
  /// Members of the line of JSON: ", \"name\": value" each.
  virtual std::string more() const { return ""; }
};

inline double distance(const Triple& a, const Triple& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

template <class T>
T median(std::vector<T> x) {
  if (x.empty()) return T{};
  std::nth_element(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2), x.end());
  return x[x.size() / 2];
}

/// Radius of what lies together: the balls joined to the one nearest to the axis by gaps below half a radius; mean over 24
/// sectors of the farthest of each, its own radius included [m]. (A front one ball high has gaps; with a tenth of a radius
/// it would end where they begin.)
inline double heap_radius(const Scene& scene, const std::vector<BodyState>& bodies) {
  const std::size_t n = bodies.size();
  std::vector<char> in(n, 0);
  std::vector<std::size_t> front;
  std::size_t first = 0;
  const auto from_axis = [&](std::size_t i) { return std::hypot(bodies[i].x[0], bodies[i].x[1]); };
  for (std::size_t i = 1; i < n; ++i)
    if (from_axis(i) < from_axis(first)) first = i;
  in[first] = 1;
  front.push_back(first);
  while (!front.empty()) {
    const std::size_t i = front.back();
    front.pop_back();
    for (std::size_t j = 0; j < n; ++j) {
      if (in[j]) continue;
      const double r = scene.bodies[i].half[0] + scene.bodies[j].half[0];
      if (distance(bodies[i].x, bodies[j].x) > 1.25 * r) continue;
      in[j] = 1;
      front.push_back(j);
    }
  }
  constexpr int kSectors = 24;
  std::array<double, kSectors> far{};
  for (std::size_t i = 0; i < n; ++i) {
    if (!in[i]) continue;
    const double angle = std::atan2(bodies[i].x[1], bodies[i].x[0]) / (2.0 * std::numbers::pi);
    const auto sector = static_cast<std::size_t>((angle + 0.5) * kSectors) % kSectors;
    far[sector] = std::max(far[sector], from_axis(i) + scene.bodies[i].half[0]);
  }
  double sum = 0.0;
  for (const double x : far) sum += x / kSectors;
  return sum;
}

/// Height of the free surface: mean over the balls in the upper 2 % of their tops [m].
inline double heap_height(const Scene& scene, const std::vector<BodyState>& bodies) {
  std::vector<double> top;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    top.push_back(bodies[i].x[2] + scene.bodies[i].half[0]);
  std::sort(top.begin(), top.end());
  const std::size_t from = top.size() - std::max<std::size_t>(1, top.size() / 50);
  double sum = 0.0;
  for (std::size_t i = from; i < top.size(); ++i) sum += top[i];
  return sum / static_cast<double>(top.size() - from);
}

/// Balls that have fallen through the floor, by time.
class Discharge {
 public:
  void look(double t, const std::vector<BodyState>& bodies) {
    int out = 0;
    for (const BodyState& body : bodies) out += body.x[2] < -0.1 ? 1 : 0;
    t_.push_back(t);
    out_.push_back(out);
  }
  /// Slope of the line of least squares through the times at which 5 % to 40 % are out [1/s].
  double rate(std::size_t bodies) const {
    double n = 0.0, t = 0.0, x = 0.0, tt = 0.0, tx = 0.0;
    for (std::size_t k = 0; k < t_.size(); ++k) {
      const double out = out_[k], all = static_cast<double>(bodies);
      if (out < 0.05 * all || out > 0.4 * all) continue;
      n += 1.0, t += t_[k], x += out, tt += t_[k] * t_[k], tx += t_[k] * out;
    }
    const double spread = n * tt - t * t;
    return spread > 0.0 ? (n * tx - t * x) / spread : 0.0;
  }

 private:
  std::vector<double> t_;
  std::vector<int> out_;
};

inline bool read_state(const std::string& path, std::vector<BodyState>& bodies) {
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(bodies.data()),
            static_cast<std::streamsize>(bodies.size() * sizeof(BodyState)));
  return file.good() && file.peek() == EOF;
}
inline bool write_state(const std::string& path, const std::vector<BodyState>& bodies) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bodies.data()),
             static_cast<std::streamsize>(bodies.size() * sizeof(BodyState)));
  return file.good();
}

/// Runs the scene and prints what came out. Settings: step [s], from (a file of states instead of the start of the scene,
/// whose clock then begins at 0 and whose `released` is gone at once), end, timed, creep [s], to (a file of states).
inline int run(const Scene& scene, Settings& settings, Engine& engine) {
  const double h = settings.number("step", scene.step);
  const std::string from = settings.text("from", ""), to = settings.text("to", "");
  const double end = settings.number("end", scene.end),
               timed = settings.number("timed", scene.timed),
               creep_from = settings.number("creep", scene.creep);
  settings.check();
  std::vector<BodyState> bodies(scene.bodies.size()), start, before;
  if (!from.empty()) {
    if (!read_state(from, bodies)) {
      std::fprintf(stderr, "%s: not a state of %s\n", from.c_str(), scene.name.c_str());
      return 2;
    }
    engine.set(bodies);
  }
  bool shut = scene.released > 0;
  if (shut && !from.empty()) {
    engine.release();
    shut = false;
  }
  engine.get(start);
  const double height = heap_height(scene, start);
  double height_released = height, creep = 0.0, penetration = 0.0;
  std::vector<double> seconds;
  std::vector<int> contacts;
  Discharge discharge;
  const int steps = static_cast<int>(std::lround(end / h));
  for (int k = 0; k < steps; ++k) {
    const double t = k * h;
    if (shut && t > scene.release - 0.5 * h) {
      engine.get(bodies);
      height_released = heap_height(scene, bodies);
      engine.release();
      shut = false;
    }
    const double begin = engine.seconds();
    engine.step(h);
    const double spent = engine.seconds() - begin;
    if (t > timed - 0.5 * h) {
      seconds.push_back(spent);
      contacts.push_back(engine.contacts());
      penetration = std::max(penetration, engine.penetration());
    }
    if (t < creep_from - 0.5 * h && scene.name.rfind("silo", 0) != 0) continue;
    engine.get(bodies);
    discharge.look(t + h, bodies);
    if (t < creep_from - 0.5 * h) continue;
    if (before.empty()) before = bodies;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const Triple& half = scene.bodies[i].half;
      const Triple zero{};
      creep = std::max({creep, distance(bodies[i].v, zero),
                        distance(bodies[i].omega, zero) * distance(half, zero)});
    }
  }
  engine.get(bodies);
  double moved = 0.0, drift = 0.0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    moved = std::max(moved, distance(bodies[i].x, start[i].x));
    if (!before.empty()) drift = std::max(drift, distance(bodies[i].x, before[i].x));
  }
  if (!to.empty() && !write_state(to, bodies)) {
    std::fprintf(stderr, "%s: cannot be written\n", to.c_str());
    return 2;
  }
  double mean = 0.0;
  for (const double s : seconds) mean += s / static_cast<double>(seconds.size());
  std::printf("{\"scene\": \"%s\", \"engine\": \"%s\", \"step\": %g, \"steps\": %zu, ",
              scene.name.c_str(), engine.name().c_str(), h, seconds.size());
  std::printf("\"seconds\": %.4e, \"mean_seconds\": %.4e, \"contacts\": %d, ", median(seconds),
              mean, median(contacts));
  std::printf("\"penetration\": %.3e, \"creep\": %.3e, \"drift\": %.3e, \"moved\": %.3e",
              penetration, creep, end > creep_from ? drift / (end - creep_from) : 0.0, moved);
  if (scene.name.rfind("column", 0) == 0)
    std::printf(", \"height\": %.4f, \"radius\": %.4f", height_released,
                heap_radius(scene, bodies));
  if (scene.name.rfind("silo", 0) == 0)
    std::printf(", \"rate\": %.4g", discharge.rate(bodies.size()));
  std::printf("%s}\n", engine.more().c_str());
  return 0;
}

}  // namespace saltus_bench
