import JSON
import JSONRPC

/// The configuration's file was changed, and with it what can be offered to a person.
public enum DidChangeConfiguration: NotificationMethod {
  public static let name = "assistant/didChangeConfiguration"

  public struct Params: JSONMessage, Equatable {
    public var features: [FeatureDescription] = []
    public var tones: [Choice] = []
    public var personalities: [Choice] = []
    public init() {}
    public init(features: [FeatureDescription], tones: [Choice], personalities: [Choice]) {
      self.features = features
      self.tones = tones
      self.personalities = personalities
    }
    public static let fields: [JSONField<Params>] = [
      .required("features", \.features, "What can be offered from now on, as in `initialize`."),
      .required("tones", \.tones, "The tones of `assistant/rephrase`."),
      .required("personalities", \.personalities, "The voices there are."),
    ]
  }
}
