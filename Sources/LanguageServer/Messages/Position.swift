import JSON

/// A place in a document (LSP 3.17, "Position"): a line and units in it, both from 0.
package struct Position: JSONMessage, Hashable, Comparable {
  package var line = 0
  package var character = 0
  package init() {}
  package init(line: Int, character: Int) {
    self.line = line
    self.character = character
  }
  package static let fields: [JSONField<Position>] = [
    .required("line", \.line, "From 0."), .required("character", \.character, "Units of the line before it."),
  ]

  package static func < (left: Position, right: Position) -> Bool {
    (left.line, left.character) < (right.line, right.character)
  }
}

/// A half-open range of a document (LSP 3.17, "Range").
package struct DocumentRange: JSONMessage, Equatable {
  package var start = Position()
  package var end = Position()
  package init() {}
  package init(start: Position, end: Position) {
    self.start = start
    self.end = end
  }
  package static let fields: [JSONField<DocumentRange>] = [
    .required("start", \.start, "The first place."), .required("end", \.end, "The place after the last."),
  ]
}
