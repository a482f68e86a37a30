// The verbs of the `saltus` command: their options, and the functions that execute them.
//
// A verb prints its result on stdout and returns its exit code. Errors are exceptions, which main()
// converts to one line on stderr and an exit code as in docs/reference (0 done, 1 not finished, 2
// bad input, 4 internal).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace saltus::app {

enum ExitCode { kDone = 0, kNotFinished = 1, kBadInput = 2, kDiffers = 3, kInternal = 4 };

/// The arguments of main(), for provenance.
struct CommandLine {
  int count = 0;
  const char* const* arguments = nullptr;
};

struct RunOptions {
  std::string scene, output;               ///< output "": <scene stem>.h5 in the working directory
  std::vector<std::string> set;            ///< "path=value"
  std::string until;                       ///< replaces time.end; "": keep it
  std::vector<std::string> sensitivities;  ///< paths of numbers in the scene; empty: no derivatives
  std::string dump_contact;  ///< contact problems to write: worst, failed, every:N; "": none
  std::string dump_folder;   ///< "": the folder of the output
  int threads = 0;           ///< threads for the loops of a step; 0: one per processor core
  bool resume = false, json = false, quiet = false;
  bool outputs_anywhere = false;  ///< SceneRunOptions::outputs_anywhere
};
int cmd_run(const RunOptions& options, const CommandLine& line);

struct CheckOptions {
  std::string scene;
  std::vector<std::string> set;
  bool json = false;
  bool outputs_anywhere = false;  ///< as `run` with this option
};
int cmd_check(const CheckOptions& options);

struct SweepOptions {
  std::string scene, output;     ///< output "": <scene stem>_sweep.csv in the working directory
  std::vector<std::string> set;  ///< "path=values"
  std::optional<std::uint64_t> random;  ///< number of draws of random values
  std::optional<std::uint64_t> seed;    ///< of random values; 0 if not given
  int jobs = 0;                         ///< threads; 0: one per processor core
  bool times = false, json = false, quiet = false;
};
int cmd_sweep(const SweepOptions& options);

struct StudyArguments {
  std::string scene, output;  ///< output "": results/<scene stem>_study in the working directory
  std::vector<std::string> set;
  std::string schemes, steps;  ///< comma-separated; "": the default
  int levels = 0;              ///< 0: the default
  std::string tolerance, until, probe;
  bool json = false, quiet = false;
};
int cmd_study(const StudyArguments& arguments);

struct SolveOptions {
  std::vector<std::string> files;
  std::string output;  ///< "": the solution is not written
  std::string solver = "auto";
  double tolerance = 1e-8;
  int iterations = 10'000;
  bool all = false;           ///< use every solver that handles the problem
  bool as_run = false;        ///< repeat the solve of the run that wrote the file
  std::string profile, plot;  ///< of the times: CSV and SVG; "": none
  bool json = false;
};
int cmd_solve(const SolveOptions& options);

struct DescribeOptions {
  std::string topic;
  bool json = false, markdown = false;
};
int cmd_describe(const DescribeOptions& options);

struct InfoOptions {
  std::string file;
  bool cite = false, json = false;
};
int cmd_info(const InfoOptions& options);

struct ConvertOptions {
  std::string file, to, output, probe, nodes;
  std::uint64_t step = 0;      ///< for --to fclib, starting with 1; 0: not given
  std::optional<int> frame{};  ///< for --to state
  std::string time{};          ///< for --to state; "": not given
  bool json = false;
};
int cmd_convert(const ConvertOptions& options);

struct CompareOptions {
  std::string first, second;  ///< results files
  double tolerance = 0.0;     ///< relative to the largest value of a table; 0: bit for bit
  bool json = false;
};
int cmd_compare(const CompareOptions& options);

struct ReportOptions {
  std::string file, output;   ///< output "": <results stem>.html next to the results
  std::string size = "25MB";  ///< largest size of the page
  bool json = false;
};
int cmd_report(const ReportOptions& options);

struct ViewArguments {
  std::string file;              ///< results, or a scene if `live`
  std::vector<std::string> set;  ///< "path=value", only with `live`
  std::string host = "127.0.0.1";
  int port = 0;  ///< 0: a free port
  bool live = false, json = false;
};
int cmd_view(const ViewArguments& arguments);

struct ImportOptions {
  std::string file, output;  ///< output "": <robot stem>.yaml in the working directory
  std::string base;          ///< fixed, free; "": free
  std::optional<double> friction;
  bool motors = false, json = false;
};
int cmd_import(const ImportOptions& options);

struct NewOptions {
  std::string name;
  bool json = false;
};
int cmd_new(const NewOptions& options);

int cmd_schema();

}  // namespace saltus::app
