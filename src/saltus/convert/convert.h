// What `saltus convert` makes of a results file.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "saltus/exchange/wav.h"
#include "saltus/results/results.h"
#include "saltus/results/results_reader.h"

namespace saltus {

/// WAV of one probe, or of all of them with probe "". `stem`: "out" gives out.<probe>.wav; with one
/// probe a name that ends in ".wav" is taken as it is. The gain is that of the scene.
std::vector<WavReport> convert_wav(const ResultsReader& results, const std::string& stem,
                                   const std::string& probe = "");

/// <stem>.steps.csv, <stem>.ledger.csv, <stem>.probes.csv, <stem>.events.csv (of event-driven
/// integration) and <stem>.<body>.csv (frames, of bodies without a mesh), those that have rows.
/// Returns the names of the files.
std::vector<std::string> convert_csv(const ResultsReader& results, const std::string& stem);

/// <stem>.<body>.nodes.csv of the bodies with a mesh that have these nodes, a row a frame:
/// displacement, velocity and, where stored, stress. `nodes`: numbers from 0 parted by commas, or
/// the name of a node set. Throws SceneError where no body has them.
std::vector<std::string> convert_nodes(const ResultsReader& results, const std::string& stem,
                                       const std::string& nodes);

/// A mesh for each frame and body with one, <stem>.<body>.<frame>.vtu, and <stem>.pvd with their
/// times: nodes where they are, with displacement, velocity and, where stored, stress and von
/// Mises'. Throws SceneError where no body has a mesh.
std::vector<std::string> convert_vtu(const ResultsReader& results, const std::string& stem);

/// A frame of rigid and pseudo-rigid bodies, particles, strings, bars and contacts a file:
/// <stem>.bodies.<frame>.vtp (a point a body, with rotation and velocities),
/// <stem>.shapes.<frame>.vtp (their surfaces, where they are), <stem>.lines.<frame>.vtp (strings
/// and bars where they are, with displacement), <stem>.contacts.<frame>.vtp (points with normal,
/// force on a, gap, status, bodies), and a series, .pvd, of each. Throws SceneError where there is
/// none of them.
std::vector<std::string> convert_vtp(const ResultsReader& results, const std::string& stem);

/// <stem>.xdmf and the numbers it names, <stem>.xdmf.h5, a dataset a table and frame: meshes
/// (elements by their corners) with displacement, velocity and, where stored, stress; strings and
/// bars with displacement; places of rigid and pseudo-rigid bodies and particles with rotation and
/// velocities. Throws SceneError where no body has any of these.
std::vector<std::string> convert_xdmf(const ResultsReader& results, const std::string& stem);

/// "runs/out.h5" and "runs/out.h5.part" give "runs/out".
std::string default_stem(const std::string& file);

/// What the probes of a scene ask for (Probe::wav, Probe::csv), written beside the results of a
/// run.
struct ProbeFiles {
  std::vector<std::string> written;
  std::vector<WavReport> sounds;
  std::vector<std::string> faults;  ///< one line each; the other files are written nevertheless
};

/// Before a run: throws SceneError where a file that it will write is there and not by Saltus. CSV
/// files are known by their first line, which is that of the table to be written, sounds by the
/// software that they name.
void expect_own_probe_files(const Model& model, const std::string& folder);

/// Call between the last record() and finish(): notes the WAV factors in the results. `folder`:
/// where relative names start, "" for the working folder.
ProbeFiles write_probe_files(ResultsWriter& results, const Model& model, const std::string& folder);

}  // namespace saltus
