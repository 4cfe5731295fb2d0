#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Runs blocking code on a thread of its own, with a stack of the given size in bytes, and waits for it without
/// holding up the other tests.
public func onThread<Value: Sendable>(
  stackSize: Int = 512 << 10, deadline: Duration = .seconds(10), _ what: String = "the thread",
  _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
  try await withDeadline(deadline, what) {
    try await withCheckedThrowingContinuation { continuation in
      startThread(stackSize: stackSize) { continuation.resume(with: Result(catching: body)) }
    }
  }
}

/// Starts a thread that runs the closure and ends; nobody waits for it.
public func startThread(stackSize: Int = 512 << 10, _ body: @escaping @Sendable () -> Void) {
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  defer { pthread_attr_destroy(&attributes) }
  pthread_attr_setstacksize(&attributes, stackSize)
  pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
  let box = Unmanaged.passRetained(Box(body)).toOpaque()
  #if canImport(Darwin)
    var thread: pthread_t?
  #else
    var thread = pthread_t()
  #endif
  let status = pthread_create(&thread, &attributes, { runBox($0) }, box)
  precondition(status == 0, "no thread: \(String(cString: strerror(status)))")
}

private final class Box: Sendable {
  let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

/// The argument is optional on Linux and not on macOS; an optional parameter takes either.
private func runBox(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let argument { Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body() }
  return nil
}
