import Inference
import Llama
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The state of a sequence in libllama, from one context to another.
@Suite(.serialized) struct SequenceStateTests {
  private static let text = "The quick brown fox jumps over the lazy dog, and then it sleeps under the old oak tree."

  /// Bit for bit the logits of a prompt that was read, also where the cells lie otherwise.
  @Test func whatIsRestoredIsWhatWasRead() throws {
    let first = try loadDefaultModel(reproducible: true)
    let prompt = try first.prompt(Self.text)
    let border = prompt.count - 9
    let fresh = try first.prefill(prompt, sequence: 3)
    #expect(first.apply(.copy(from: 3, to: 1, count: Int32(border))))
    let state = try #require(first.state(of: 1))
    let saved = SavedPrefix(tokens: Array(prompt[..<border]), state: state)

    let second = try loadDefaultModel(reproducible: true)
    // Holes of one cell: the state does not find a place in one piece.
    for sequence in [7, 8] as [SequenceID] { _ = try second.prefill(Array(prompt.prefix(1)), sequence: sequence) }
    for index in 0..<40 {
      let rows = ([7, 8] as [SequenceID]).map {
        BatchRow(token: prompt[0], position: Int32(index + 1), sequence: $0, wantsLogits: false)
      }
      try second.decode(rows)
    }
    #expect(second.apply(.remove(sequence: 7, from: 0)))
    #expect(second.apply(.restore(saved, to: 5)))
    #expect(try second.prefill(Array(prompt[border...]), sequence: 5, from: border) == fresh)
    // It is a sequence like any other.
    #expect(second.apply(.copy(from: 5, to: 6, count: Int32(border - 3))))
    #expect(try second.prefill(Array(prompt[(border - 3)...]), sequence: 6, from: border - 3) == fresh)
    #expect(second.state(of: 6).map { $0.count > state.count } == true)
    #expect(second.state(of: 30) == nil && second.state(of: 64) == nil)
  }

  /// Refused without an end of the process, and the sequence is empty then.
  @Test func aStateThatDoesNotFitIsRefused() throws {
    let model = try loadDefaultModel(context: 256)
    let prompt = try model.prompt(Self.text)
    _ = try model.prefill(prompt, sequence: 0)
    let state = try #require(model.state(of: 0))
    func changed(_ offset: Int, to byte: UInt8) -> [UInt8] {
      var state = state
      state[offset] = byte
      return state
    }
    let wrong: [SavedPrefix] = [
      SavedPrefix(tokens: prompt, state: []), SavedPrefix(tokens: prompt, state: Array(state.prefix(7))),
      SavedPrefix(tokens: prompt, state: Array(state.dropLast())),
      SavedPrefix(tokens: prompt, state: Array(state.prefix(state.count / 2))),
      SavedPrefix(tokens: prompt, state: changed(0, to: 0)), SavedPrefix(tokens: prompt, state: changed(12, to: 255)),
      SavedPrefix(tokens: prompt, state: Array(repeating: 0xFF, count: 1000)),
      SavedPrefix(tokens: Array(prompt.dropLast()), state: state), SavedPrefix(tokens: [], state: state),
    ]
    for (index, saved) in wrong.enumerated() {
      #expect(!model.apply(.restore(saved, to: 1)), "\(index)")
      #expect(model.state(of: 1) == nil, "\(index)")
    }
    #expect(!model.apply(.restore(SavedPrefix(tokens: prompt, state: state), to: 64)))
    // Nothing else has suffered, and the state is good.
    #expect(model.state(of: 0) == state)
    #expect(model.apply(.restore(SavedPrefix(tokens: prompt, state: state), to: 1)))
    // A full cache refuses it too.
    let words = try model.vocabulary.tokenise(userText: String(repeating: "The sea was calm. ", count: 100))
    _ = try model.prefill(Array(words.prefix(256 - 2 * prompt.count)), sequence: 2, chunk: 64)
    #expect(!model.apply(.restore(SavedPrefix(tokens: prompt, state: state), to: 3)))
    #expect(model.state(of: 0) == state)
  }

  /// The key tells apart what makes states different.
  @Test func theKeyFollowsTheFileAndTheOptions() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("copy.gguf")
    try writeFile(path, try readFile(try DefaultModel.path()))
    func key(_ options: LlamaModel.Options) throws -> String {
      try #require(try LlamaModel.load(path: path, options: options).facts.stateKey)
    }
    let usual = try key(.init(contextSize: 512, threads: 1))
    #expect(try key(.init(contextSize: 512, threads: 1)) == usual)
    #expect(try key(.init(contextSize: 1024, threads: 1)) != usual)
    #expect(try key(.init(contextSize: 512, threads: 1, reproducible: true)) != usual)
    let times = [timespec(tv_sec: 1_000_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000_000, tv_nsec: 0)]
    #expect(utimensat(AT_FDCWD, path, times, 0) == 0)
    #expect(try key(.init(contextSize: 512, threads: 1)) != usual)
  }
}
