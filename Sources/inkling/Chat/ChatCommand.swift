import Assistant
import AssistantProtocol
import Client
import TerminalUI

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `inkling chat`: talks with the model.
enum ChatCommand {
  struct Settings: OneShotSettings {
    var engine = EngineSetup()
    var request = OneShotRequest()
    /// Nothing of the chat is left on the disk.
    var isEphemeral = false
  }

  static let command = Command<Settings>(
    name: "chat", summary: "Talks with the model in a terminal.",
    details: [
      "Enter sends; Alt-Enter, Ctrl-J or a backslash at the end of a line begin another line. Ctrl-C stops an answer, "
        + "which is then not kept; Ctrl-D ends the chat. A line that begins with / is one of the commands below; // "
        + "stands for a text that begins with /.",
      "When standard input is not a terminal each line is a message or a command, answers go to standard output, each "
        + "ended by a line feed, and all else to standard error.",
      "The messages you have sent come back with the Up key; they are kept in $XDG_STATE_HOME/inkling/chat-history "
        + "(~/.local/state/inkling/chat-history).",
    ],
    choicesTitle: "Commands", choices: ChatVerb.all.map { ($0.usage, $0.summary) },
    options: [
      .session("Goes on with the session of that name, which is kept; made when there is none."),
      .personality, .instructions, .flag("--ephemeral", "Keeps nothing: no session, no messages.", \.isEphemeral),
      .isPrivate, .temperature("0 always takes the likeliest word; up to 2 is more varied (default 0.7)."), .seed,
      .maxTokens("The longest answer in tokens (default 1024)."), .model, .config, .noConfig,
    ],
    exitStatuses: [
      (0, "The chat was ended."), (1, "Standard input was no terminal, and something in it failed."),
      (2, "The command line is wrong."), (3, "The daemon cannot be used."),
      (130, "Interrupted; 128 and the number of another signal that ended it."),
    ],
    defaults: { Settings() },
    check: { (settings) throws(UsageError) in
      if settings.isEphemeral, settings.request.session != nil {
        throw UsageError("--session keeps the chat, and --ephemeral does not")
      }
    },
    run: { await chat($0) })

  /// Whether the arguments of the program call it: it alone minds being stopped and the size of the window.
  static func isMeant(by arguments: [String]) -> Bool { arguments.first?.hasSameBytes(as: command.name) == true }

  private static func chat(_ settings: Settings) async -> Int32 {
    if let problem = settings.personalityProblem { return OneShot.fail(problem, Program.Status.usage) }
    signal(SIGPIPE, SIG_IGN)
    let input = makeInput(settings)
    let signals = ChatSignals(input)
    Signals.onEach { signals.receive($0) }
    defer { TerminalMode.set(.original) }
    let news = SessionNews()
    let assistant: CommandAssistant
    do throws(DaemonError) {
      assistant = try CommandAssistant(
        settings.engine, isPrivate: settings.isPrivate, name: command.name, incoming: news.incoming)
    } catch {
      return OneShot.fail("\(error.message) \(error.remedy) “--private” needs no daemon.", OneShot.Status.unavailable)
    }
    let chat = ChatLoop(settings, assistant, input, signals, news)
    let status = await chat.run()
    await assistant.close()
    return status
  }

  private static func makeInput(_ settings: Settings) -> any ChatInput {
    let isTerminal = Terminal.inputIsTerminal
    guard isTerminal, Terminal.outputIsTerminal, !Terminal.isDumb else { return LineInput(isInteractive: isTerminal) }
    let history = settings.isEphemeral ? nil : HistoryFile(path: StoreLocation.folder + "/chat-history")
    return EditorInput(history)
  }
}
