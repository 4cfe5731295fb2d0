import Engine
import JSON

/// `inkling engine`: the child that holds the model.
enum EngineCommand {
  static let command = Command<Void>(
    name: "engine", summary: "Holds the model. Started by the other commands, on a socket at descriptor 3.",
    options: [], isHidden: true, defaults: {}, run: { _ in run() })

  /// Whether the command line asks for an engine and nothing else.
  static func isMeant(by arguments: [String]) -> Bool {
    arguments.count == 1 && arguments[0].hasSameBytes(as: command.name)
  }

  /// Blocks its thread until the front end is gone. It has no options: its parent tells it everything on the socket.
  static func run() -> Int32 { runEngine(buildID: Executable.buildID) }
}
