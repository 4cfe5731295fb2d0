/// What may have been meant by a word that is not known.
package enum NearestWord {
  /// The known word that is nearest, when it is near.
  package static func find(_ word: String, among known: [String]) -> String? {
    // A person's word may be as long as a file; no known word is near it then.
    guard word.utf8.count <= 200 else { return nil }
    let nearest = known.min { distance($0, word) < distance($1, word) }
    return nearest.flatMap { distance($0, word) <= max(2, word.count / 3) ? $0 : nil }
  }

  /// How many letters must be added, taken away or exchanged to make one word of the other (Levenshtein).
  private static func distance(_ first: String, _ second: String) -> Int {
    let target = Array(second)
    var row = Array(0...target.count)
    for (index, letter) in first.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in target.indices {
        let substituted = diagonal + (letter == target[column] ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(substituted, min(row[column], row[column + 1]) + 1)
      }
    }
    return row[target.count]
  }
}
