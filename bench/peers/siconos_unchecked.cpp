// Debian builds Siconos with its assertions: two of them go through a whole graph for each contact that comes or goes, which
// is eight tenths of a step of the heap. Loaded before Siconos (LD_PRELOAD, by run.py), this takes them away.
#define SALTUS_PASSES(name) \
  bool name(const void*) { return true; }

extern "C" {
SALTUS_PASSES(
    _ZNK12SiconosGraphISt10shared_ptrI11InteractionES0_I15DynamicalSystemE21InteractionProperties25DynamicalSystemProperties15GraphPropertiesE12state_assertEv)
SALTUS_PASSES(
    _ZNK12SiconosGraphISt10shared_ptrI11InteractionES0_I15DynamicalSystemE21InteractionProperties25DynamicalSystemProperties15GraphPropertiesE20adjacent_vertices_okEv)
SALTUS_PASSES(
    _ZNK12SiconosGraphISt10shared_ptrI15DynamicalSystemES0_I11InteractionE25DynamicalSystemProperties21InteractionProperties15GraphPropertiesE12state_assertEv)
SALTUS_PASSES(
    _ZNK12SiconosGraphISt10shared_ptrI15DynamicalSystemES0_I11InteractionE25DynamicalSystemProperties21InteractionProperties15GraphPropertiesE20adjacent_vertices_okEv)
}
