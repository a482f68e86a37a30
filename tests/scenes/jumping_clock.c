// Preloaded before a program: its clocks jump at every look, some back by up to a quarter of an hour, some ahead by up to
// eleven days.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>

static long jump(void) {
  static uint64_t x = 88172645463325252ULL;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  const uint64_t kind = x % 16, size = x / 16;
  return kind < 4 ? -(long)(size % 1000) : kind < 6 ? (long)(size % 1000000) : 0;
}

int clock_gettime(clockid_t clock, struct timespec* time) {
  static int (*original)(clockid_t, struct timespec*);
  if (!original) original = (int (*)(clockid_t, struct timespec*))dlsym(RTLD_NEXT, "clock_gettime");
  const int result = original(clock, time);
  if (result == 0) time->tv_sec += jump();
  return result;
}

int gettimeofday(struct timeval* time, void* zone) {
  struct timespec now;
  const int result = clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  (void)zone;
  return result;
}

time_t time(time_t* out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}
