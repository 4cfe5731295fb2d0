import Assistant
import AssistantProtocol

/// `inkling rephrase`: one text, once.
enum RephraseCommand {
  struct Settings: OneShotSettings {
    var engine = EngineSetup()
    var request = OneShotRequest()
    /// nil: the configuration's, else formal.
    var tone: String?
    var alternatives = 1
  }

  static let command = Command<Settings>(
    name: "rephrase", summary: "Says a text again in another tone.", arguments: "[TEXT...]",
    details: [
      "The text is the arguments, or standard input when there are none or only “-”. The result goes to standard "
        + "output: on a terminal as it is written and without control characters, otherwise whole and byte for byte.",
      "Of several alternatives the likeliest comes first, and a line of --- stands between two of them; where a text "
        + "may hold such a line, --json keeps them apart.",
    ],
    choicesTitle: "Tones", choices: Tone.builtin.map { ($0.id, $0.choice.description) },
    options: [
      .value(
        "--tone", "TONE", "The tone, one of the above or of your configuration (default formal).", kind: .names(.tones)
      ) {
        (settings, tone) in settings.tone = tone
      },
      .number(
        "--alternatives", "N", "How many different texts to write (default 1, at most 5).", in: 1...5, \.alternatives),
    ] + .shared() + [
      .temperature("0 (default) always takes the likeliest word; up to 2 is more varied."), .seed,
      .maxTokens("The longest result in tokens (default: by the length of the text)."), .model, .config, .noConfig,
    ],
    exitStatuses: OneShot.exitStatuses(
      unsuitable: "The text is empty, not UTF-8, over 4 MiB, or too long for the context window."),
    defaults: { Settings() },
    takeArguments: { (settings, words) throws(UsageError) in try settings.request.takeArguments(words) },
    run: { await rephrase($0) })

  private static func rephrase(_ settings: Settings) async -> Int32 {
    let customization = settings.engine.customization
    let known = Tone.builtin + customization.tones.map(Tone.custom)
    let tone = settings.tone.map { word in known.first { $0.id.hasSameBytes(as: word) } }
    if case .some(.none) = tone {
      return OneShot.fail(unknownName("tone", settings.tone ?? "", known.map(\.id)), Program.Status.usage)
    }
    return await OneShot.run(
      settings, Rephrase.self, streams: settings.alternatives == 1,
      params: { text in
        Rephrase.Params(
          text: text, tone: tone ?? nil, alternatives: settings.alternatives, common: settings.request.common)
      },
      finish: { result, screen in
        OneShot.write(
          together(result.alternatives), of: result, settings, screen, addsLineFeed: settings.request.text != nil)
      })
  }

  /// The alternatives with a line between two of them.
  private static func together(_ texts: [String]) -> String {
    texts.enumerated().map { index, text in
      let isOpen = text.utf8.last != UInt8(ascii: "\n")
      return index == texts.count - 1 ? text : text + (isOpen ? "\n" : "") + "---\n"
    }.joined()
  }
}
