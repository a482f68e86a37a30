// The command as a child process and the scenes, shared with the quick tests.
#include "scenes/command.cpp"       // NOLINT
#include "scenes/fault_scenes.cpp"  // NOLINT
