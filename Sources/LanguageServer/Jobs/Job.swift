import AssistantProtocol
import JSON
import JSONRPC

/// One command at work.
struct Job: Sendable {
  var id: JobID
  /// The document it was called in, whatever the person looks at meanwhile.
  var uri: String
  var title: String
  var request: AssistantRequest
  /// The selection as it was. What stands in its place when the answer is there must still be this.
  var source: String
  var format: TextFormat
}

/// A command cannot be begun; the person is told why.
struct CommandRefusal: Error {
  var kind = ShowMessage.Kind.error
  var message: String
}

extension JobID {
  /// Under which the job's progress is shown: a token is never used for two jobs.
  var token: String { "inkling/\(number)" }

  init?(token: ProgressToken) {
    let prefix = "inkling/"
    guard case .string(let text) = token.id, text.hasPrefix(prefix), let number = Int(text.dropFirst(prefix.count))
    else { return nil }
    self.init(number)
  }
}

/// What a command works on, as its arguments and the configuration say.
struct CommandPlan {
  let command: AssistantCommand
  let arguments: CommandArguments
  let uri: String
  let range: DocumentRange
  let title: String
  /// Of a command of the configuration.
  let feature: FeatureDescription?

  /// - Parameter json: the arguments as they came: a list of one object.
  init(_ command: AssistantCommand, _ json: JSONValue?, _ offers: AssistantCapabilities) throws(CommandRefusal) {
    self.command = command
    let name = command.rawValue
    guard case .array(let list)? = json, case .object? = list.first else {
      throw CommandRefusal(message: "“\(name)” needs one argument, an object with “uri” and “range”.")
    }
    do throws(JSONMismatch) {
      arguments = try CommandArguments(json: list[0])
    } catch {
      throw CommandRefusal(message: "“\(name)”: its argument’s \(error.message).")
    }
    guard let uri = arguments.uri else {
      throw CommandRefusal(message: "“\(name)” needs the document’s address as “uri” in its argument.")
    }
    guard let range = arguments.range else {
      throw CommandRefusal(message: "“\(name)” needs the selection as “range” in its argument.")
    }
    self.uri = uri
    self.range = range
    title = arguments.title ?? ActionMenu(offers).title(of: command, list[0])
    feature = try command == .command ? Self.feature(arguments.id, offers) : nil
  }

  private static func feature(
    _ id: String?, _ offers: AssistantCapabilities
  ) throws(CommandRefusal) -> FeatureDescription {
    guard let id else { throw CommandRefusal(message: "“inkling.command” needs the command’s “id” in its argument.") }
    if let feature = offers.command(id) { return feature }
    let known = offers.features.filter { !offers.isMethod($0) }.map(\.id)
    let near = NearestWord.find(id, among: known).map { " Did you mean “\($0)”?" } ?? ""
    throw CommandRefusal(message: "No command “\(id)” is configured.\(near)")
  }

  /// The part of the document that the command works on.
  func place(in document: Document) throws(CommandRefusal) -> Range<Int> {
    let offsets: Range<Int>
    switch document.locate(range, asOf: arguments.version) {
    case .at(let range): offsets = range
    case .changed: throw CommandRefusal(kind: .warning, message: Self.changed)
    case .unknownVersion:
      throw CommandRefusal(
        kind: .warning,
        message: "The document has changed too much since the command was offered; nothing was changed. "
          + "Select the text again, and run the command once more.")
    }
    // What needs no text only needs to know where to stand.
    if feature?.input == FeatureDescription.Input.none { return offsets.upperBound..<offsets.upperBound }
    guard let range = document.text.selection(in: offsets).range else {
      throw CommandRefusal(
        kind: .warning, message: "There is no text to work on. Select some, or put the cursor in a paragraph.")
    }
    guard range.count <= Limits.textBytes else {
      throw CommandRefusal(
        message: "The selection is too long: it has \(range.count) bytes, and at most \(Limits.textBytes) can be "
          + "worked on at once. Select less.")
    }
    return range
  }

  static let changed =
    "The text has changed meanwhile; nothing was replaced. Select it again, and run the command once more."

  func request(for source: String, in document: Document, _ options: FaceOptions) -> AssistantRequest {
    var common = CommonParams()
    var context = TextContext()
    context.languageID = document.languageID.isEmpty ? nil : document.languageID
    context.uri = document.uri
    common.context = context
    let format = TextFormat(languageID: document.languageID)
    switch command {
    case .rephrase: return .rephrase(Rephrase.Params(text: source, tone: arguments.tone, common: common))
    case .summarize:
      let style = arguments.style ?? .sentences
      return .summarize(Summarize.Params(text: source, style: style, common: common), options.summarize)
    case .brainstorm:
      let kind = arguments.kind ?? .ideas
      return .brainstorm(
        Brainstorm.Params(topic: source, kind: kind, format: format, common: common), options.brainstorm)
    case .command:
      let text = feature?.input == FeatureDescription.Input.none ? nil : source
      var params = CustomCommand.Params(id: arguments.id ?? "", text: text, common: common)
      params.format = format
      return .command(params)
    }
  }
}
