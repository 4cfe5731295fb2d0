import JSON

/// Items that a person would not call the same: they differ in more than case, spaces and the full stop at the end.
struct DistinctItems {
  private(set) var items: [JSONValue] = []
  private var keys: Set<String>

  /// - Parameter taken: items that are never taken in.
  init(not taken: [JSONValue] = []) { keys = Set(taken.flatMap(\.strings).map(\.repetitionKey)) }

  /// Takes an item in when there is none like it yet and it says something.
  mutating func add(_ item: JSONValue) {
    guard case .string(let text) = item else { return }
    let key = text.repetitionKey
    guard !key.isEmpty, keys.insert(key).inserted else { return }
    items.append(item)
  }

  mutating func add(_ more: [JSONValue]) {
    for item in more { add(item) }
  }
}

extension DistinctList {
  /// The items of the list in a value.
  package func items(in value: JSONValue) -> [JSONValue] {
    if case .array(let items)? = value[name] { items } else { [] }
  }

  /// The value with other items in the list.
  func replaceItems(of value: JSONValue, with items: [JSONValue]) -> JSONValue {
    guard case .object(var object) = value else { return value }
    object[name] = .array(items)
    return .object(object)
  }

  /// A value that is still being made, without items that repeat earlier ones. The last may be unfinished and stays.
  /// - Parameter kept: what is there already from earlier answers.
  func withoutRepetitions(in value: JSONValue, kept: [JSONValue] = []) -> [JSONValue] {
    let items = items(in: value)
    var distinct = DistinctItems()
    distinct.add(kept)
    distinct.add(items.dropLast())
    return distinct.items + items.suffix(1)
  }
}
