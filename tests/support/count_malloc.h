// Counts what this thread takes from the heap, Eigen (which calls malloc) included. It replaces malloc of the whole
// program: include it in one file of a test binary.
#pragma once
#include <cstddef>
#include <cstdlib>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SALTUS_COUNTS_MALLOC 1
#else
#define SALTUS_COUNTS_MALLOC 0
#endif

namespace {
thread_local long allocations = 0;
}

#if SALTUS_COUNTS_MALLOC
extern "C" {
void* __libc_malloc(std::size_t size);
void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
}
#endif
