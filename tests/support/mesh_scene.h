// Scenes with bodies of finite elements, and small Gmsh files for them.
#pragma once
#include <string>

#include "data_folder.h"
#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"

namespace saltus_test {

/// Two unit cubes side by side along x: volumes "left" and "right", faces "base" (x = 0) and "end" (x = 2), point "tip".
inline const char* const kTwoCubes =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
    "$PhysicalNames\n5\n0 1 \"tip\"\n2 2 \"base\"\n2 3 \"end\"\n3 4 \"left\"\n3 5 \"right\"\n"
    "$EndPhysicalNames\n"
    "$Nodes\n12\n"
    "1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 1\n8 0 1 1\n"
    "9 2 0 0\n10 2 1 0\n11 2 0 1\n12 2 1 1\n"
    "$EndNodes\n"
    "$Elements\n5\n"
    "1 15 2 1 1 12\n"
    "2 3 2 2 1 1 5 8 4\n"
    "3 3 2 3 2 9 10 12 11\n"
    "4 5 2 4 1 1 2 3 4 5 6 7 8\n"
    "5 5 2 5 2 2 9 10 3 6 11 12 7\n"
    "$EndElements\n";

/// A scene with its time; data files are in the folder.
inline saltus::Scene mesh_scene(const std::string& text, const DataFolder& folder,
                                const std::string& name = "scene.yaml") {
  return saltus::read_scene_text("saltus: 1\ntime: {end: 0.1 s, step: 1 ms}\n" + text, name, {},
                                 folder.path);
}

}  // namespace saltus_test
