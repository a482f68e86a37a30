// Files of stopped runs as versions wrote them that did not sum tables.
#pragma once
#include <hdf5.h>

#include <string>

#include "saltus/results/checkpoint.h"
#include "saltus/results/results.h"

namespace io_test {

/// Takes away the sums and the name of the checkpoints; the newest one is left alone, and holds `extent`.
inline void make_old(const std::string& part, const saltus::Model& model,
                     saltus::CheckpointExtent extent) {
  const saltus::State state = saltus::read_checkpoint(part, model);
  const hid_t raw = H5Fopen(part.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  H5Adelete_by_name(raw, "provenance", "name_of_checkpoints", H5P_DEFAULT);
  H5Fclose(raw);
  saltus::h5::File file = saltus::h5::File::modify(part);
  for (const char* name : {"provenance/sums", "checkpoint/a", "checkpoint/b"})
    if (file.has(name)) file.remove(name);
  saltus::write_checkpoint(file, "a", state, extent);
  file.close();
}

}  // namespace io_test
