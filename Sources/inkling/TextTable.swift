/// Rows of cells under each other, for people.
enum TextTable {
  /// - Parameter wordColumns: the columns whose cells begin at the same place; those of the others, which hold numbers,
  ///   end there.
  static func text(_ rows: [[String]], wordColumns: Set<Int>) -> String {
    let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      var line = ""
      for (column, cell) in row.enumerated() {
        let padding = String(repeating: " ", count: widths[column] - cell.count)
        line += wordColumns.contains(column) ? cell + padding + "  " : padding + cell + "  "
      }
      while line.last == " " { line.removeLast() }
      return line + "\n"
    }.joined()
  }
}
