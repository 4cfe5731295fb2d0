#define _GNU_SOURCE
#include "cposix.h"

#include <errno.h>

int inkling_spawn_close_from(posix_spawn_file_actions_t *actions, int first) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || (__GLIBC__ == 2 && __GLIBC_MINOR__ >= 34))
  return posix_spawn_file_actions_addclosefrom_np(actions, first);
#else
  (void)actions;
  (void)first;
  return ENOSYS;
#endif
}
