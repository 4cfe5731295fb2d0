import JSON

/// Work has begun. (LSP 3.17, work done progress.)
public struct WorkDoneBegin: JSONMessage, Equatable {
  public var title = ""
  public var cancellable: Bool?
  public var message: String?
  public var percentage: Int?
  public init() {}
  public init(title: String, cancellable: Bool? = nil, message: String? = nil, percentage: Int? = nil) {
    self.title = title
    self.cancellable = cancellable
    self.message = message
    self.percentage = percentage
  }
  public static let fields: [JSONField<WorkDoneBegin>] = [
    .constant("kind", "begin", "The first report."), .required("title", \.title, "What is done: `Rephrase`."),
    .optional("cancellable", \.cancellable, "Whether `window/workDoneProgress/cancel` ends it."),
    .optional("message", \.message, "What is done at the moment."),
    .optional("percentage", \.percentage, "How much of it is done, when that is known.", in: 0...100),
  ]
}

/// Work goes on. What is absent is as it was.
public struct WorkDoneReport: JSONMessage, Equatable {
  public var message: String?
  public var percentage: Int?
  public init() {}
  public init(message: String? = nil, percentage: Int? = nil) {
    self.message = message
    self.percentage = percentage
  }
  public static let fields: [JSONField<WorkDoneReport>] = [
    .constant("kind", "report", "A report between."), .optional("message", \.message, "What is done at the moment."),
    .optional("percentage", \.percentage, "How much of it is done, when that is known.", in: 0...100),
  ]
}

/// Work is over; the response follows.
public struct WorkDoneEnd: JSONMessage, Equatable {
  public var message: String?
  public init() {}
  public init(message: String?) { self.message = message }
  public static let fields: [JSONField<WorkDoneEnd>] = [
    .constant("kind", "end", "The last report."), .optional("message", \.message, "How it ended."),
  ]
}

/// A report on work that takes a while: loading the model, reading a long text.
public enum WorkDoneProgress: JSONConvertible, Equatable {
  case begin(WorkDoneBegin)
  case report(WorkDoneReport)
  case end(WorkDoneEnd)

  public init(json: JSONValue) throws(JSONMismatch) {
    switch json["kind"] {
    case .string("begin")?: self = .begin(try WorkDoneBegin(json: json))
    case .string("report")?: self = .report(try WorkDoneReport(json: json))
    case .string("end")?: self = .end(try WorkDoneEnd(json: json))
    case _: throw JSONMismatch(path: "kind", "must be one of “begin”, “report”, “end”")
    }
  }

  public var json: JSONValue {
    switch self {
    case .begin(let begin): begin.json
    case .report(let report): report.json
    case .end(let end): end.json
    }
  }

  public static var jsonTypeName: String { "WorkDoneBegin \\| WorkDoneReport \\| WorkDoneEnd" }

  /// Takes a later report into this one; false when either is no report.
  public mutating func merge(_ later: WorkDoneProgress) -> Bool {
    switch (self, later) {
    case (.report(let earlier), .report(let report)):
      self = .report(
        WorkDoneReport(message: report.message ?? earlier.message, percentage: report.percentage ?? earlier.percentage))
      return true
    case (.begin, _), (.report, _), (.end, _): return false
    }
  }
}
