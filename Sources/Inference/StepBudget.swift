/// How many rows a step may have so that it lasts no longer than a target, learnt from the steps before.
package struct StepBudget: Sendable {
  package private(set) var rows: Int
  private let target: Duration
  private let least: Int
  private let most: Int
  /// Steps of fewer rows say little about what a row costs.
  private static let leastTelling = 8

  package init(target: Duration, initial: Int, least: Int, most: Int) {
    self.target = target
    self.most = max(1, most)
    self.least = min(max(1, least), self.most)
    rows = min(max(initial, self.least), self.most)
  }

  /// Takes in how long a step of so many rows took. The budget at most halves or doubles, and grows only after steps
  /// that (nearly) used it: a small step's time cannot be scaled up.
  package mutating func record(rows done: Int, time: Duration) {
    guard done >= min(Self.leastTelling, rows) else { return }
    let ratio = time > .zero ? target / time : Double(most)
    let fitting = Int(min(Double(done) * ratio, Double(most)))
    if fitting < rows {
      rows = max(fitting, rows / 2, least)
    } else if done * 4 >= rows * 3 {
      rows = min(fitting, rows * 2, most)
    }
  }
}
