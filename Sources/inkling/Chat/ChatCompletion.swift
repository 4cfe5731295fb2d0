import Synchronization
import TerminalUI

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What Tab offers in a chat.
final class ChatCompletion: Sendable {
  private let voices: [String]
  private let sessions = Mutex<[String]>([])

  init(voices: [String]) { self.voices = voices }

  func learn(_ sessions: [String]) { self.sessions.withLock { $0 = sessions } }

  /// - Parameter text: what stands before the cursor.
  /// - Returns: nil where there is nothing to complete.
  func complete(_ text: String) -> Completion? {
    guard text.utf8.first == UInt8(ascii: "/") else { return nil }
    guard let space = text.firstIndex(of: " ") else {
      return Self.among(ChatVerb.all.map { $0.placeholder.isEmpty ? $0.name : $0.name + " " }, text)
    }
    let argument = String(text[text.index(after: space)...])
    guard let verb = ChatVerb.all.first(where: { $0.name.hasSameBytes(as: String(text[..<space])) }) else { return nil }
    switch verb.argument {
    case .none, .text: return nil
    case .voice: return Self.among(voices, argument)
    case .session: return Self.among(sessions.withLock { $0 }, argument)
    case .file: return Self.files(argument)
    }
  }

  private static func among(_ words: [String], _ start: String) -> Completion {
    Completion(length: start.count, candidates: words.filter { $0.hasPrefix(start) })
  }

  /// The names in the folder that the path is in.
  private static func files(_ path: String) -> Completion {
    let name = path.split(separator: "/", omittingEmptySubsequences: false).last.map(String.init) ?? ""
    let folder = ChatLoop.expanded(String(path.dropLast(name.count)))
    var names: [String] = []
    if let directory = opendir(folder.isEmpty ? "." : folder) {
      defer { closedir(directory) }
      while let entry = readdir(directory) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        names.append(name)
      }
    }
    let fitting = names.filter { $0.hasPrefix(name) && (!$0.hasPrefix(".") || name.hasPrefix(".")) }.sorted()
    return Completion(
      length: name.count, candidates: fitting.map { isFolder(folder + $0) ? $0 + "/" : $0 })
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
