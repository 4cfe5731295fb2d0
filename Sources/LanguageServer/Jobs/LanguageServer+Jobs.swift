import AssistantProtocol
import Client
import JSON
import JSONRPC

// From a command to a job and to its end.

extension LanguageServer {
  /// Looks at a command in the order of the messages: here its range gets its place in the text.
  ///
  /// - Returns: what is to be done when the command has been answered, which it is at once.
  func execute(
    _ params: ExecuteCommand.Params, on connection: Connection
  ) throws(RPCError) -> @Sendable () -> Void {
    let known = AssistantCommand.allCases
    guard let command = known.first(where: { $0.rawValue.hasSameBytes(as: params.command) }) else {
      let near = NearestWord.find(params.command, among: known.map(\.rawValue))
      throw .invalidParams(
        "there is no command “\(params.command)”; "
          + (near.map { "did you mean “\($0)”?" } ?? "there are " + known.map(\.rawValue).joined(separator: ", ")))
    }
    do throws(CommandRefusal) {
      let job = try prepare(try CommandPlan(command, params.arguments, offers()))
      return { self.start(job, on: connection) }
    } catch {
      // Before the answer: a client that waits for it may leave what comes right behind it unread (Emacs 28).
      show(error.kind, error.message, on: connection)
      return {}
    }
  }

  private func prepare(_ plan: CommandPlan) throws(CommandRefusal) -> Job {
    let outcome = state.withLock { state -> Result<Job, CommandRefusal> in
      guard let document = state.documents[plan.uri] else {
        return .failure(
          CommandRefusal(message: "“\(plan.title)”: the document \(plan.uri) is not open here. Open it again."))
      }
      guard state.jobCount < EditorState.mostJobs else {
        return .failure(
          CommandRefusal(message: "\(EditorState.mostJobs) commands are at work. Wait for one of them, or cancel it."))
      }
      do throws(CommandRefusal) {
        let range = try plan.place(in: document)
        let source = document.text.string(in: range)
        return .success(
          Job(
            id: state.beginJob(in: plan.uri, at: range), uri: plan.uri, title: plan.title,
            request: plan.request(for: source, in: document, state.options), source: source,
            format: TextFormat(languageID: document.languageID)))
      } catch {
        return .failure(error)
      }
    }
    return try outcome.get()
  }

  private func start(_ job: Job, on connection: Connection) {
    let task = Task { await self.run(job, on: connection) }
    if !state.withLock({ $0.started(job.id, task) }) { task.cancel() }
  }

  private func run(_ job: Job, on connection: Connection) async {
    let (showsProgress, encoding) = state.withLock { ($0.client.showsProgress, $0.serviceEncoding) }
    let progress = JobProgress(job.id.token, title: job.title, on: connection, isWanted: showsProgress)
    progress.begin(within: patience.progress)
    do throws(RPCError) {
      let answer = try await service.answer(job.request, to: job.source, in: encoding) { progress.report($0) }
      await deliver(answer, of: job, on: connection)
    } catch {
      tell(.error, error.forPerson, job, on: connection)
    }
    progress.end()
    _ = state.withLock { $0.endJob(job.id) }
  }

  /// Ends a job for the person: from here on it does nothing to any document, whatever still comes of it.
  func cancel(_ token: ProgressToken) {
    guard let id = JobID(token: token) else { return }
    state.withLock { $0.endJob(id) }?.task?.cancel()
  }

  // MARK: Telling

  /// Tells the person about a job, unless it is not wanted any more, or the error is known already.
  func tell(_ kind: ShowMessage.Kind, _ message: String, _ job: Job, on connection: Connection) {
    let isNews = state.withLock { state in
      guard state.isLive(job.id) else { return false }
      return kind == .error ? state.isNews(message) : true
    }
    if isNews { show(kind, message, on: connection) }
  }

  func show(_ kind: ShowMessage.Kind, _ message: String, on connection: Connection) {
    connection.notify(ShowMessage.self, ShowMessage.Params(kind, "Inkling: " + message))
  }
}

extension RPCError {
  /// What went wrong and what can be done, in sentences.
  var forPerson: String {
    if self == .connectionClosed { return "The assistant has ended under the request. Run the command again." }
    var sentences = message.prefix(1).uppercased() + message.dropFirst()
    if let last = sentences.last, !".!?…".contains(last) { sentences += "." }
    if case .string(let remedy)? = data?["remedy"], !sentences.contains(remedy) { sentences += " " + remedy }
    return sentences
  }
}
