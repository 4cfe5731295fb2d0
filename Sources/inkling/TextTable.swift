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

/// Sizes of files and of memory, for people.
enum ByteCount {
  /// In thousands, millions or thousands of millions: `98 MB`, `1.9 GB`.
  static func text(_ bytes: Int) -> String {
    switch bytes {
    case ..<1_000_000: return "\((bytes + 999) / 1000) kB"
    case ..<1_000_000_000: return "\((bytes + 500_000) / 1_000_000) MB"
    case _:
      let tenths = bytes / 100_000_000 + (bytes % 100_000_000 >= 50_000_000 ? 1 : 0)
      return "\(tenths / 10).\(tenths % 10) GB"
    }
  }
}
