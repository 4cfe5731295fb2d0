import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// How the terminal hands over what is typed. As it was found it must be left, whichever way the program ends.
enum TerminalMode {
  enum Mode {
    /// As it was found.
    case original
    /// Each key at once and unseen, Ctrl-C and Ctrl-Z among them.
    case editing
    /// While an answer comes: keys are kept unseen for the next message; Ctrl-C and Ctrl-Z are signals.
    case answering
  }

  private struct State {
    /// Not optional: of an optional C structure in a static Mutex, optimised code of Swift 6.3.1 keeps zeros.
    var original = termios()
    /// False until it is changed, and where there is no terminal.
    var isKnown = false
    var mode = Mode.original
  }

  private static let state = Mutex(State())

  static func set(_ mode: Mode) {
    let isBracketing = state.withLock { state in
      if state.mode == mode { return false }
      if !state.isKnown { state.isKnown = tcgetattr(STDIN_FILENO, &state.original) == 0 }
      guard state.isKnown else { return false }
      defer { state.mode = mode }
      apply(mode, state.original)
      return mode == .editing || state.mode == .editing
    }
    if isBracketing { bracketPastes(mode == .editing) }
  }

  /// Hands the terminal back for as long as the program is stopped.
  static func suspend() {
    let mode = state.withLock { state in
      if state.isKnown { apply(.original, state.original) }
      return state.mode
    }
    if mode == .editing { bracketPastes(false) }
  }

  /// The program goes on.
  static func resume() {
    let mode = state.withLock { state in
      if state.isKnown { apply(state.mode, state.original) }
      return state.mode
    }
    if mode == .editing { bracketPastes(true) }
  }

  private static func apply(_ mode: Mode, _ original: termios) {
    var settings = original
    switch mode {
    case .original: break
    case .editing:
      settings.c_iflag &= ~tcflag_t(BRKINT | ICRNL | INLCR | IGNCR | INPCK | ISTRIP | IXON)
      settings.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN | ISIG)
    case .answering:
      // A carriage return stays one, so that Enter means the same when it is read later.
      settings.c_iflag &= ~tcflag_t(ICRNL | INLCR | IGNCR)
      settings.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN)
    }
    if mode != .original {
      withUnsafeMutableBytes(of: &settings.c_cc) { characters in
        characters[Int(VMIN)] = 1
        characters[Int(VTIME)] = 0
      }
    }
    tcsetattr(STDIN_FILENO, TCSANOW, &settings)
  }

  /// Asks the terminal to mark what is pasted.
  private static func bracketPastes(_ marks: Bool) { Terminal.write("\u{1B}[?2004\(marks ? "h" : "l")") }
}
