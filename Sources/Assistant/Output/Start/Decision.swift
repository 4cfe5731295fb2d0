/// What can be said of a text of which only the start is known.
package enum Decision<Value: Equatable & Sendable>: Equatable, Sendable {
  case no
  /// It depends on what follows.
  case maybe
  case yes(Value)
}
