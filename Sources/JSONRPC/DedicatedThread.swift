import CPosix

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A POSIX thread of its own for work that blocks, which must never sit on Swift's cooperative threads.
public enum DedicatedThread {
  /// Starts a detached thread that runs `body` and ends with it.
  ///
  /// - Parameters:
  ///   - name: shown by debuggers and `top -H`; cut to 15 bytes.
  ///   - stackSize: in bytes; only what is touched takes memory.
  /// - Throws: `ChannelError.system` when the system has no more threads to give.
  public static func start(
    name: String, stackSize: Int = 2 << 20, _ body: @escaping @Sendable () -> Void
  ) throws(ChannelError) {
    var attributes = pthread_attr_t()
    try check("pthread_attr_init", pthread_attr_init(&attributes))
    defer { pthread_attr_destroy(&attributes) }
    try check("pthread_attr_setstacksize", pthread_attr_setstacksize(&attributes, stackSize))
    try check(
      "pthread_attr_setdetachstate", pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED)))

    // The box crosses to the new thread as one retained pointer, which that thread takes over.
    let work = Unmanaged.passRetained(Work(name: name, body: body))
    let code = create(&attributes, work.toOpaque())
    if code != 0 {
      work.release()
      throw .system(call: "pthread_create", code: code)
    }
  }

  private final class Work: Sendable {
    let name: String
    let body: @Sendable () -> Void
    init(name: String, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }

  private static func create(_ attributes: inout pthread_attr_t, _ work: UnsafeMutableRawPointer) -> CInt {
    #if canImport(Darwin)
      var thread: pthread_t?
      return pthread_create(&thread, &attributes, { DedicatedThread.run($0) }, work)
    #else
      var thread = pthread_t()
      return pthread_create(&thread, &attributes, { $0.flatMap(DedicatedThread.run) }, work)
    #endif
  }

  private static func run(_ pointer: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    let work = Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue()
    inkling_name_this_thread(String(decoding: work.name.utf8.prefix(15), as: UTF8.self))
    work.body()
    return nil
  }

  private static func check(_ call: String, _ code: CInt) throws(ChannelError) {
    if code != 0 { throw .system(call: call, code: code) }
  }
}
