#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The process's standard input and output, kept for one connection alone.
public enum StandardStreams {
  /// Opens what the parent has left closed of the descriptors 0, 1 and 2, so that no other file gets such a number
  /// and is taken for standard input or output. Called first of all, while there is only one thread.
  public static func openMissing() {
    while true {
      let null = open("/dev/null", O_RDWR)
      if null < 0 { return }
      if null > STDERR_FILENO {
        closeDescriptor(null)
        return
      }
    }
  }

  /// Moves standard input and output to private descriptors that no child inherits. From then on descriptor 0 reads as
  /// empty and descriptor 1 is standard error: whatever a library prints cannot fall into the middle of a message.
  /// SIGPIPE is ignored, so that writing to a client that has gone is an error and not the end of the process.
  public static func takeOver() throws(ChannelError) -> FileChannel {
    signal(SIGPIPE, SIG_IGN)
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    if null < 0 { throw .system(call: "open /dev/null", code: errno) }
    defer { if null > 2 { closeDescriptor(null) } }

    let input = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
    if input < 0 { throw .system(call: "fcntl", code: errno) }
    let output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
    if output < 0 {
      closeDescriptor(input)
      throw .system(call: "fcntl", code: errno)
    }
    try replace(STDIN_FILENO, by: null)
    let hasStandardError = fcntl(STDERR_FILENO, F_GETFD) >= 0
    try replace(STDOUT_FILENO, by: hasStandardError ? STDERR_FILENO : null)
    return try FileChannel(input: input, output: output)
  }

  private static func replace(_ descriptor: Int32, by other: Int32) throws(ChannelError) {
    while dup2(other, descriptor) < 0 {
      if errno != EINTR, errno != EBUSY { throw .system(call: "dup2", code: errno) }
    }
  }
}
