import Assistant
import JSON

/// Where persisted sessions are kept.
enum StoreLocation {
  static var path: String { folder + "/sessions.sqlite" }

  /// In $XDG_STATE_HOME or ~/.local/state.
  static var folder: String {
    // The XDG specification has relative paths ignored.
    let named = ModelLocation.environment("XDG_STATE_HOME").flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
    let state = named ?? (ModelLocation.environment("HOME") ?? "") + "/.local/state"
    return state + "/inkling"
  }

  /// What `doctor` says of it.
  static var finding: Finding {
    let path = JSONValue.string(path)
    switch StoreExamination.of(Self.path) {
    case .nothing:
      return Finding(
        "sessions", .good, "none are kept yet; they would be in \(Self.path)", [("path", path), ("sessions", 0)])
    case .usable(let sessions, let turns, let bytes):
      let size = bytes < 1 << 20 ? "\((bytes + 1023) >> 10) KiB" : "\(bytes >> 20) MiB"
      return Finding(
        "sessions", .good, "\(sessions) with \(turns) turns in \(Self.path) (\(size))",
        [("path", path), ("sessions", sessions.json), ("turns", turns.json), ("sizeBytes", bytes.json)])
    case .unusable(let why):
      return Finding(
        "sessions", .bad, "\(Self.path) cannot be used: \(why)", [("path", path)],
        remedy: "Make it readable and writable for you, or name another folder in XDG_STATE_HOME.")
    case .damaged(let why):
      return Finding(
        "sessions", .bad, "\(Self.path) is damaged: \(why)", [("path", path)],
        remedy: "“inkling serve” moves it aside and begins a new one; restore a copy if you have one.")
    }
  }
}
