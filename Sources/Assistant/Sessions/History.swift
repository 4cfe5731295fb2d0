import AssistantProtocol
import EngineProtocol

extension Transcript {
  /// About the bytes it takes.
  var byteCount: Int {
    turns.reduce(summary?.words.utf8.count ?? 0) { sum, turn in
      turn.entries.reduce(sum) { $0 + $1.words.utf8.count + ($1.value?.approximateByteCount ?? 0) }
    }
  }

  /// What the model is shown of it from a turn on.
  func messages(from first: Int) -> [PromptMessage] {
    turns[first...].flatMap { turn in
      ToolPrompt.asked([PromptMessage(.user, turn.prompt.words)], ToolPrompt.results(turn.calls))
        + [PromptMessage(.assistant, turn.response.words)]
    }
  }
}

/// Which of a session's turns the model is shown: the last ones.
struct HistoryWindow: Sendable {
  /// The first turn that is shown; all after it are.
  private(set) var first: Int
  /// Bytes of each turn, which stand for its tokens until the engine has counted.
  private let sizes: [Int]

  init(_ transcript: Transcript, maxTurns: Int?) {
    sizes = transcript.turns.map { $0.entries.reduce(0) { $0 + $1.words.utf8.count } }
    first = max(0, transcript.turns.count - (maxTurns ?? transcript.turns.count))
  }

  /// Whether turns make way rather than what a tool has said: they can free so many tokens, and are more.
  func isWorthMore(than longestResult: Int, freeing excess: Int, _ policy: ContextPolicy) -> Bool {
    guard policy != .error, first < sizes.count else { return false }
    let bytes = sizes[first...].reduce(0, +)
    // A token has a byte at least, and the template has a few of its own for each message.
    return bytes + (sizes.count - first) * 32 >= excess && bytes >= longestResult
  }

  /// Leaves out the first turns: as many as have about so many tokens, at least one. The estimate is on the low side,
  /// since asking again costs next to nothing and a turn that is left out is lost to the model.
  /// - Parameters:
  ///   - promptTokens: of the prompt with all turns that are shown.
  ///   - excess: tokens that are too many.
  /// - Returns: false when there is none to leave out.
  mutating func shrink(promptTokens: Int, by excess: Int) -> Bool {
    guard first < sizes.count else { return false }
    let bytes = max(1, sizes[first...].reduce(0, +))
    // A prompt has more in it than the turns, so that an average turn has fewer tokens than this says.
    let tokensPerByte = Double(promptTokens) / Double(bytes)
    var gone = 0.0
    repeat {
      gone += Double(sizes[first]) * tokensPerByte
      first += 1
    } while first < sizes.count && gone + Double(sizes[first]) * tokensPerByte <= Double(excess)
    return true
  }

  /// Says that turns are not shown; nil when all are.
  var warning: Warning? {
    guard first > 0 else { return nil }
    let turns = first == 1 ? "The first turn was" : "The first \(first) turns were"
    return Warning(.historyShortened, "\(turns) not shown to the model.")
  }
}

extension Session {
  /// Does something with the turns that the model is shown. Those that do not fit are left out from the first on,
  /// unless the session's policy is that this is an error; the result then says so. What a tool said makes way too.
  func fitting<Output: GenerationResult>(
    _ transcript: Transcript, _ calls: ToolCalls,
    _ work: (_ history: [PromptMessage]) async throws(RequestFailure) -> Output
  ) async throws(RequestFailure) -> Output {
    var window = HistoryWindow(transcript, maxTurns: maxTurns)
    while true {
      do throws(RequestFailure) {
        var output = try await work(transcript.messages(from: window.first))
        if let warning = window.warning { output.common.warnings.append(warning) }
        return output
      } catch {
        guard case .engine(.contextWindowExceeded(let promptTokens, let contextSize, let reserved)) = error else {
          throw error
        }
        let excess = promptTokens + reserved - contextSize
        if window.isWorthMore(than: calls.longestResult, freeing: excess, contextPolicy) {
          _ = window.shrink(promptTokens: promptTokens, by: excess)
        } else if !calls.dropLongestResult() {
          throw error
        }
      }
    }
  }
}
