import EngineProtocol
import Inference
import JSON
import JSONRPC

/// What holds an answer to its form: made of a request's schema or shape, in the request's task.
struct Structure {
  let constraint: Constraint
  /// Shows the value while it grows; nil for shapes of plain text.
  let partial: PartialValue?

  /// - Returns: nil for a request of free text.
  /// - Throws: `unsupportedSchema` with the place.
  init?(_ params: GenerateParams, vocabulary: TokenTrie) throws(RPCError) {
    switch (params.schema, params.shape) {
    case (nil, nil): return nil
    case (.some, .some): throw .invalidParams("schema and shape in one request")
    case (nil, let shape?):
      do throws(ConstraintError) {
        constraint = try Constraint(ShapeGrammar.make(shape), vocabulary: vocabulary)
      } catch {
        throw .invalidParams("the vocabulary cannot write the shape")
      }
      partial = nil
    case (let source?, nil):
      do throws(UnsupportedSchema) {
        let schema = try JSONSchema(source)
        constraint = try Self.constraint(schema, vocabulary)
        partial = PartialValue(schema)
      } catch {
        throw RPCError(error)
      }
    }
  }

  private static func constraint(
    _ schema: JSONSchema, _ vocabulary: TokenTrie
  ) throws(UnsupportedSchema) -> Constraint {
    let made = try SchemaGrammar(schema)
    do throws(ConstraintError) {
      return try Constraint(made.grammar, vocabulary: vocabulary)
    } catch {
      throw made.refusal(error)
    }
  }
}

/// The values of an answer on their way to the front end. A value is written whole each time, so that the larger it is,
/// the more must be new: all of them together cost a constant for each byte of the answer.
struct SnapshotStream {
  /// A sixteenth more than at the last snapshot.
  private static let growth = 16

  private var partial: PartialValue
  private var sentVersion = 0
  private var sentCount = 0

  /// - Parameter start: of the value, which is not sent on its own.
  init(_ partial: PartialValue, behind start: [UInt8] = []) {
    self.partial = partial
    if !start.isEmpty { self.partial.take(start) }
  }

  /// The value to send after these bytes, when there is something new to see.
  mutating func take(_ bytes: [UInt8]) -> JSONValue? {
    partial.take(bytes)
    guard partial.count >= sentCount + sentCount / Self.growth else { return nil }
    return next()
  }

  /// The whole value, unless it has been sent.
  mutating func finish() -> JSONValue? {
    partial.finish()
    return next()
  }

  private mutating func next() -> JSONValue? {
    guard partial.version != sentVersion, let value = partial.value else { return nil }
    sentVersion = partial.version
    sentCount = partial.count
    return value
  }
}
