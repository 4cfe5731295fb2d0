import Inference
import Llama
import TestSupport
import Testing

/// What can be done to the memory of each kind of model: cuts, copies, states on their way to another process, and
/// prompts that are much longer than a window.
@Suite(.serialized) struct ArchitectureMemoryTests {
  private typealias Bench = ArchitectureBench

  /// What cannot be done is refused, and a copy of all is as good as what was read.
  @Test(arguments: TinyModel.allCases) func cutsAndCopies(_ tiny: TinyModel) throws {
    let bench = try Bench(tiny)
    let model = bench.model
    let prompt = bench.requests[2].prompt
    let border = prompt.count - 9
    let rest = Array(prompt[border...])
    let fresh = try model.prefill(prompt, sequence: 0, chunk: 63)
    let isSliceable = tiny == .llama
    #expect(model.apply(.copy(from: 0, to: 1, count: Int32(border))) == isSliceable)
    if isSliceable { #expect(try model.prefill(rest, sequence: 1, from: border) == fresh) }
    // A cut where nothing stands is none.
    #expect(model.apply(.remove(sequence: 0, from: Int32(prompt.count))))
    #expect(model.apply(.remove(sequence: 1, from: 0)))

    _ = try model.prefill(Array(prompt[..<border]), sequence: 2, chunk: 63)
    #expect(model.apply(.copy(from: 2, to: 3, count: Int32(border))))
    #expect(try model.prefill(rest, sequence: 3, from: border) == fresh)
    // The copy has changed nothing in what it was made of, which may also go first.
    #expect(model.apply(.copy(from: 2, to: 4, count: Int32(border))))
    #expect(try model.prefill(rest, sequence: 2, from: border) == fresh)
    #expect(model.apply(.remove(sequence: 2, from: 0)))
    #expect(try model.prefill(rest, sequence: 4, from: border) == fresh)

    // A cut is refused, or leaves what can be gone on with.
    if model.apply(.remove(sequence: 4, from: Int32(border))) {
      #expect(tiny != .mamba && tiny != .lfm2)
      #expect(try model.prefill(rest, sequence: 4, from: border) == fresh)
    } else {
      #expect(!isSliceable)
    }
    bench.clear()
    #expect(bench.usedSequences == 0)
  }

  /// The instructions' state goes to another context, which need not read them.
  @Test(arguments: TinyModel.allCases) func savedInstructions(_ tiny: TinyModel) throws {
    let bench = try Bench(tiny)
    var requests = bench.requests
    for index in requests.indices { requests[index].savedLength = requests[index].savedBorders[0] }
    let expected = try bench.alone()
    let generator = bench.generator()
    for request in requests { generator.submit(request) }
    var summaries: [Int: GenerationSummary] = [:]
    try generator.finish(into: &summaries)
    var saved: [SavedPrefix] = []
    while let prefix = generator.takeSavedPrefix() { saved.append(prefix) }
    #expect(saved.count == 2 && !generator.step() && generator.isConsistent)

    let other = try Bench(tiny)
    for prefix in saved {
      for request in requests where request.prompt.starts(with: prefix.tokens) {
        var again = request
        again.savedPrefix = prefix
        let run = try other.check([[again]])
        #expect(run.cached(again.id) == request.savedBorders[0])
        #expect(run.summaries[again.id]?.tokens == expected[again.id])
        // Others on the same context, beside it.
        try other.check([[again] + requests.filter { $0.id != again.id }], exactly: false)
      }
    }
  }

  /// A state that is damaged is refused, nothing else suffers, and the prompt is read.
  @Test(arguments: TinyModel.allCases) func damagedStates(_ tiny: TinyModel) throws {
    let bench = try Bench(tiny)
    let request = bench.requests[0]
    let border = request.savedBorders[0]
    let tokens = Array(request.prompt.prefix(border))
    _ = try bench.model.prefill(tokens, chunk: 63)
    let state = try #require(bench.model.state(of: 0))
    let rest = Array(request.prompt[border...])
    let half = state.count / 2
    let damaged: [[UInt8]] = [
      [], Array(state.prefix(7)), Array(state.prefix(half)), Array(state.dropLast()), Array(state.prefix(half / 2)),
      Array(repeating: 0xFF, count: 1000), [UInt8](repeating: 0, count: state.count),
    ]
    for (index, bytes) in damaged.enumerated() {
      let saved = SavedPrefix(tokens: tokens, state: bytes)
      #expect(!bench.model.apply(.restore(saved, to: 1)), "\(index)")
      #expect(bench.model.state(of: 1) == nil && bench.model.state(of: 0) == state, "\(index)")
    }
    #expect(bench.model.apply(.restore(SavedPrefix(tokens: tokens, state: state), to: 1)))
    #expect(try bench.model.prefill(rest, sequence: 1, from: border) == bench.model.prefill(rest, from: border))
    #expect(!bench.model.apply(.restore(SavedPrefix(tokens: tokens.dropLast(), state: state), to: 2)))
    #expect(bench.model.state(of: 2) == nil)

    var again = request
    again.savedPrefix = SavedPrefix(tokens: tokens, state: Array(state.prefix(half)))
    let run = try bench.check([[again], [bench.requests[1]]])
    #expect(run.cached(bench.requests[1].id) == border)
  }

  /// Prompts of many windows, with borders inside, one after another and beside each other; the state at a border is
  /// there when a prompt begins with that much.
  @Test(arguments: TinyModel.allCases) func longPrompts(_ tiny: TinyModel) throws {
    let bench = try Bench(tiny, context: 4096)
    let filler = try bench.model.vocabulary.tokenise(
      userText: String(repeating: "The ferry left at nine. ", count: 40))
    let long = bench.requests.map { request in
      var request = request
      let border = request.savedBorders[0]
      request.id += 100
      request.prompt.insert(contentsOf: filler.prefix(600), at: border)
      request.savedBorders = [border, border + 300, border + 600]
      request.isConversation = true
      return request
    }
    // A memory that cannot be cut keeps whole copies, so that old ones have to go, and others get their cells.
    let run = try bench.check(long.map { [$0] }, exactly: tiny == .llama)
    for request in long where request.id % 10 != 0 { #expect(run.cached(request.id) >= request.savedBorders[2]) }
    try bench.check([Array(long.prefix(3))], exactly: false)
    try bench.check([long, bench.requests, long], exactly: false)
  }

  /// The cells of a sliding window are fewer than those of the context, and those that two sequences share are not
  /// given back one by one. Where they run out, what is idle goes.
  @Test func moreIsKeptThanTheWindowsHold() throws {
    let bench = try Bench(.gemma3, context: 8192)
    let filler = try bench.model.vocabulary.tokenise(
      userText: String(repeating: "A cold wind blew over the hills. ", count: 40))
    let requests = (0..<9).map { number in
      var request = bench.requests[number % 6]
      request.id = 100 + number
      request.prompt = Array(request.prompt.prefix(3 + number)) + filler.prefix(700) + request.prompt.dropFirst(3)
      request.savedBorders = [300, 690]
      request.isConversation = true
      return request
    }
    let run = try bench.check(requests.map { [$0] }, exactly: false)
    #expect(run.summaries.count == requests.count && run.statistics.occupiedCells > 3000)
    let together = try bench.check([requests, requests], exactly: false)
    #expect(together.summaries.count == requests.count)
  }
}
