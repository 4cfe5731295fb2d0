import AssistantProtocol
import JSON

/// The code actions that the assistant offers at a place. Made of what is known already: the model is not asked.
package struct ActionMenu: Sendable {
  package struct Action: Sendable {
    package var title: String
    package var kind: String
    var command: AssistantCommand
    var arguments: CommandArguments
  }

  private let offers: AssistantCapabilities

  package init(_ offers: AssistantCapabilities) { self.offers = offers }

  /// What can be done there. Of its own accord a client is offered something for a selection only.
  package func actions(
    in document: Document, at range: DocumentRange, _ context: CodeActionContext = CodeActionContext()
  ) -> [Action] {
    let offsets = document.text.offsets(of: range, in: document.encoding)
    if context.triggerKind == CodeActionContext.automatic, document.text.isCursor(offsets) { return [] }
    let selection = document.text.selection(in: offsets)
    var actions: [Action] = []
    for feature in offers.features {
      guard let place = feature.input == .none ? offsets : selection.range else { continue }
      let isParagraph = if case .paragraph = selection { feature.input != .none } else { false }
      for var action in self.actions(of: feature) where ActionKind.matches(action.kind, only: context.only) {
        if isParagraph { action.title += " (this paragraph)" }
        action.arguments.uri = document.uri
        action.arguments.version = document.version
        action.arguments.range = document.text.range(place, in: document.encoding)
        action.arguments.title = action.title
        actions.append(action)
      }
    }
    return actions
  }

  private func actions(of feature: FeatureDescription) -> [Action] {
    func action(
      _ choice: Choice?, _ kind: String, _ command: AssistantCommand, _ fill: (inout CommandArguments) -> Void
    ) -> Action {
      var arguments = CommandArguments()
      fill(&arguments)
      let title = choice.map { "\(feature.title): \($0.title)" } ?? feature.title
      return Action(title: title, kind: kind, command: command, arguments: arguments)
    }
    if feature.isMethod("rephrase") {
      return offers.tones.map { tone in
        action(tone, "\(ActionKind.rewrite).inkling.\(tone.id)", .rephrase) { $0.tone = Tone(tone.id) }
      }
    }
    if feature.isMethod("summarize") {
      return Summarize.Style.allCases.map { style in
        action(style.choice, "\(ActionKind.summarize).\(style.rawValue)", .summarize) { $0.style = style }
      }
    }
    if feature.isMethod("brainstorm") {
      return BrainstormKind.allCases.filter { kind in offers.kinds.contains { $0.id.hasSameBytes(as: kind.rawValue) } }
        .map { kind in
          action(kind.choice, "\(ActionKind.brainstorm).\(kind.rawValue)", .brainstorm) { $0.kind = kind }
        }
    }
    // The other methods, which need more than a text, are no actions; what is left are the configuration's commands.
    guard !offers.isMethod(feature) else { return [] }
    let kind = feature.output == .replace ? "\(ActionKind.rewrite).inkling" : ActionKind.command
    return [action(nil, "\(kind).\(feature.id)", .command) { $0.id = feature.id }]
  }

  /// What a command is called that came without a title.
  package func title(of command: AssistantCommand, _ arguments: JSONValue) -> String {
    func word(_ name: String) -> String? { if case .string(let word)? = arguments[name] { word } else { nil } }
    switch command {
    case .rephrase: return "Rephrase" + (word("tone").map { ": \($0)" } ?? "")
    case .summarize: return "Summarize" + (word("style").map { ": \($0)" } ?? "")
    case .brainstorm: return "Brainstorm" + (word("kind").map { ": \($0)" } ?? "")
    case .command:
      let id = word("id") ?? ""
      return offers.command(id)?.title ?? id
    }
  }
}

extension AssistantCapabilities {
  /// Whether a feature is one of the protocol's methods, and no command of the configuration.
  func isMethod(_ feature: FeatureDescription) -> Bool {
    methods.contains { $0.hasSameBytes(as: "assistant/" + feature.id) }
  }

  /// The configuration's command of that name.
  func command(_ id: String) -> FeatureDescription? {
    features.first { $0.id.hasSameBytes(as: id) && !isMethod($0) }
  }
}

extension FeatureDescription {
  fileprivate func isMethod(_ name: String) -> Bool { id.hasSameBytes(as: name) }
}

extension Tone {
  /// The tone of that word; whether there is one, the assistant knows.
  fileprivate init(_ id: String) {
    self = Tone.builtin.first { $0.id.hasSameBytes(as: id) } ?? .custom(CustomVoice(id: id))
  }
}
