import Assistant
import AssistantProtocol
import JSON

/// `inkling summarize`: a text in short.
enum SummarizeCommand {
  struct Settings: OneShotSettings {
    var engine = EngineSetup()
    var request = OneShotRequest()
    /// Empty: standard input.
    var files: [String] = []
    var style = Summarize.Style.sentences
    var count: Int?
  }

  static let command = Command<Settings>(
    name: "summarize", summary: "Says in short what a text says.", arguments: "[FILE...]",
    argumentKinds: ArgumentKinds(first: .file, later: .file),
    details: [
      "The text is what the files hold, one after the other, or standard input when there are none or only “-”. It may "
        + "have up to 4 MiB; a long one is read in parts. The summary goes to standard output: on a terminal as it is "
        + "written and without control characters, otherwise whole."
    ],
    choicesTitle: "Styles", choices: Summarize.Style.allCases.map { ($0.rawValue, $0.choice.description) },
    options: [
      .choice("--style", "STYLE", "The form of the summary (default sentences)", \.style),
      .value(
        "--count", "N", "How many sentences or bullets, exactly (default 2). A headline is always 1.", kind: .number
      ) {
        (settings, text) throws(UsageError) in
        settings.count = try Option<Settings>.wholeNumber(text, of: "--count", in: Summarize.Params.counts)
      },
    ] + .shared() + [
      .temperature("0 (default) always takes the likeliest word; up to 2 is more varied."), .seed,
      .maxTokens("The longest summary in tokens (default: by its form)."), .model, .config, .noConfig,
    ],
    exitStatuses: OneShot.exitStatuses(
      unsuitable: "The text cannot be read, is empty, not UTF-8 or over 4 MiB, or the instructions are too long."),
    defaults: { Settings() },
    takeArguments: { (settings, words) throws(UsageError) in
      settings.files = words.count == 1 && words[0].hasSameBytes(as: "-") ? [] : words
      if !settings.files.isEmpty, settings.request.file != nil {
        throw UsageError("there are files on the command line, and one in --file")
      }
    },
    check: { settings throws(UsageError) in
      if settings.style == .headline, let count = settings.count, count != 1 {
        throw UsageError("--count must be 1 for a headline")
      }
    },
    run: { await summarize($0) })

  private static func summarize(_ settings: Settings) async -> Int32 {
    var settings = settings
    if !settings.files.isEmpty {
      do throws(OneShot.InputError) {
        settings.request.text = try text(of: settings.files)
      } catch {
        return OneShot.fail(error.message, OneShot.Status.unsuitable)
      }
    }
    return await OneShot.run(
      settings, Summarize.self, streams: true,
      params: { [settings] text in
        Summarize.Params(text: text, style: settings.style, count: settings.count, common: settings.request.common)
      },
      finish: { [settings] result, screen in OneShot.write(result.text, of: result, settings, screen) })
  }

  private static func text(of files: [String]) throws(OneShot.InputError) -> String {
    var all: [String] = []
    var count = 0
    for file in files {
      let bytes = Terminal.readFile(file, limit: Limits.textBytes, waitsForWriter: true)
      let text = try OneShot.text(from: bytes, named: "“\(file)”")
      // With the blank line between two files.
      count += text.utf8.count + (all.isEmpty ? 0 : 2)
      all.append(text)
      try OneShot.checkLength(count, of: "the text")
    }
    return all.joined(separator: "\n\n")
  }
}
