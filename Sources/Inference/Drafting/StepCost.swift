/// What a step of some rows costs, learnt from the steps before.
///
/// A step of eight rows takes far less than eight steps of one, and that is all that drafts live on; how much less is a
/// matter of the machine, of the weights' format and of what else runs on it.
package struct StepCost: Sendable {
  /// Rows whose cost is kept; between them it is interpolated.
  private static let sizes = [1, 2, 4, 8, 16, 32]
  /// In steps of one row, before anything is known: SmolLM2-135M in Q8_0 on two cores of an x86-64.
  private static let usual = [1, 1.7, 2.4, 3.2, 4.6, 7.5]
  /// How much of a new measurement is believed.
  private static let weight = 0.25
  /// What was measured long ago comes back to the usual by this share with each step, so that one bad moment of the
  /// machine does not end all drafts.
  private static let forgetting = 1.0 / 128

  /// Seconds by `sizes`; nil where nothing was measured.
  private var measured: [Double?] = Array(repeating: nil, count: sizes.count)

  package init() {}

  /// Takes in how long a step of so many rows took. Larger ones say nothing about drafts.
  package mutating func record(rows: Int, time: Duration) {
    let seconds = time / .seconds(1)
    guard rows >= 1, rows <= Self.sizes[Self.sizes.count - 1], seconds > 0 else { return }
    let index = Self.nearest(rows)
    // As if it had had just as many rows as the place where it is kept.
    let value = seconds * Self.usual[index] / Self.interpolated(rows) { Self.usual[$0] }
    measured[index] = measured[index].map { $0 + (value - $0) * Self.weight } ?? value
    let scale = value / Self.usual[index]
    for other in measured.indices where other != index {
      measured[other] = measured[other].map { $0 + (Self.usual[other] * scale - $0) * Self.forgetting }
    }
  }

  /// In any unit, the same for all numbers of rows.
  package func callAsFunction(rows: Int) -> Double {
    Self.interpolated(max(1, rows)) { index in
      if let value = measured[index] { return value }
      // The nearest that was measured tells how fast the machine is.
      let known = measured.indices.filter { measured[$0] != nil }
        .min { abs($0 - index) < abs($1 - index) }
      guard let known, let value = measured[known] else { return Self.usual[index] }
      return value * Self.usual[index] / Self.usual[known]
    }
  }

  private static func nearest(_ rows: Int) -> Int {
    sizes.indices.min { abs(sizes[$0] - rows) < abs(sizes[$1] - rows) } ?? 0
  }

  private static func interpolated(_ rows: Int, value: (Int) -> Double) -> Double {
    // Beyond the last one the last slope goes on.
    let upper = sizes.firstIndex { $0 >= rows } ?? sizes.count - 1
    if sizes[upper] == rows { return value(upper) }
    let lower = upper - 1
    let share = Double(rows - sizes[lower]) / Double(sizes[upper] - sizes[lower])
    return value(lower) + (value(upper) - value(lower)) * share
  }
}
