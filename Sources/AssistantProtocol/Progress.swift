import JSON
import JSONRPC

/// What a progress notification carries.
public enum ProgressValue: JSONConvertible, Equatable {
  /// For a `partialResultToken`.
  case partial(PartialResult)
  /// For a `workDoneToken`.
  case workDone(WorkDoneProgress)

  public init(json: JSONValue) throws(JSONMismatch) {
    switch json["kind"] {
    case .string("text")?, .string("structured")?, .string("tool")?: self = .partial(try PartialResult(json: json))
    case _: self = .workDone(try WorkDoneProgress(json: json))
    }
  }

  public var json: JSONValue {
    switch self {
    case .partial(let value): value.json
    case .workDone(let value): value.json
    }
  }

  public static var jsonTypeName: String { PartialResult.jsonTypeName + " \\| " + WorkDoneProgress.jsonTypeName }
}

/// A partial result or a progress report of a request that runs. None follows the request's response.
public enum Progress: NotificationMethod {
  public static let name = "$/progress"

  public struct Params: JSONMessage, Equatable {
    public var token = ProgressToken(RequestID(0))
    public var value = ProgressValue.workDone(.end(WorkDoneEnd()))
    public init() {}
    public init(token: ProgressToken, value: ProgressValue) {
      self.token = token
      self.value = value
    }
    public static let fields: [JSONField<Params>] = [
      .required("token", \.token, "The token of the request that this belongs to."),
      .required(
        "value", \.value,
        "For a `partialResultToken` one of the first four, for a `workDoneToken` one of the others."),
    ]
  }
}

extension Progress.Params {
  /// The same, read from a connection whose positions count so: what was read does not tell.
  public func counted(in encoding: PositionEncoding) -> Progress.Params {
    guard case .partial(.delta(let delta)) = value else { return self }
    let counted = TextDelta(offset: delta.offset, delta: delta.delta, encoding: encoding)
    return Progress.Params(token: token, value: .partial(.delta(counted)))
  }
}

extension Progress.Params: MergeableParams {
  /// Takes a later value for the same token in; false when the two cannot be one.
  public mutating func merge(_ later: Progress.Params) -> Bool {
    guard token == later.token else { return false }
    switch (value, later.value) {
    case (.partial(var partial), .partial(let laterPartial)):
      // Given up first, so that the text can grow in place.
      value = .workDone(.end(WorkDoneEnd()))
      let isMerged = partial.merge(laterPartial)
      value = .partial(partial)
      return isMerged
    case (.workDone(var work), .workDone(let laterWork)):
      let isMerged = work.merge(laterWork)
      value = .workDone(work)
      return isMerged
    case (.partial, .workDone), (.workDone, .partial): return false
    }
  }

  /// The text's size and a little for what is around it.
  public var approximateByteCount: Int {
    let frame = 100
    switch value {
    case .partial(.delta(let delta)): return frame + delta.delta.utf8.count
    case .partial(.snapshot(let snapshot)): return frame + snapshot.text.utf8.count
    case .partial(.structured(let snapshot)): return frame + snapshot.value.approximateByteCount
    case .partial(.tool(let progress)): return frame + progress.name.utf8.count
    case .workDone(.begin(let begin)): return frame + begin.title.utf8.count + (begin.message?.utf8.count ?? 0)
    case .workDone(.report(let report)): return frame + (report.message?.utf8.count ?? 0)
    case .workDone(.end(let end)): return frame + (end.message?.utf8.count ?? 0)
    }
  }
}
