/// The members of a JSON object in the order in which they were written.
public struct JSONObject: Sendable {
  public typealias Member = (name: String, value: JSONValue)

  public private(set) var members: [Member]

  public init() { members = [] }

  public init(_ members: [(String, JSONValue)]) {
    self.members = members.map { (name: $0.0, value: $0.1) }
  }

  /// For the parser, which has the members in this form already.
  init(members: [Member]) { self.members = members }

  /// The first member of that name, compared byte for byte. Setting replaces it or appends one; nil removes it.
  public subscript(name: String) -> JSONValue? {
    get { members.first { $0.name.hasSameBytes(as: name) }?.value }
    set {
      let index = members.firstIndex { $0.name.hasSameBytes(as: name) }
      switch (index, newValue) {
      case (let index?, let value?): members[index].value = value
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): members.append((name, value))
      case (nil, nil): break
      }
    }
  }

  /// Adds a member without looking for one of the same name.
  public mutating func append(_ name: String, _ value: JSONValue) {
    members.append((name, value))
  }

  public var isEmpty: Bool { members.isEmpty }
  public var count: Int { members.count }
}

extension JSONObject: Equatable {
  /// The same members in the same order.
  public static func == (left: JSONObject, right: JSONObject) -> Bool {
    left.members.elementsEqual(right.members) { $0.name.hasSameBytes(as: $1.name) && $0.value == $1.value }
  }
}

extension JSONObject {
  /// A name that occurs more than once, if there is one.
  public var duplicateName: String? {
    if members.count <= 8 {
      for (index, member) in members.enumerated().dropFirst()
      where members[..<index].contains(where: { $0.name.hasSameBytes(as: member.name) }) {
        return member.name
      }
      return nil
    }
    var seen = Set<[UInt8]>(minimumCapacity: members.count)
    return members.first { !seen.insert(Array($0.name.utf8)).inserted }?.name
  }
}
