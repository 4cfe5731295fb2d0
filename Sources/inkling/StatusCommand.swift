import Assistant
import AssistantProtocol
import Client
import JSON
import JSONRPC

/// `inkling status`: what the shared daemon does, if there is one.
enum StatusCommand {
  struct Settings: Sendable {
    var json = false
    var watches = false
  }

  /// Exit status when there is no daemon.
  private static let notRunning: Int32 = 3

  static let command = Command<Settings>(
    name: "status", summary: "Shows the shared daemon: clients, sessions, model, memory, rates.",
    details: ["It starts no daemon and loads no model."],
    options: [
      .flag("--json", "Writes everything as JSON, in one line.", \.json),
      .flag("--watch", "Shows it again each second until Ctrl-C.", \.watches),
    ],
    exitStatuses: [
      (0, "The daemon runs."), (1, "It cannot be asked; standard error says why."), (2, "The command line is wrong."),
      (3, "No daemon runs."),
    ],
    defaults: { Settings() }, run: { await show($0) })

  private static func show(_ settings: Settings) async -> Int32 {
    let service: LinkService
    let link: DaemonLink
    let place: DaemonPlace
    do throws(DaemonError) {
      place = SharedDaemon.place(in: try SharedDaemon.folder())
    } catch {
      return OneShot.fail("\(error.message) \(error.remedy)", Program.Status.failed)
    }
    link = DaemonLink(connector: RunningDaemon(place))
    defer { link.close() }
    service = LinkService(link, name: "status")
    var params = Initialize.Params()
    params.clientInfo = ClientInfo(name: "inkling status", version: Program.version)
    link.introduce(params, isInitialized: true)
    while true {
      var status: DaemonStatus.Result?
      if place.processID != nil {
        do throws(RPCError) {
          status = try await service.call(DaemonStatus.self, Empty())
        } catch {
          return OneShot.fail(error.message, Program.Status.failed)
        }
      }
      let text = settings.json ? json(status) : StatusText.text(of: status)
      let clears = settings.watches && !settings.json && Terminal.outputIsTerminal && !Terminal.isDumb
      if Terminal.write((clears ? "\u{1B}[H\u{1B}[2J" : "") + text) != 0 { return Program.Status.failed }
      guard settings.watches else { return status == nil ? notRunning : 0 }
      do { try await Task.sleep(for: .seconds(1)) } catch { return 0 }
    }
  }

  private static func json(_ status: DaemonStatus.Result?) -> String {
    var object = JSONObject([("running", .bool(status != nil))])
    if case .object(let members)? = status?.json {
      for member in members.members { object[member.name] = member.value }
    }
    return JSONWriter.text(of: .object(object)) + "\n"
  }
}

/// What `status` writes for people.
enum StatusText {
  static func text(of status: DaemonStatus.Result?) -> String {
    guard let status else { return "No daemon runs.\n" }
    var rows = [
      ("daemon", "version \(status.version), process \(status.processID), up \(time(status.uptimeSeconds))"),
      ("model", model(status.model)),
    ]
    rows.append(("memory", memory(status.memory)))
    rows.append(("sessions", "\(status.model.sessions)"))
    let totals = status.totals
    rows.append(
      (
        "requests",
        "\(status.model.activeRequests) at work, \(status.model.queuedRequests) waiting, \(totals.requests) answered "
          + "(\(totals.failedRequests) with an error)"
      ))
    rows.append(
      (
        "tokens",
        "\(totals.promptTokens) read (\(totals.cachedTokens) of them cached), \(totals.completionTokens) written"
      ))
    let speed = status.rates.completionTokensPerSecond.map { ", \($0) tokens/s" } ?? ""
    rows.append(("rates", "\(status.rates.requestsPerMinute) requests/min\(speed)"))
    rows.append(("clients", "\(status.clients.count)"))
    let clients = status.clients.map { client in
      let name = TerminalText.neutralise(
        [client.name ?? "unnamed", client.version].compactMap { $0 }.joined(separator: " "))
      return
        "  \(name), for \(time(client.connectedSeconds)): \(client.requests) answered, \(client.activeRequests) running"
    }
    return (rows.map { $0 + String(repeating: " ", count: 10 - $0.count) + $1 } + clients).joined(separator: "\n")
      + "\n"
  }

  static func model(_ status: ModelStatus.Result) -> String {
    let name = status.model.map { "\(TerminalText.neutralise($0.name)) (\($0.quantization)), window \($0.contextSize)" }
    switch status.availability.state {
    case .available: return name ?? "available"
    case .loading:
      let percentage = status.availability.progress.map { " \(Int($0 * 100)) %" } ?? ""
      return "loading\(percentage)"
    case .unavailable:
      let why = [status.availability.message, status.availability.remedy].compactMap { $0 }.joined(separator: " ")
      return TerminalText.neutralise("unavailable: \(why)")
    }
  }

  private static func memory(_ memory: MemoryDescription) -> String {
    let daemon = memory.daemonBytes.map { "\(megabytes($0)) MB daemon" }
    let engine = memory.engineBytes.map { "\(megabytes($0)) MB engine" }
    let known = [daemon, engine].compactMap { $0 }
    return known.isEmpty ? "unknown" : known.joined(separator: ", ")
  }

  private static func megabytes(_ bytes: Int) -> Int { (bytes + 500_000) / 1_000_000 }

  private static func time(_ seconds: Int) -> String {
    switch seconds {
    case ..<60: "\(seconds) s"
    case ..<3600: "\(seconds / 60) min"
    case _: "\(seconds / 3600) h \(seconds % 3600 / 60) min"
    }
  }
}
