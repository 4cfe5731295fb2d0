import JSON

extension JSONNumber {
  /// A number with this text, which must be one.
  init(text: String) {
    guard case .number(let number)? = try? JSONParser.parse(text) else { preconditionFailure("\(text) is no number") }
    self = number
  }
}
