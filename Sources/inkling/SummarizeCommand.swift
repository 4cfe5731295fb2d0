import Assistant
import AssistantProtocol
import JSON

/// `inkling summarize`: a text in short, without a daemon.
enum SummarizeCommand {
  struct Settings: OneShotSettings {
    var engine = EngineSetup()
    var request = OneShotRequest()
    /// Empty: standard input.
    var files: [String] = []
    var style = Summarize.Style.sentences
    var count: Int?
    var showsJSON = false
  }

  static let command = Command<Settings>(
    name: "summarize", summary: "Says in short what a text says.", arguments: "[FILE...]",
    details: [
      "The text is what the files hold, one after the other, or standard input when there are none or only “-”. It may "
        + "have up to 4 MiB; a long one is read in parts. The summary goes to standard output: on a terminal as it is "
        + "written and without control characters, otherwise whole."
    ],
    choicesTitle: "Styles", choices: Summarize.Style.allCases.map { ($0.rawValue, $0.choice.description) },
    options: [
      .choice("--style", "STYLE", "The form of the summary (default sentences)", \.style),
      .value("--count", "N", "How many sentences or bullets, exactly (default 2). A headline is always 1.") {
        (settings, text) throws(UsageError) in
        settings.count = try Option<Settings>.wholeNumber(text, of: "--count", in: Summarize.Params.counts)
      },
      .flag("--json", "Writes the whole result as one line of JSON instead of the summary.", \.showsJSON),
      .instructions, .temperature("0 (default) always takes the likeliest word; up to 2 is more varied."), .seed,
      .maxTokens("The longest summary in tokens (default: by its form)."), .model,
    ],
    exitStatuses: OneShot.exitStatuses(
      unsuitable: "The text cannot be read, is empty, not UTF-8 or over 4 MiB, or the instructions are too long."),
    defaults: { Settings() },
    takeArguments: { settings, words in
      settings.files = words.count == 1 && words[0].hasSameBytes(as: "-") ? [] : words
    },
    run: { await summarize($0) })

  private static func summarize(_ settings: Settings) async -> Int32 {
    if settings.style == .headline, let count = settings.count, count != 1 {
      return OneShot.fail("--count must be 1 for a headline", Program.Status.usage)
    }
    var settings = settings
    if !settings.files.isEmpty {
      do throws(UnreadableFile) {
        settings.request.text = try text(of: settings.files)
      } catch {
        return OneShot.fail(error.message, OneShot.Status.unsuitable)
      }
    }
    return await OneShot.run(
      settings, streams: !settings.showsJSON,
      work: { [settings] (runner, text, sink) async throws(RequestFailure) in
        let params = Summarize.Params(
          text: text, style: settings.style, count: settings.count, common: settings.request.common)
        return try await runner.summarize(params, encoding: .utf8, sink: sink)
      },
      finish: { [settings] result, screen in
        let text = settings.showsJSON ? JSONWriter.text(of: result.json) : result.text
        return OneShot.write(text, result.common, screen, addsLineFeed: true)
      })
  }

  private struct UnreadableFile: Error {
    let message: String
  }

  private static func text(of files: [String]) throws(UnreadableFile) -> String {
    var all: [String] = []
    var count = 0
    for file in files {
      guard let bytes = Terminal.readFile(file, limit: Limits.textBytes) else {
        throw UnreadableFile(message: "“\(file)” cannot be read")
      }
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw UnreadableFile(message: "“\(file)” is not UTF-8")
      }
      // With the blank line between two files.
      count += bytes.count + 2
      guard count - 2 <= Limits.textBytes else {
        throw UnreadableFile(message: "the text is longer than 4 MiB")
      }
      all.append(text)
    }
    return all.joined(separator: "\n\n")
  }
}
