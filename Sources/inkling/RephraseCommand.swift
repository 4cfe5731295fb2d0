import Assistant
import AssistantProtocol

/// `inkling rephrase`: one text, once, without a daemon.
enum RephraseCommand {
  struct Settings: OneShotSettings {
    var engine = EngineSetup()
    var request = OneShotRequest()
    var tone = Tone.formal
  }

  static let command = Command<Settings>(
    name: "rephrase", summary: "Says a text again in another tone.", arguments: "[TEXT...]",
    details: [
      "The text is the arguments, or standard input when there are none or only “-”. The result goes to standard "
        + "output: on a terminal as it is written and without control characters, otherwise whole and byte for byte."
    ],
    choicesTitle: "Tones", choices: Tone.allCases.map { ($0.rawValue, $0.choice.description) },
    options: [
      .choice("--tone", "TONE", "The tone (default formal)", \.tone), .json, .instructions,
      .temperature("0 (default) always takes the likeliest word; up to 2 is more varied."), .seed,
      .maxTokens("The longest result in tokens (default: by the length of the text)."), .model,
    ],
    exitStatuses: OneShot.exitStatuses(
      unsuitable: "The text is empty, not UTF-8, over 4 MiB, or too long for the context window."),
    defaults: { Settings() },
    takeArguments: { settings, words in settings.request.takeArguments(words) },
    run: { await rephrase($0) })

  private static func rephrase(_ settings: Settings) async -> Int32 {
    await OneShot.run(
      settings, streams: true,
      work: { (runner, text, sink) async throws(RequestFailure) in
        let params = Rephrase.Params(text: text, tone: settings.tone, common: settings.request.common)
        return try await runner.run(.rephrase, params, encoding: .utf8, sink: sink)
      },
      finish: { result, screen in
        OneShot.write(result.text, of: result, settings, screen, addsLineFeed: settings.request.text != nil)
      })
  }
}
