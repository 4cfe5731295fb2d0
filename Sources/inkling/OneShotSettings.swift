import Assistant
import AssistantProtocol

/// What the commands for one request share: the text, and how the model is to write.
struct OneShotRequest: Sendable {
  /// nil: standard input.
  var text: String?
  var instructions: String?
  var temperature: Double?
  var maxTokens: Int?
  var seed: Int?
  var showsJSON = false

  /// The same as a request's common parameters.
  var common: CommonParams {
    var options = GenerationOptions()
    options.temperature = temperature
    options.maxTokens = maxTokens
    options.seed = seed
    var common = CommonParams()
    common.instructions = instructions
    common.options = options
    return common
  }

  /// The text is the arguments, or standard input when there are none or only “-”.
  mutating func takeArguments(_ words: [String]) {
    text = words.isEmpty ? nil : words.joined(separator: " ")
    if words.count == 1, words[0].hasSameBytes(as: "-") { text = nil }
  }
}

/// Settings of a command for one request.
protocol OneShotSettings: ModelSettings {
  var request: OneShotRequest { get set }
}

extension Option where Settings: OneShotSettings {
  static var json: Option {
    Option(
      name: "--json", placeholder: nil,
      summary: "Writes the whole result as one line of JSON: what the daemon answers (protocol.md)."
    ) { settings, _ in settings.request.showsJSON = true }
  }

  static var instructions: Option {
    .value("--instructions", "TEXT", "What else to heed, in your words.") { settings, text in
      settings.request.instructions = text
    }
  }

  /// - Parameter summary: what the values mean and which is the default.
  static func temperature(_ summary: String) -> Option {
    .value("--temperature", "T", summary, kind: .number) { (settings, text) throws(UsageError) in
      guard let value = Double(text), (0...2).contains(value) else {
        throw UsageError("--temperature wants a number from 0 to 2, not “\(text)”")
      }
      settings.request.temperature = value
    }
  }

  /// - Parameter summary: what the limit is by default.
  static func maxTokens(_ summary: String) -> Option {
    .value("--max-tokens", "N", summary, kind: .number) { (settings, text) throws(UsageError) in
      settings.request.maxTokens = try wholeNumber(text, of: "--max-tokens", in: 1...1_000_000)
    }
  }

  static var seed: Option {
    .value("--seed", "N", "Makes a random choice of words repeatable.", kind: .number) {
      (settings, text) throws(UsageError) in
      settings.request.seed = try wholeNumber(text, of: "--seed", in: 0...Int(UInt32.max))
    }
  }
}

extension OneShotSettings {
  /// Runs a request as the configuration completes it, within the user's rules.
  func run<Params: GenerationParams, Result: GenerationResult>(
    _ params: Params, _ sink: RequestSink,
    _ work: (Params, RequestSink) async throws(RequestFailure) -> Result
  ) async throws(RequestFailure) -> Result {
    let configuration = engine.configurationFile.current
    let params = try params.configured(by: configuration.customization)
    return try await Guardrails(configuration.guardrails).run(params, encoding: .utf8, sink, \.self) {
      (sink) async throws(RequestFailure) in
      try await work(params, sink)
    }
  }
}
