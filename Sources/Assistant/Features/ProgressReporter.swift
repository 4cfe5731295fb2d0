import AssistantProtocol

/// Reports on a request's work: begin, what is done at the moment, end. One line changes only when its percentage does.
struct ProgressReporter: Sendable {
  private enum Stage: Equatable { case begun, loading, reading, writing }

  private let title: String
  private let report: (@Sendable (WorkDoneProgress) -> Void)?
  private var stage = Stage.begun
  private var percentage = -1

  init(title: String, report: (@Sendable (WorkDoneProgress) -> Void)?) {
    self.title = title
    self.report = report
  }

  func begin() { report?(.begin(WorkDoneBegin(title: title))) }

  func end() { report?(.end(WorkDoneEnd())) }

  mutating func loading(_ fraction: Double) { step(.loading, "Loading the model", fraction) }

  mutating func reading(done: Int, total: Int) {
    step(.reading, "Reading the text", total > 0 ? Double(done) / Double(total) : 0)
  }

  mutating func writing() {
    guard stage != .writing else { return }
    stage = .writing
    report?(.report(WorkDoneReport(message: "Writing")))
  }

  private mutating func step(_ stage: Stage, _ message: String, _ fraction: Double) {
    let percentage = max(0, min(100, Int(fraction * 100)))
    guard stage != self.stage || percentage != self.percentage else { return }
    self.stage = stage
    self.percentage = percentage
    report?(.report(WorkDoneReport(message: message, percentage: percentage)))
  }
}
