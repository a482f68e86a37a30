// A program outside the repository that links the installed library.
#include <iostream>

#include "saltus/base/base.h"
#include "saltus/base/error.h"
#include "saltus/math/rotation.h"
#include "saltus/version.h"

static_assert(alignof(saltus::Quaternion) == 16,
              "as in the library, whatever CPU this is compiled for");

int main() {
  const saltus::Vector v = saltus::Vector::Ones(3);  // Eigen comes with the package
  const saltus::SceneError error("bodies[0].mass", "must be positive");
  std::cout << "Saltus " << saltus::version() << "\n"
            << error.at("scene.yaml", 3, 5).what() << "\n";
  return error.path() == "bodies[0].mass" && v.sum() == 3.0 &&
                 saltus::exp_rotation(saltus::Vector3::Zero()).w() == 1.0
             ? 0
             : 1;
}
