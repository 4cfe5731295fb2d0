// What the C library has and Swift's overlay of it hides.
#ifndef INKLING_CPOSIX_H
#define INKLING_CPOSIX_H

#include <spawn.h>
#include <sys/types.h>

/// Marks every descriptor from `first` up to be closed in the spawned child. Returns 0 or an errno value;
/// ENOSYS where the C library has no such action (then the caller relies on FD_CLOEXEC).
int inkling_spawn_close_from(posix_spawn_file_actions_t *actions, int first);

/// The flag that gives the spawned child a session of its own.
short inkling_spawn_session_flag(void);

/// Names the calling thread for debuggers and process listings; at most 15 bytes.
void inkling_name_this_thread(const char *name);

/// A pipe whose two ends are closed on exec, from the first instant where the system can do that. Returns 0, or -1
/// and errno.
int inkling_pipe(int ends[2]);

/// Who is at the other end of a connected unix socket. Returns 0, or -1 and errno.
int inkling_peer(int socket, uid_t *user, pid_t *process);

#endif
