import Testing

/// The one door of golden tests: the file (named from the root of the repository) holds exactly this text. With
/// `INKLING_UPDATE_GOLDEN=1` the file is written instead.
public func checkGolden(_ actual: String, _ file: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
  let path = Repository.path(file)
  let golden = try? readText(path)
  if let golden, golden.utf8.elementsEqual(actual.utf8) { return }
  if Environment.updatesGoldens {
    try writeFile(path, Array(actual.utf8))
    return
  }
  let difference = golden.map { firstDifference(golden: $0, actual: actual) } ?? "it does not exist"
  Issue.record("\(file) is out of date; `make golden` rewrites it: \(difference)", sourceLocation: sourceLocation)
}

/// Where two texts part, by line, for a failure that a person reads.
public func firstDifference(golden: String, actual: String) -> String {
  let old = golden.split(separator: "\n", omittingEmptySubsequences: false)
  let new = actual.split(separator: "\n", omittingEmptySubsequences: false)
  for (index, pair) in zip(old, new).enumerated() where !pair.0.utf8.elementsEqual(pair.1.utf8) {
    return "line \(index + 1) is\n  \(pair.0)\nand should be\n  \(pair.1)"
  }
  return "it has \(old.count) lines and should have \(new.count)"
}
