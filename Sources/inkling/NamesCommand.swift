import Assistant
import AssistantProtocol
import Models

/// `inkling names`: what may stand in the place of a name, a line each. For the completions of shells, so it looks into
/// no model.
enum NamesCommand {
  enum Kind: String, CaseIterable, Sendable { case models, tones, personalities, commands }

  struct Settings: ModelSettings {
    var engine = EngineSetup(warnings: .none)
    var kind = Kind.models
  }

  static let command = Command<Settings>(
    name: "names", summary: "Writes the names that there are, a line each.", arguments: kinds.joined(separator: "|"),
    argumentKinds: ArgumentKinds(first: .words(kinds)), options: [], isHidden: true, defaults: { Settings() },
    takeArguments: { (settings, words) throws(UsageError) in
      guard words.count == 1, let kind = Kind(rawValue: words[0]) else {
        throw UsageError("names wants one of \(kinds.joined(separator: ", "))")
      }
      settings.kind = kind
    },
    run: { settings in
      Terminal.write(names(settings).map { $0 + "\n" }.joined())
    })

  private static let kinds = Kind.allCases.map(\.rawValue)

  private static func names(_ settings: Settings) -> [String] {
    let customization = settings.engine.customization
    return switch settings.kind {
    case .models: Set(ModelLocation.places.candidates.map { TerminalText.oneLine($0.name) }).sorted()
    case .tones: Tone.builtin.map(\.id) + customization.tones.map(\.id)
    case .personalities: Personality.builtin.map(\.id) + customization.personalities.map(\.id)
    case .commands: customization.commands.map(\.id)
    }
  }
}

extension TerminalText {
  /// A name that comes from elsewhere, so that it cannot take a line of its own.
  static func oneLine(_ text: String) -> String {
    neutralise(text).split { $0.isNewline || $0 == "\t" }.joined(separator: " ")
  }
}
