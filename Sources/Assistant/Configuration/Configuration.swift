import AssistantProtocol
import JSON

/// What a person has configured, with a default for everything.
public struct Configuration: Sendable {
  /// Voices, commands, and what holds for a request that does not say.
  public var customization = Customization()
  /// The model's path as it is written; nil when it is chosen elsewhere.
  public var model: String?
  /// Tokens of the context window; nil when it is chosen elsewhere.
  public var context: Int?
  /// What to suggest in menus, by the feature's id; what is absent keeps its own.
  public var suggestions: [String: [String]] = [:]
  /// Where the catalog of `catalogSearch` is to be; nil for the films that ship.
  public var catalogPath: String?
  /// Whether it could not be read, so that the films stand in for it.
  var isCatalogMissing = false
  /// What `catalogSearch` looks in.
  package var catalog = Catalog.films
  public var guardrails: [Guardrail] = []
  public var limits = ConfigurationLimits()
  /// All that holds, defaults included, in the form of the file.
  public var effective: JSONValue = ConfigurationFields.root.filled([:])

  public init() {}

  /// What a client can offer to a person.
  public var features: [FeatureDescription] {
    let own = Self.builtinFeatures.map { feature in
      var feature = feature
      feature.suggestions = suggestions[feature.id] ?? feature.suggestions
      return feature
    }
    return own + customization.commands.map(\.feature)
  }

  /// The tones and the personalities for menus.
  public var tones: [Choice] { Tone.builtin.map(\.choice) + customization.tones.map(\.choice) }
  public var personalities: [Choice] {
    Personality.builtin.map(\.choice) + customization.personalities.map(\.choice)
  }

  /// What `initialize` says that the assistant can do: what is known without a model.
  public var capabilities: AssistantCapabilities {
    var assistant = AssistantCapabilities()
    assistant.methods = MethodList.callable
    assistant.features = features
    assistant.tones = tones
    assistant.kinds = BrainstormKind.allCases.map(\.choice)
    assistant.schemaKeywords = JSONSchema.keywords
    assistant.personalities = personalities
    return assistant
  }

  /// Those that every daemon has.
  static let builtinFeatures: [FeatureDescription] = [
    Feature.rephrase.description, Feature.summarize.description,
    StructuredFeature<Brainstorm.Params, Brainstorm.Result>.brainstorm.description,
    StructuredFeature<Generate.Params, Generate.Result>.generate.description, ChatRunner.description,
  ]
}

/// Bounds that a person may want otherwise.
public struct ConfigurationLimits: Sendable, Equatable {
  /// Sessions of one connection.
  public var sessions = Limits.sessions
  /// Requests at work of one connection.
  public var requests = 64
  /// Tokens of one call of the model; nil: as the request and the window say.
  public var outputTokens: Int?
  public init() {}
}

/// What is wrong with the file. The field it is about has its default, and the rest of the file holds.
public struct ConfigurationProblem: Sendable, Equatable {
  public var position: JSONPosition
  /// A JSON pointer to the value; empty for the file as a whole.
  public var path: String
  /// What is wrong, as a sentence without its full stop.
  public var message: String
  /// What may have been meant.
  public var suggestion: String?

  /// For a line that names the file first.
  public var description: String {
    "\(position.line):\(position.column): \(path.isEmpty ? "" : path + ": ")\(message)"
      + (suggestion.map { "; did you mean “\($0)”?" } ?? "")
  }
}
