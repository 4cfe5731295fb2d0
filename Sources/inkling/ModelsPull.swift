import Assistant
import Models

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `inkling models pull`: a model from a server, by the program curl.
enum ModelsPull {
  static func run(_ settings: ModelsCommand.Settings) async -> Int32 {
    signal(SIGPIPE, SIG_IGN)
    let source: PullSource
    do throws(PullSource.Refusal) {
      let hub = ModelLocation.environment("HF_ENDPOINT") ?? "https://huggingface.co"
      source = try PullSource(settings.subject, hub: hub)
    } catch {
      return OneShot.fail("“\(settings.subject)” \(error.message)", Program.Status.usage)
    }
    let name = settings.fileName ?? source.fileName
    guard isFileName(name) else {
      return OneShot.fail(
        "the address does not end in the name of a .gguf file that can be seen as it is; --name FILE gives it one",
        Program.Status.usage)
    }
    let folder = ModelLocation.absolute(ModelLocation.folder)
    makeFolders(folder)
    let target = folder + "/" + name
    let interruption = Interruption()
    Signals.onFirst { interruption.receive($0) }
    let screen = Screen(streams: false)
    let work = Task { () async -> ModelPull.Failure? in
      do throws(ModelPull.Failure) {
        let pull = try ModelPull(
          source, to: target, path: ModelLocation.environment("PATH") ?? "", replaces: settings.force)
        try await pull.run(checksum: settings.checksum, digest: SHA256.ofFile) { show($0, of: name, on: screen) }
        return nil
      } catch {
        return error
      }
    }
    interruption.cancels { work.cancel() }
    let failure = await work.value
    screen.clearProgress()
    if let failure {
      if let signal = interruption.signal { return 128 + signal }
      return OneShot.fail(failure.message, Program.Status.failed)
    }
    if Terminal.errorIsTerminal {
      let word = name.dropLast(".gguf".count)
      Terminal.writeError(TerminalText.oneLine("inkling: “inkling models use \(word)” makes it the model") + "\n")
    }
    return Terminal.write(target + "\n")
  }

  /// Whether a model may be called that: nothing in it that nobody sees, or that shows another name than there is.
  static func isFileName(_ name: String) -> Bool {
    PullSource.isFileName(name) && !name.unicodeScalars.contains(where: SuspiciousCharacters.isSuspicious)
  }

  private static func show(_ progress: ModelPull.Progress, of name: String, on screen: Screen) {
    // A line that is wrapped cannot be replaced.
    let name = name.count > 36 ? name.prefix(35) + "…" : name
    switch progress {
    case .beginningAnew(let sentence):
      screen.clearProgress()
      Terminal.writeError("inkling: " + TerminalText.oneLine(sentence) + "\n")
    case .fetching(let bytes, let total, let rate):
      let size = ByteCount.text(bytes)
      let done =
        if let total, total > 0 {
          "\(min(100, Int(Double(bytes) / Double(total) * 100))) % (\(size) of \(ByteCount.text(total))"
        } else {
          size + " ("
        }
      let separator = total == nil ? "" : ", "
      screen.showLine(TerminalText.oneLine("\(name): \(done)\(separator)\(ByteCount.text(rate))/s)"))
    case .checking: screen.showLine(TerminalText.oneLine("\(name): the checksum is compared"))
    }
  }

  /// The folders of a path that are missing.
  private static func makeFolders(_ path: String) {
    for (index, byte) in path.utf8.enumerated() where byte == UInt8(ascii: "/") && index > 0 {
      mkdir(String(decoding: path.utf8.prefix(index), as: UTF8.self), 0o755)
    }
    mkdir(path, 0o755)
  }
}
