import JSON
import JSONRPC

/// Why there is no model to generate with.
public enum UnavailabilityReason: String, JSONStringEnum {
  case modelNotFound, modelInvalid, outOfMemory, engineFailed, unloaded, unsupportedDevice

  /// What it means, for protocol.md.
  public var summary: String {
    switch self {
    case .modelNotFound: "There is no file at the model's path, or it cannot be read."
    case .modelInvalid: "The file is no GGUF model, or one that the library cannot load."
    case .outOfMemory: "There is not enough memory for the model and its context."
    case .engineFailed: "The engine ended again and again; it is tried anew at the next request."
    case .unloaded: "The model is not in memory; the next request that needs it loads it."
    case .unsupportedDevice: "The program was built for another processor."
    }
  }

  /// Whether the same request may succeed when it is sent again.
  public var isRetryable: Bool {
    switch self {
    case .outOfMemory, .engineFailed, .unloaded: true
    case .modelNotFound, .modelInvalid, .unsupportedDevice: false
    }
  }
}

/// Whether the model can generate now.
public struct Availability: JSONMessage, Equatable {
  public enum State: String, JSONStringEnum { case available, loading, unavailable }

  public var state = State.available
  public var reason: UnavailabilityReason?
  public var message: String?
  public var remedy: String?
  public var progress: Double?
  public init() {}

  public static let available = Availability()

  /// - Parameter progress: 0…1.
  public static func loading(progress: Double) -> Availability {
    var availability = Availability()
    availability.state = .loading
    availability.progress = progress
    return availability
  }

  public static func unavailable(_ reason: UnavailabilityReason, message: String, remedy: String) -> Availability {
    var availability = Availability()
    availability.state = .unavailable
    availability.reason = reason
    availability.message = message
    availability.remedy = remedy
    return availability
  }

  public static let fields: [JSONField<Availability>] = [
    .required("state", \.state, "Whether the model can generate now."),
    .optional("reason", \.reason, "Why it is `unavailable`."),
    .optional("message", \.message, "The same for a person."), .optional("remedy", \.remedy, "What to do about it."),
    .optional("progress", \.progress, "How much is done while `loading`.", in: 0...1),
  ]
}

/// The model's availability has changed. Sent to clients that know the assistant, and in line framing.
public enum ModelDidChangeAvailability: NotificationMethod {
  public static let name = "model/didChangeAvailability"

  public struct Params: JSONMessage, Equatable {
    public var availability = Availability()
    public init() {}
    public init(availability: Availability) { self.availability = availability }
    public static let fields: [JSONField<Params>] = [
      .required("availability", \.availability, "The new availability.")
    ]
  }
}
