import AssistantProtocol
import JSONRPC

/// The documents that the client has open, each by its own address: there is no current one.
package struct Documents: Sendable {
  /// In which the client counts.
  package var encoding: PositionEncoding
  private var byAddress: [ExactString: Document] = [:]

  package init(encoding: PositionEncoding) { self.encoding = encoding }

  package var count: Int { byAddress.count }

  /// nil when it is not open.
  package subscript(uri: String) -> Document? {
    get { byAddress[ExactString(uri)] }
    _modify { yield &byAddress[ExactString(uri)] }
  }

  /// One that is open already is replaced; the ranges in it are void then.
  package mutating func open(uri: String, languageID: String, version: Int?, text: String) {
    self[uri] = Document(
      uri: uri, languageID: languageID, version: version, text: text, encoding: encoding,
      revision: self[uri].map { $0.revision + 1 } ?? 0)
  }

  package mutating func close(_ uri: String) { self[uri] = nil }
  package mutating func closeAll() { byAddress = [:] }
}
