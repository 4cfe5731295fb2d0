/// Why a model cannot be loaded, in words for the person who chose it.
public struct ModelLoadError: Error, Equatable {
  public enum Reason: String, Sendable {
    case modelNotFound, modelInvalid, outOfMemory, unsupportedDevice
    /// `ComputeSignal.requestStop()` was called.
    case stopped
  }

  public var reason: Reason
  /// What is wrong and what to do, in plain sentences.
  public var message: String

  public init(_ reason: Reason, _ message: String) {
    self.reason = reason
    self.message = message
  }
}
