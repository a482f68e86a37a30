// Conversions of a results file by `saltus convert`.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "saltus/exchange/wav.h"
#include "saltus/results/results.h"
#include "saltus/results/results_reader.h"

namespace saltus {

/// Writes the WAV file of one probe, or of all probes with probe "". `stem`: "out" gives
/// out.<probe>.wav; with one probe a name that ends in ".wav" is used unchanged. The gain is that
/// of the scene.
std::vector<WavReport> convert_wav(const ResultsReader& results, const std::string& stem,
                                   const std::string& probe = "");

/// Writes <stem>.steps.csv, <stem>.ledger.csv, <stem>.probes.csv, <stem>.events.csv (event-driven
/// integration) and <stem>.<body>.csv (frames of bodies without a mesh), if they have rows. Returns
/// the names of the files.
std::vector<std::string> convert_csv(const ResultsReader& results, const std::string& stem);

/// Writes <stem>.<body>.nodes.csv for the bodies with a mesh that contain these nodes, one row per
/// frame: displacement, velocity and, if stored, stress. `nodes`: numbers from 0 separated by
/// commas, or the name of a node set. Throws SceneError if no body contains them.
std::vector<std::string> convert_nodes(const ResultsReader& results, const std::string& stem,
                                       const std::string& nodes);

/// Writes a mesh for each frame and each body with one, <stem>.<body>.<frame>.vtu, and <stem>.pvd
/// with their times: deformed nodes, with displacement, velocity and, if stored, stress and von
/// Mises stress. Throws SceneError if no body has a mesh.
std::vector<std::string> convert_vtu(const ResultsReader& results, const std::string& stem);

/// Writes frames of rigid and pseudo-rigid bodies, particles, strings, bars and contacts:
/// <stem>.bodies.<frame>.vtp (one point per body, with rotation and velocities),
/// <stem>.shapes.<frame>.vtp (their surfaces in the current position), <stem>.lines.<frame>.vtp
/// (displaced strings and bars, with displacement), <stem>.contacts.<frame>.vtp (points with
/// normal, force on a, gap, status, bodies), and a series, .pvd, of each. Throws SceneError if
/// there is none of them.
std::vector<std::string> convert_vtp(const ResultsReader& results, const std::string& stem);

/// Writes <stem>.xdmf and its data, <stem>.xdmf.h5, with one dataset per table and frame: meshes
/// (elements by their corners) with displacement, velocity and, if stored, stress; strings and bars
/// with displacement; positions of rigid and pseudo-rigid bodies and particles with rotation and
/// velocities. Throws SceneError if no body has any of these.
std::vector<std::string> convert_xdmf(const ResultsReader& results, const std::string& stem);

/// "runs/out.h5" and "runs/out.h5.part" give "runs/out".
std::string default_stem(const std::string& file);

/// Files requested by the probes of a scene (Probe::wav, Probe::csv), written next to the results
/// of a run.
struct ProbeFiles {
  std::vector<std::string> written;
  std::vector<WavReport> sounds;
  std::vector<std::string> faults;  ///< one line each; the other files are written all the same
};

/// Throws SceneError if a file of an output, or its `.part`, exists and was not written by Saltus.
/// CSV files are recognised by their first line, which must equal that of the table to be written,
/// sounds by the software they name.
void expect_own_probe_files(const Probe& probe, const Model& model, const std::string& folder);

/// Call between the last record() and finish(): stores the WAV factors in the results. `folder`:
/// base of relative names, "" for the working folder. `replace_any`: also files that
/// expect_own_probe_files() refuses, which may have come during the run.
ProbeFiles write_probe_files(ResultsWriter& results, const Model& model, const std::string& folder,
                             bool replace_any);

}  // namespace saltus
