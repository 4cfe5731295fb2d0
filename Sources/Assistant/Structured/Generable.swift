import JSON

/// A type that a model can fill in, in the spirit of FoundationModels' `@Generable`. One list of properties gives its
/// JSON Schema, reads it from JSON, tells the model about it, and shows it to a person, so the four cannot drift apart.
///
///     struct Pet: Generable {
///       var name = ""
///       var age = 0
///       static let properties: [GuidedProperty<Pet>] = [
///         .property("name", \.name, "Name", "a short name", .length(1...20)),
///         .property("age", \.age, "Age", "in years", .range(0...30)),
///       ]
///     }
package protocol Generable: GuidedValue {
  /// A value to be filled in; nothing of it is left after reading.
  init()
  static var properties: [GuidedProperty<Self>] { get }
}

/// How a property looks in a rendering.
package enum PropertyStyle: Sendable {
  /// Behind its label on one line; the items of a list with commas between them.
  case line
  /// Under its label, one item a line.
  case bullets, numbers
  /// Like `line`, without a label.
  case bare
}

/// One property of a `Generable` type.
package struct GuidedProperty<Root>: Sendable {
  package let name: String
  /// For people: `Suggested title`.
  package let label: String
  /// For the model, as short as can be: `a short title`.
  package let description: String
  let style: PropertyStyle
  let schema: @Sendable (_ count: Int) -> JSONObject
  let read: @Sendable (JSONValue?, inout Root) throws(JSONMismatch) -> Void
  let write: @Sendable (Root) -> JSONValue
}

extension GuidedProperty where Root: Generable {
  package static func property<Value: GuidedValue>(
    _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable, _ label: String, _ description: String,
    style: PropertyStyle = .line, _ guides: Guide<Value>...
  ) -> GuidedProperty {
    GuidedProperty(
      name: name, label: label, description: description, style: style,
      schema: { count in
        var schema = Value.schema(count: count)
        for guide in guides { guide.constrain(&schema, count) }
        schema["description"] = .string(description)
        return schema
      },
      read: { (json, root) throws(JSONMismatch) in
        guard let json else { throw JSONMismatch("is missing") }
        root[keyPath: path] = try Value(json: json)
      },
      write: { $0[keyPath: path].json })
  }
}

extension Generable {
  package init(json: JSONValue) throws(JSONMismatch) {
    guard case .object(let object) = json else { throw JSONMismatch("must be an object, not \(json.typeName)") }
    self.init()
    for property in Self.properties {
      do throws(JSONMismatch) {
        try property.read(object[property.name], &self)
      } catch {
        throw error.inside(property.name)
      }
    }
  }

  package var json: JSONValue { .object(JSONObject(Self.properties.map { ($0.name, $0.write(self)) })) }

  package static var jsonTypeName: String { "\(Self.self)" }

  /// All properties in their order, all of them there, and no others.
  package static func schema(count: Int) -> JSONObject {
    let properties = JSONObject(Self.properties.map { ($0.name, .object($0.schema(count))) })
    return JSONObject([
      ("type", "object"), ("properties", .object(properties)), ("required", Self.properties.map(\.name).json),
      ("additionalProperties", false),
    ])
  }

  /// What a person sees of the value.
  package var outline: Outline {
    .fields(
      Self.properties.map { property in
        Outline.Field(label: property.label, style: property.style, content: Outline(property.write(self)))
      })
  }
}
