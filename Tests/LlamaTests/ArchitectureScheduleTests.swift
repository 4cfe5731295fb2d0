import Inference
import Llama
import TestSupport
import Testing

/// Requests beside each other and after each other on models of each kind of memory: each text is what it is alone.
@Suite(.serialized) struct ArchitectureScheduleTests {
  private typealias Bench = ArchitectureBench

  /// A prompt that begins like an earlier one takes over its instructions, which stand where a state was kept.
  @Test(arguments: TinyModel.allCases) func afterOneThatBeginsAlike(_ tiny: TinyModel) throws {
    let bench = try Bench(tiny)
    let run = try bench.check(bench.requests.map { [$0] })
    for request in bench.requests {
      let border = request.savedBorders[0]
      #expect(border > 50 && run.cached(request.id) >= (request.id % 10 == 0 ? 0 : border), "\(request.id)")
    }
    #expect(run.statistics.sequences >= 2 && run.statistics.occupiedCells <= 2048)
    try bench.check(bench.requests.map { [$0] }, keeps: false)
  }

  /// The next turn of a conversation begins with all of the one before, which is gone on with where it stands.
  @Test(arguments: TinyModel.allCases) func afterItsOwnBeginning(_ tiny: TinyModel) throws {
    let bench = try Bench(tiny)
    var turn = bench.requests[1]
    turn.isConversation = true
    let answer = try #require(try bench.alone([turn])[turn.id])
    var next = turn
    next.id = 99
    next.prompt += answer + bench.requests[5].prompt.dropFirst()
    // Where sequences are few, old ones go, and others get their cells.
    let run = try bench.check([[turn]] + bench.requests.map { [$0] } + [[next]], exactly: tiny == .llama)
    #expect(run.cached(99) >= turn.prompt.count + answer.count - 1)
  }

  @Test(arguments: TinyModel.allCases) func beside(_ tiny: TinyModel) throws {
    let bench = try Bench(tiny)
    try bench.check([bench.requests])
    try bench.check([bench.requests], keeps: false)
    let run = try bench.check([bench.requests, bench.requests.reversed()], exactly: false)
    #expect(run.summaries.count == bench.requests.count)
  }

  /// More requests than there are sequences wait for one.
  @Test(arguments: TinyModel.allCases) func moreThanSequences(_ tiny: TinyModel) throws {
    let bench = try Bench(tiny, context: 4096)
    let requests = (0..<4).flatMap { round in bench.requests.map { $0.with(id: $0.id + 100 * round) } }
    let run = try bench.check([requests], exactly: false)
    #expect(run.summaries.count == 24)
  }

  /// Requests that are cancelled while they read, and while they write.
  @Test(arguments: TinyModel.allCases) func besideOnesThatAreCancelled(_ tiny: TinyModel) throws {
    let bench = try Bench(tiny)
    let cancels = [1: 2, 3: 0, 8: 11]
    let run = try bench.check([bench.requests], cancels: cancels, exactly: false)
    #expect(run.summaries.keys.sorted() == [1, 10, 12])
    // What the cancelled ones have left is no hindrance to asking again.
    let again = try bench.check([bench.requests, bench.requests], cancels: cancels, exactly: false)
    #expect(again.summaries.count == bench.requests.count)
  }

  /// One that ends at a stop string before the others.
  @Test(arguments: TinyModel.allCases) func besideOneThatEndsEarly(_ tiny: TinyModel) throws {
    let bench = try Bench(tiny)
    let alone = try bench.alone()
    var requests = bench.requests
    let written = alone[requests[2].id]?.map(bench.bytes) ?? []
    let printed = written.first { bytes in bytes.allSatisfy { (0x21...0x7E).contains($0) } }
    requests[2].stop = [try #require(printed)]
    let run = try bench.check([requests])
    #expect(run.summaries[requests[2].id].map { $0.finishReason == .stop && $0.completionTokens < 24 } == true)
    try bench.check([requests, bench.requests.map { $0.with(id: $0.id + 100) }], exactly: false)
  }

  /// What was ended where it stood can be gone on with: the state is that of the last token that was read.
  @Test(arguments: TinyModel.allCases) func besideOneThatIsFinished(_ tiny: TinyModel) throws {
    let bench = try Bench(tiny)
    var turn = bench.requests[4]
    turn.isConversation = true
    let text = try #require(try bench.alone([turn])[turn.id])
    for step in [12, 16] {
      // How much it has written by then depends on nothing but the steps, so that this is known beforehand.
      let written = try bench.check([[turn, bench.requests[0]]], finishes: [step: turn.id]).summaries[turn.id]?.tokens
      let count = try #require(written?.count)
      #expect(count > 0 && count < text.count)
      var next = turn.with(id: 99)
      next.prompt += text.prefix(count) + bench.requests[0].prompt.dropFirst()
      let run = try bench.check([[turn, bench.requests[0]], [next]], finishes: [step: turn.id], exactly: false)
      #expect(run.summaries[turn.id]?.tokens.count == count)
      #expect(run.cached(99) >= turn.prompt.count + count - 1)
    }
  }

  /// Where cells run out, requests are sent back and begun again.
  @Test(arguments: TinyModel.allCases) func afterMakingWay(_ tiny: TinyModel) throws {
    let bench = try Bench(tiny, context: 512, output: 40)
    var requests = bench.requests
    for index in requests.indices.dropLast() { requests[index].isBackground = true }
    let urgent = requests.removeLast()
    let run = try bench.check([requests], late: (urgent, 12), exactly: false)
    #expect(run.preemptions > 0 && run.summaries.count == bench.requests.count)
  }

  /// Nothing is drafted where the memory cannot be cut, and nothing changes where it can.
  @Test(arguments: TinyModel.allCases) func withDrafts(_ tiny: TinyModel) throws {
    let bench = try Bench(tiny)
    var requests = bench.requests
    for index in requests.indices {
      // What it will write stands in its prompt, so that there is something to draft.
      let text = try #require(try bench.alone([requests[index]])[requests[index].id])
      requests[index].prompt += text + text + text.prefix(2)
      requests[index].draftSource = 0..<requests[index].prompt.count
    }
    try bench.check(requests.map { [$0] })
    try bench.check([requests], exactly: false)
  }

  /// The text of a request was read ahead.
  @Test(arguments: TinyModel.allCases) func afterAPrewarm(_ tiny: TinyModel) throws {
    let bench = try Bench(tiny)
    for request in bench.requests {
      let length = request.prompt.count - 9
      let prewarm = GenerationRequest(
        id: 500, prompt: Array(request.prompt.prefix(length)), savedBorders: request.savedBorders, prefillOnly: true)
      let run = try bench.check([[prewarm], [request]])
      #expect(run.summaries[500]?.contextUsed == length)
      #expect(run.cached(request.id) == length)
    }
    // One that has to make way leaves what it has read.
    let request = bench.requests[2]
    let prewarm = GenerationRequest(id: 500, prompt: request.prompt, prefillOnly: true)
    try bench.check([[prewarm, request], [bench.requests[4]]])
  }

  /// Large batches and no promise of being exact.
  @Test(arguments: TinyModel.allCases) func inTheFastMode(_ tiny: TinyModel) throws {
    let bench = try Bench(tiny, reproducible: false)
    try bench.check([bench.requests, bench.requests], exactly: false)
    try bench.check(bench.requests.map { [$0] }, exactly: false)
  }
}
