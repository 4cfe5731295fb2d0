import Assistant
import AssistantProtocol
import EngineProtocol
import JSON

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What `doctor` does with a model: looks at the file, loads it, and measures.
enum ModelExamination {
  /// Decoding more slowly than this, words come slower than they are read.
  private static let comfortableSpeed = 12.0

  static func file(_ path: String) -> Finding {
    let size: Int
    do throws(Unavailability) {
      size = try ModelFile.check(path)
    } catch {
      return Finding("model", error)
    }
    var details: [(String, JSONValue)] = [("path", .string(path)), ("sizeBytes", size.json)]
    guard path.utf8.reversed().starts(with: ModelLocation.defaultName.utf8.reversed()) else {
      return Finding("model", .good, "\(path) (\(ByteCount.text(size)), GGUF)", details)
    }
    let checksum = SHA256.ofFile(path)
    details.append(("sha256", checksum.map(JSONValue.string) ?? .null))
    guard let checksum, checksum.hasSameBytes(as: ModelLocation.defaultChecksum) else {
      return Finding(
        "model", .bad, "\(path) is not the file it should be: its checksum is wrong.", details,
        remedy: "Remove it and fetch it again with “make model”.")
    }
    return Finding("model", .good, "\(path) (\(ByteCount.text(size)), checksum right)", details)
  }

  /// Starts an engine, lets it read and write a little, and looks at its memory.
  /// Gives also what the engine says of the model; nil when it could not load it.
  static func engine(_ setup: EngineSetup) async -> (findings: [Finding], facts: ModelFacts?) {
    let supervisor = setup.makeSupervisor(log: .none)
    let clock = ContinuousClock()
    let start = clock.now
    let counted = await lastEvent(of: supervisor.count("a"))
    let loadTime = start.duration(to: clock.now)
    var findings: [Finding] = []
    var facts: ModelFacts?
    if case .failed(let failure) = counted {
      findings.append(Finding("engine", problem(failure)))
    } else {
      let report = await supervisor.status()
      facts = report.model
      findings.append(started(report, after: loadTime))
      findings.append(await speed(of: supervisor))
      findings.append(memory(of: await supervisor.status().processID))
    }
    await supervisor.shutDown()
    return (findings, facts)
  }

  private static func started(_ report: EngineReport, after time: Duration) -> Finding {
    guard let model = report.model else {
      return Finding(
        "engine", .bad, "The engine ended right after it had started.", [], remedy: "Run “inkling doctor” again.")
    }
    let seconds = Double(Int(milliseconds(time) / 10)) / 100
    let details: [(String, JSONValue)] = [
      ("loadSeconds", seconds.json), ("name", .string(model.name)), ("architecture", .string(model.architecture)),
      ("quantization", .string(model.quantization)), ("contextSize", model.contextSize.json),
      ("chatTemplate", .string(model.chatTemplate)), ("threads", model.threads.json),
      ("libllama", .string(model.libllama)), ("devices", model.devices.json),
    ]
    let summary =
      "\(model.name), \(model.quantization), context \(model.contextSize), started and loaded in \(seconds) s"
    if let warning = model.chatTemplateWarning {
      return Finding("engine", .note, "\(summary); \(warning)", details)
    }
    return Finding("engine", .good, summary, details)
  }

  private static func speed(of supervisor: EngineSupervisor) async -> Finding {
    var params = GenerateParams()
    let sentence = "The quick brown fox jumps over the lazy dog while seven wizards watch from the old bridge. "
    params.messages = [PromptMessage(.user, "Go on with this story. " + String(repeating: sentence, count: 12))]
    params.maxTokens = 48
    guard case .finished(let result)? = await lastEvent(of: supervisor.generate(params)) else {
      return Finding(
        "speed", .bad, "The engine could not write a short text.", [],
        remedy: "Try another model file; with “inkling serve --log-level debug” the log says more.")
    }
    let read = Double(result.promptTokens - result.cachedTokens) / max(result.timeToFirstTokenMs / 1000, 0.001)
    let writing = max(result.durationMs - result.timeToFirstTokenMs, 1) / 1000
    let written = Double(max(result.completionTokens - 1, 0)) / writing
    let details: [(String, JSONValue)] = [
      ("prefillTokensPerSecond", read.rounded().json), ("decodeTokensPerSecond", written.rounded().json),
      ("completionTokens", result.completionTokens.json),
    ]
    let figures = "reads \(Int(read.rounded())), writes \(Int(written.rounded())) tokens a second"
    guard result.completionTokens >= 8 else {
      return Finding("speed", .note, "\(figures) (the model wrote too little to measure it well)", details)
    }
    if written >= comfortableSpeed { return Finding("speed", .good, "\(figures): fast enough", details) }
    return Finding(
      "speed", .note, "\(figures): slow", details,
      remedy: "Use a smaller model, or close what else keeps the processor busy.")
  }

  private static func memory(of engine: Int?) -> Finding {
    let own = residentBytes(of: Int(getpid()))
    let child = engine.flatMap(residentBytes(of:))
    guard let own, let child else {
      return Finding("memory", .note, "cannot be measured on this system", [])
    }
    return Finding(
      "memory", .good, "front end \(ByteCount.text(own)), engine \(ByteCount.text(child))",
      [("frontEndBytes", own.json), ("engineBytes", child.json)])
  }

  private static func lastEvent(of job: EngineJob) async -> EngineJobEvent? {
    var last: EngineJobEvent?
    for await event in job.events { last = event }
    return last
  }

  private static func problem(_ failure: EngineFailure) -> Unavailability {
    if case .unavailable(let problem) = failure { return problem }
    return Unavailability(
      .engineFailed, message: RequestFailure.engine(failure).wireError.message,
      remedy: "Run “inkling doctor” again, or try another model file.")
  }

  /// What of the process's memory is in RAM.
  private static func residentBytes(of processID: Int) -> Int? {
    guard let file = fopen("/proc/\(processID)/statm", "r") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    guard fgets(&line, Int32(line.count), file) != nil else { return nil }
    let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let fields = text.split(separator: " ")
    guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
  }

  private static func milliseconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) * 1000 + Double(duration.components.attoseconds) / 1e15
  }
}
