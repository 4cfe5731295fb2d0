import Assistant
import AssistantProtocol
import Client
import JSONRPC

/// What the commands for one request share: the text, and how the model is to write.
struct OneShotRequest: Sendable {
  /// nil: the file, or standard input.
  var text: String?
  /// nil: standard input.
  var file: String?
  /// As LSP names it.
  var languageID: String?
  /// A name of the configuration, or one that ships.
  var personality: String?
  /// nil: as long as it takes.
  var timeout: Duration?
  var instructions: String?
  var temperature: Double?
  var maxTokens: Int?
  var seed: Int?
  var showsJSON = false
  /// The request is a turn of this session.
  var session: SessionID?
  /// An engine of its own instead of the shared daemon's.
  var isPrivate = false

  /// The same as a request's common parameters.
  var common: CommonParams {
    var options = GenerationOptions()
    options.temperature = temperature
    options.maxTokens = maxTokens
    options.seed = seed
    var common = CommonParams()
    common.instructions = instructions
    common.sessionID = session
    common.personality = personality.map { name in
      Personality.builtin.first { $0.id.hasSameBytes(as: name) } ?? .custom(CustomVoice(id: name))
    }
    if let languageID {
      var context = TextContext()
      context.languageID = languageID
      common.context = context
    }
    common.options = options
    return common
  }

  /// The text is the arguments, or standard input when there are none or only “-”.
  mutating func takeArguments(_ words: [String]) throws(UsageError) {
    text = words.isEmpty ? nil : words.joined(separator: " ")
    if words.count == 1, words[0].hasSameBytes(as: "-") { text = nil }
    if text != nil, file != nil { throw UsageError("there is a text on the command line, and one in --file") }
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

  static var personality: Option {
    .value(
      "--personality", "NAME",
      "The voice to write in: \(Personality.builtin.map(\.id).joined(separator: ", ")), or one "
        + "of your configuration.", kind: .names(.personalities)
    ) { settings, name in settings.request.personality = name }
  }

  static var languageID: Option {
    .value(
      "--language-id", "ID", "What the text is written in, as editors name it: markdown, latex, swift."
    ) { (settings, text) throws(UsageError) in
      guard !text.isEmpty else { throw UsageError("--language-id wants a name") }
      settings.request.languageID = text
    }
  }

  static var file: Option {
    .value("--file", "FILE", "Reads the text from a file; “-” is standard input.", kind: .file) {
      (settings, path) throws(UsageError) in
      guard !path.isEmpty else { throw UsageError("--file wants a path") }
      settings.request.file = path.hasSameBytes(as: "-") ? nil : path
    }
  }

  static var session: Option {
    session("Makes request and answer a turn of a session, which is kept; made when there is none.")
  }

  static func session(_ summary: String) -> Option {
    .value("--session", "NAME", summary) { (settings, text) throws(UsageError) in
      guard let id = SessionID(text) else {
        throw UsageError("--session wants 1 to 128 letters, digits, dots, hyphens or underscores, not “\(text)”")
      }
      settings.request.session = id
    }
  }

  static var isPrivate: Option {
    Option(
      name: "--private", placeholder: nil,
      summary:
        "Uses an engine of its own, and no daemon; so do --model, --config and INKLING_PRIVATE=1. A daemon heeds "
        + "INKLING_MODEL only when it starts."
    ) { settings, _ in settings.request.isPrivate = true }
  }

  static var timeout: Option {
    .value(
      "--timeout", "TIME", "Gives up when there is no result after so long: 90s, 15m, 2h, or minutes; 0: never."
    ) { (settings, text) throws(UsageError) in
      settings.request.timeout = try duration(text, of: "--timeout")
    }
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

extension Array {
  /// What the commands for one request share besides the sampling.
  static func shared<Settings: OneShotSettings>() -> [Option<Settings>] where Element == Option<Settings> {
    [.json, .instructions, .personality, .languageID, .session, .file, .timeout, .isPrivate]
  }
}

extension OneShotSettings {
  /// What is wrong with the name of the personality; nil when nothing is.
  var personalityProblem: String? {
    guard let name = request.personality else { return nil }
    let known = (Personality.builtin + engine.customization.personalities.map(Personality.custom)).map(\.id)
    return known.contains { $0.hasSameBytes(as: name) } ? nil : unknownName("personality", name, known)
  }

  /// Whether the request is for an engine of its own: a daemon that runs has a model and a configuration already.
  var isPrivate: Bool {
    request.isPrivate || engine.isChosen || ModelLocation.environment("INKLING_PRIVATE") == "1"
  }

  /// Makes the session of the request when there is none of that name.
  func makeSession(_ service: some AssistantService) async throws(RPCError) {
    guard let id = request.session else { return }
    var params = SessionCreate.Params(sessionID: id)
    params.persist = true
    params.contextPolicy = .slidingWindow
    do throws(RPCError) {
      _ = try await service.call(SessionCreate.self, params)
    } catch {
      if error.code != AssistantErrorKind.sessionExists.code { throw error }
    }
  }
}
