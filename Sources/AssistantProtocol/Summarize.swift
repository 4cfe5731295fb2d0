import JSON
import JSONRPC

/// Says in short what a text says. The text may be of any length.
public enum Summarize: RequestMethod {
  public static let name = "assistant/summarize"

  /// The form of a summary.
  public enum Style: String, JSONStringEnum {
    case sentences, bullets, headline

    /// For menus and for protocol.md.
    public var choice: Choice {
      let (title, description) =
        switch self {
        case .sentences: ("Sentences", "A paragraph of `count` sentences on one line.")
        case .bullets: ("Bullets", "A list of `count` lines, each with `- ` before it.")
        case .headline: ("Headline", "One line without a full stop; `count` is 1.")
        }
      return Choice(id: rawValue, title: title, description: description)
    }
  }

  public struct Params: GenerationParams, Equatable {
    /// How many sentences or bullets can be asked for.
    public static let counts = 1...20

    public var text = ""
    public var style = Style.sentences
    /// nil: two sentences or bullets, one headline.
    public var count: Int?
    public var common = CommonParams()
    public init() {}
    public init(text: String, style: Style = .sentences, count: Int? = nil, common: CommonParams = CommonParams()) {
      self.text = text
      self.style = style
      self.count = count
      self.common = common
    }
    public static let fields: [JSONField<Params>] =
      [
        .required("text", \.text, "The text to summarize, of any length."),
        .defaulted("style", \.style, "The form of the summary."),
        .optional(
          "count", \.count, "How many sentences or bullets; 2 if absent. A headline is always 1.", in: counts),
      ] + .shared(\.common)
    public var texts: [String] { [text] }

    public func validate() throws(JSONMismatch) {
      try validateCommon()
      if style == .headline, let count, count != 1 {
        throw JSONMismatch(path: "count", "must be 1 when style is “headline”")
      }
    }

    /// `count`, or what it is when it is absent.
    public var units: Int {
      switch style {
      case .sentences, .bullets: count ?? 2
      case .headline: 1
      }
    }
  }

  public struct Result: GenerationResult, Equatable {
    public var text = ""
    public var reduction = Reduction()
    public var parts = 1
    public var coverage: [TextRange] = []
    public var common = CommonResult()
    public init() {}
    public static let fields: [JSONField<Result>] =
      [
        .required("text", \.text, "The summary, without white space at its ends."),
        .required("reduction", \.reduction, "How much shorter it is."),
        .required("parts", \.parts, "In how many parts the text was read; 1 when it was read at once."),
        .required("coverage", \.coverage, "The parts, in order; together they are the whole `text`."),
      ] + .shared(\.common)
  }
}

/// How much shorter a summary is than its source. Characters are Unicode scalars.
public struct Reduction: JSONMessage, Equatable {
  public var originalCharacters = 0
  public var summaryCharacters = 0
  /// Below 0 when the summary is the longer one.
  public var percent = 0
  public init() {}
  public init(from source: String, to summary: String) {
    originalCharacters = source.unicodeScalars.count
    summaryCharacters = summary.unicodeScalars.count
    guard originalCharacters > 0 else { return }
    let saved = Double(originalCharacters - summaryCharacters) / Double(originalCharacters)
    percent = Int((saved * 100).rounded())
  }
  public static let fields: [JSONField<Reduction>] = [
    .required("originalCharacters", \.originalCharacters, "Unicode scalars of the source."),
    .required("summaryCharacters", \.summaryCharacters, "Unicode scalars of the summary."),
    .required(
      "percent", \.percent, "Of the source's length, how much is saved; negative when the summary is longer."),
  ]
}
