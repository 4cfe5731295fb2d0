import JSONRPC

/// Starts engines. The real one spawns this executable again; tests give one that is scripted.
public protocol ChildLauncher: Sendable {
  /// A new child that will say hello on its channel.
  func launch() throws(ChildLaunchError) -> any ChildProcess
}

/// An engine's process, seen from its parent.
public protocol ChildProcess: Sendable {
  var processID: Int { get }
  var channel: any ByteChannel { get }
  /// Ends the process at once (SIGKILL), stopped or not. Harmless when it has ended already.
  func kill()
  /// Returns when the process has ended and has been reaped.
  func waitForExit() async -> ChildExitStatus
}

/// A process could not be started.
public struct ChildLaunchError: Error {
  /// What failed, with the system's reason.
  public var message: String
  public init(_ message: String) { self.message = message }
}
