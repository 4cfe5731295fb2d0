#define _GNU_SOURCE
#include "cposix.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int inkling_spawn_close_from(posix_spawn_file_actions_t *actions, int first) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || (__GLIBC__ == 2 && __GLIBC_MINOR__ >= 34))
  return posix_spawn_file_actions_addclosefrom_np(actions, first);
#else
  (void)actions;
  (void)first;
  return ENOSYS;
#endif
}

short inkling_spawn_session_flag(void) { return POSIX_SPAWN_SETSID; }

void inkling_name_this_thread(const char *name) {
#if defined(__APPLE__)
  pthread_setname_np(name);
#else
  pthread_setname_np(pthread_self(), name);
#endif
}

int inkling_pipe(int ends[2]) {
#if defined(__linux__)
  return pipe2(ends, O_CLOEXEC);
#else
  if (pipe(ends) != 0) return -1;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  return 0;
#endif
}

int inkling_peer(int socket, uid_t *user, pid_t *process) {
#if defined(__linux__)
  struct ucred credentials;
  socklen_t length = sizeof credentials;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) return -1;
  *user = credentials.uid;
  *process = credentials.pid;
  return 0;
#else
  gid_t group;
  socklen_t length = sizeof *process;
  if (getpeereid(socket, user, &group) != 0) return -1;
  return getsockopt(socket, SOL_LOCAL, LOCAL_PEERPID, process, &length);
#endif
}
