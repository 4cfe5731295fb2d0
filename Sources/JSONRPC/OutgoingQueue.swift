import JSON

/// Parameters of a notification of which two that wait in the queue can become one, for readers that are slow.
public protocol MergeableParams: JSONConvertible {
  /// Takes a later value in; false when the two cannot be one.
  mutating func merge(_ later: Self) -> Bool
  /// About how many bytes the value takes on the wire. The default writes it to find out.
  var approximateByteCount: Int { get }
}

extension MergeableParams {
  public var approximateByteCount: Int { JSONWriter.bytes(of: json).count }
}

/// What waits to be sent, in order, and which requests are unanswered. Both are kept in one place so that there is no
/// second reply, and no partial result after the reply.
struct OutgoingQueue {
  /// Whose message it is: a request's serial number, or `connection`.
  typealias Owner = UInt64
  static let connection: Owner = 0

  struct Item {
    enum Content {
      case message([UInt8])
      case mergeable(method: String, any MergeableParams, target: MergeTarget)
      /// The place of an item that is being changed or has gone.
      case nothing
    }
    var content: Content
    /// What the item counts for in `byteCount`.
    var size: Int

    /// The JSON text.
    var body: [UInt8] {
      switch content {
      case .message(let body): body
      case .mergeable(let method, let params, _): Outgoing.notification(method: method, params: params.json)
      case .nothing: []
      }
    }
  }

  struct MergeTarget: Hashable {
    let owner: Owner
    let key: ExactString
  }

  /// Bytes that wait or are being written.
  private(set) var byteCount = 0
  private var items: [Item] = []
  /// Items before this one have been taken; `firstNumber` counts them over the connection's life.
  private var head = 0
  private var firstNumber = 0
  private var openRequests: Set<Owner> = []
  /// The numbers of queued items that a later one may still be merged into.
  private var targets: [Owner: [ExactString: Int]] = [:]

  var isEmpty: Bool { head == items.count }

  /// From now on messages and one reply may be sent for the request.
  mutating func open(_ request: Owner) {
    openRequests.insert(request)
  }

  /// Ends a request. Returns false when it has ended before.
  mutating func close(_ request: Owner) -> Bool {
    targets[request] = nil
    return openRequests.remove(request) != nil
  }

  /// Adds a message, unless it belongs to a request that has been answered. What is sent after it is not merged into
  /// what was sent before it.
  mutating func add(_ body: [UInt8], from owner: Owner) {
    guard accepts(owner) else { return }
    targets[owner] = nil
    append(Item(content: .message(body), size: body.count))
  }

  /// Merges a notification into one that waits, or adds it.
  mutating func addMerging<Params: MergeableParams>(_ params: Params, method: String, key: String, from owner: Owner) {
    guard accepts(owner) else { return }
    let target = MergeTarget(owner: owner, key: ExactString(key))
    if let number = targets[owner]?[target.key], merge(params, method, into: number - firstNumber + head) { return }
    targets[owner, default: [:]][target.key] = firstNumber + items.count - head
    append(
      Item(content: .mergeable(method: method, params, target: target), size: params.approximateByteCount))
  }

  /// The first item, which goes on counting until `finished` is told of it.
  mutating func take() -> Item? {
    guard head < items.count else { return nil }
    var item = Item(content: .nothing, size: 0)
    swap(&item, &items[head])
    if case .mergeable(_, _, let target) = item.content, targets[target.owner]?[target.key] == firstNumber {
      targets[target.owner]?[target.key] = nil
      if targets[target.owner]?.isEmpty == true { targets[target.owner] = nil }
    }
    head += 1
    firstNumber += 1
    if head == items.count || head >= 1_024 {
      items.removeFirst(head)
      head = 0
    }
    return item
  }

  /// An item that was taken has been written, or never will be.
  mutating func finished(_ item: Item) {
    byteCount -= item.size
  }

  /// Drops what waits.
  mutating func removeAll() {
    while let item = take() { finished(item) }
  }

  private func accepts(_ owner: Owner) -> Bool { owner == Self.connection || openRequests.contains(owner) }

  private mutating func append(_ item: Item) {
    items.append(item)
    byteCount += item.size
  }

  private mutating func merge<Params: MergeableParams>(_ later: Params, _ method: String, into index: Int) -> Bool {
    // The item is taken out meanwhile, so that what grows in it has one owner and is not copied each time.
    var item = Item(content: .nothing, size: 0)
    swap(&item, &items[index])
    defer { swap(&item, &items[index]) }
    guard case .mergeable(let waiting, let params, let target) = item.content, waiting.hasSameBytes(as: method),
      var merged = params as? Params
    else { return false }
    item.content = .nothing
    let isMerged = merged.merge(later)
    let size = isMerged ? merged.approximateByteCount : item.size
    byteCount += size - item.size
    item = Item(content: .mergeable(method: method, merged, target: target), size: size)
    return isMerged
  }
}
