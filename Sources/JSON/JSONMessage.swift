/// A JSON object with named fields. One list of fields reads it, writes it and makes its table in protocol.md, so
/// the three cannot drift apart.
///
///     struct Point: JSONMessage {
///       var x = 0
///       var label: String?
///       static let fields: [JSONField<Point>] = [
///         .required("x", \.x, "Pixels from the left edge.", in: 0...4096),
///         .optional("label", \.label, "Shown beside the point."),
///       ]
///     }
///
/// Unknown names are ignored, as LSP does, so that a newer client can talk to an older daemon. An empty array is taken
/// for an empty object: Lua, and so Neovim, cannot tell the two apart.
public protocol JSONMessage: JSONConvertible {
  /// A value with every field at its default; reading fills the fields in.
  init()
  static var fields: [JSONField<Self>] { get }
  /// What no single field can check, asked after reading. By default nothing.
  func validate() throws(JSONMismatch)
}

extension JSONMessage {
  public init(json: JSONValue) throws(JSONMismatch) {
    let object: JSONObject
    switch json {
    case .object(let members): object = members
    case .array(let values) where values.isEmpty: object = JSONObject()
    case .array, .null, .bool, .number, .string: throw JSONMismatch("must be an object, not \(json.typeName)")
    }
    if let name = object.duplicateName { throw JSONMismatch(path: name, "is there twice") }
    self.init()
    for field in Self.fields {
      do throws(JSONMismatch) {
        try field.read(object[field.name], &self)
      } catch {
        throw error.inside(field.name)
      }
    }
    try validate()
  }

  public func validate() throws(JSONMismatch) {}

  public var json: JSONValue {
    var object = JSONObject()
    for field in Self.fields {
      if let value = field.write(self) { object.append(field.name, value) }
    }
    return .object(object)
  }

  public static var jsonTypeName: String { "\(Self.self)" }
}
