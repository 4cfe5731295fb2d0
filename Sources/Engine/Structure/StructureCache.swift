import EngineProtocol
import Inference
import JSON
import JSONRPC
import Synchronization

/// The structures of the last requests. The same few come again and again, so their grammars are compiled once, and
/// what was learned of allowed tokens stays.
final class StructureCache: Sendable {
  private static let mostEntries = 16
  /// The schemas of clients are at most this long; a longer text is not kept.
  private static let longestKey = 64 << 10

  private struct Entry {
    let key: [UInt8]
    let structure: Structure
  }

  /// The one used last comes last.
  private let entries = Mutex<[Entry]>([])
  private let vocabulary: TokenTrie

  init(vocabulary: TokenTrie) { self.vocabulary = vocabulary }

  /// - Returns: nil for a request of free text.
  /// - Throws: as `Structure.init`.
  func structure(for params: GenerateParams) throws(RPCError) -> Structure? {
    let key = Self.key(params)
    let known = entries.withLock { entries -> Structure? in
      guard let index = entries.firstIndex(where: { $0.key == key }) else { return nil }
      entries.append(entries.remove(at: index))
      return entries.last?.structure
    }
    if let known { return known }
    guard let made = try Structure(params, vocabulary: vocabulary) else { return nil }
    guard key.count <= Self.longestKey else { return made }
    entries.withLock { entries in
      entries.removeAll { $0.key == key }
      entries.append(Entry(key: key, structure: made))
      if entries.count > Self.mostEntries { entries.removeFirst() }
    }
    return made
  }

  private static func key(_ params: GenerateParams) -> [UInt8] {
    JSONWriter.bytes(of: [params.schema ?? .null, params.shape?.json ?? .null])
  }
}
