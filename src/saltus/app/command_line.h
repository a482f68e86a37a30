// Reads the options of all verbs from the command line.
#pragma once
#include "saltus/app/app.h"
#include "saltus/app/cmd_verify.h"

namespace saltus::app {

/// Only the options of the given verb are filled.
struct Arguments {
  RunOptions run;
  CheckOptions check;
  StudyArguments study;
  SweepOptions sweep;
  SolveOptions solve;
  DescribeOptions describe;
  InfoOptions info;
  CompareOptions compare;
  VerifyOptions verify;
  ReportOptions report;
  ViewArguments view;
  ConvertOptions convert;
  ImportOptions robot;
  NewOptions create;
};

/// argv[1] is a verb. Returns false if help was requested and printed. For unknown words throws
/// SceneError with the nearest valid name.
bool read_command_line(int argc, char** argv, Arguments& a);

}  // namespace saltus::app
