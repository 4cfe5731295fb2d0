import AssistantProtocol

/// Reports on a request's work: begin, what is done at the moment, end. As LSP wants it, percentages are there from the
/// beginning and never fall: loading is the first half of the way, reading, at once or in parts, most of the second.
/// How long the writing takes is not known, so there they stand still.
struct ProgressReporter: Sendable {
  private enum Stage: Equatable {
    case begun, loading, parts, reading, writing

    /// Which percentages the stage runs through.
    func range(loadingOnly: Bool) -> ClosedRange<Int> {
      switch self {
      case .begun: 0...0
      case .loading: loadingOnly ? 0...100 : 0...50
      case .parts, .reading: 50...90
      case .writing: 90...90
      }
    }
  }

  private let title: String
  private let isLoadingOnly: Bool
  private let report: (@Sendable (WorkDoneProgress) -> Void)?
  private var stage = Stage.begun
  private var percentage = 0
  private var message = ""
  /// Where the parts that are read begin on the way.
  private var partsStart = 0

  /// - Parameter isLoadingOnly: the work is the loading of a model.
  init(title: String, isLoadingOnly: Bool = false, report: (@Sendable (WorkDoneProgress) -> Void)?) {
    self.title = title
    self.isLoadingOnly = isLoadingOnly
    self.report = report
  }

  func begin() { report?(.begin(WorkDoneBegin(title: title, percentage: 0))) }

  func end() { report?(.end(WorkDoneEnd())) }

  mutating func loading(_ fraction: Double) { step(.loading, "Loading the model", fraction) }

  mutating func reading(done: Int, total: Int) {
    step(.reading, "Reading the text", total > 0 ? Double(done) / Double(total) : 0)
  }

  mutating func writing() { step(.writing, "Writing", 0) }

  /// One of several parts of the text is being written. They take the last part of the way.
  mutating func writing(part: Int, of total: Int) {
    step(.writing, "Writing part \(part) of \(total)", reached: 50 + 49 * (part - 1) / max(1, total))
  }

  /// Parts are going to be read. What they come to may have to be read in parts as well: each time they take most of
  /// the way that is left.
  mutating func beginParts() { partsStart = max(percentage, Stage.parts.range(loadingOnly: false).lowerBound) }

  /// So many parts of a long text are done.
  mutating func parts(done: Int, of total: Int) {
    let end = Stage.parts.range(loadingOnly: false).upperBound
    let way = Double(max(0, end - partsStart)) * 0.9
    let reached = partsStart + Int(way * Double(done) / Double(max(total, 1)))
    step(.parts, "Reading part \(min(done + 1, total)) of \(total)", reached: reached)
  }

  private mutating func step(_ stage: Stage, _ message: String, _ fraction: Double) {
    let range = stage.range(loadingOnly: isLoadingOnly)
    step(stage, message, reached: range.lowerBound + Int(Double(range.count - 1) * max(0, min(1, fraction))))
  }

  private mutating func step(_ stage: Stage, _ message: String, reached: Int) {
    guard stage != self.stage || reached > percentage || message != self.message else { return }
    self.stage = stage
    self.message = message
    percentage = max(percentage, reached)
    report?(.report(WorkDoneReport(message: message, percentage: percentage)))
  }
}
