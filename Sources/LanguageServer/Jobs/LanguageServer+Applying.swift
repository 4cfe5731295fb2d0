import AssistantProtocol
import JSON
import JSONRPC

// From an answer to the edit of a document.

extension LanguageServer {
  /// How often an edit is sent that the client refuses because the document has changed meanwhile.
  private static let mostAttempts = 3

  func deliver(_ answer: JobAnswer, of job: Job, on connection: Connection) async {
    guard !answer.text.allSatisfy(\.isWhitespace) else {
      return tell(.warning, "The answer was empty; nothing was changed. Try again.", job, on: connection)
    }
    let client = state.withLock { $0.client }
    switch answer.delivery {
    case .show: showText(of: answer, job, on: connection)
    case .rewrite(let hunks) where hunks.isEmpty:
      if answer.warnings.isEmpty {
        tell(.info, "“\(job.title)”: there is nothing to change.", job, on: connection)
      }
    case .newDocument where !client.createsDocuments: showText(of: answer, job, on: connection)
    case .rewrite, .replace, .insertAbove, .insertBelow, .newDocument:
      if client.appliesEdits {
        await edit(answer, job, client, on: connection)
      } else {
        showText("This editor takes no edits from a language server, so here is the text.", answer, job, on: connection)
      }
    }
    if !answer.warnings.isEmpty {
      tell(.warning, answer.warnings.map(\.message).joined(separator: " "), job, on: connection)
    }
  }

  private func edit(_ answer: JobAnswer, _ job: Job, _ client: ClientTraits, on connection: Connection) async {
    if case .newDocument(let text) = answer.delivery {
      return await create(text, answer, job, client, on: connection)
    }
    switch await turns.run(job.uri, { await apply(answer.delivery, job, client, on: connection) }) {
    case .done, .unwanted: break
    case .void:
      if answer.delivery.isRewriting {
        tell(.warning, CommandPlan.changed, job, on: connection)
      } else {
        // What was written is not lost for it.
        showText("The text has changed meanwhile; nothing was inserted.", answer, job, on: connection)
      }
    case .failed(let why):
      tell(
        .error, "The editor did not apply “\(job.title)”: \(why). Run the command again.", job, on: connection)
    }
  }

  /// How the sending of an edit ended.
  private enum Applied {
    case done
    /// The job is not wanted any more, or the document is closed.
    case unwanted
    /// The text of the job's range is not what it was.
    case void
    case failed(String)
  }

  private enum Planned {
    case edit(JSONValue, revision: Int)
    case not(Applied)
  }

  /// The edit for the document as it is now. The range is followed through all changes; that its text is still what
  /// the answer was made for is looked at all the same, for an edit in the wrong place would be the worst of faults.
  private func plan(_ delivery: Delivery, _ job: Job, _ client: ClientTraits) -> Planned {
    state.withLock { state in
      guard state.isLive(job.id), let document = state.documents[job.uri] else { return .not(.unwanted) }
      guard let range = document.range(of: job.id), document.text.bytes[range].elementsEqual(job.source.utf8) else {
        return .not(.void)
      }
      let edit = WorkspaceEdit.changing(
        job.uri, version: document.version, document.edits(for: delivery, at: range), for: client)
      return .edit(edit, revision: document.revision)
    }
  }

  private func apply(
    _ delivery: Delivery, _ job: Job, _ client: ClientTraits, on connection: Connection
  ) async -> Applied {
    var failure = "the document changed again and again"
    for _ in 0..<Self.mostAttempts {
      switch plan(delivery, job, client) {
      case .not(let end): return end
      case .edit(let edit, let revision):
        do throws(RPCError) {
          let params = ApplyEdit.Params(label: job.title, edit: edit)
          let answer = try await connection.request(ApplyEdit.self, params, timeout: patience.applying)
          if answer.applied {
            await follow(job.uri, beyond: revision)
            return .done
          }
          failure = answer.failureReason ?? "it gave no reason"
        } catch {
          // Whether it was done nobody knows: a second one could do it twice.
          if error == .timedOut { return .failed("it did not answer in time") }
          failure = error.message
        }
        guard state.withLock({ $0.isLive(job.id) }) else { return .unwanted }
        // Refused, as a rule, because the document has changed and the client has not said so yet.
        guard await change(of: job.uri, beyond: revision, within: patience.catchingUp) else { return .failed(failure) }
      }
    }
    return .failed(failure)
  }

  /// Waits for the change that an edit has made. Without it all other ranges of the document are in doubt.
  private func follow(_ uri: String, beyond revision: Int) async {
    guard await !change(of: uri, beyond: revision, within: patience.change) else { return }
    state.withLock { $0.documents[uri]?.voidAllRanges() }
  }

  /// Waits for a change of the document; false when none comes in time, or it is closed.
  private func change(of uri: String, beyond revision: Int, within patience: Duration) async -> Bool {
    await withCheckedContinuation { continuation in
      let (isThere, number) = state.withLock { state -> (Bool?, Int?) in
        guard let document = state.documents[uri] else { return (false, nil) }
        if document.revision > revision { return (true, nil) }
        return (nil, state.waiters.add(uri, beyond: revision, continuation))
      }
      if let isThere { return continuation.resume(returning: isThere) }
      Task { [weak self] in
        try? await Task.sleep(for: patience)
        let waiter = self?.state.withLock { state in number.flatMap { state.waiters.remove($0) } }
        waiter?.resume(returning: false)
      }
    }
  }

  // MARK: Beside the document

  private func create(
    _ text: String, _ answer: JobAnswer, _ job: Job, _ client: ClientTraits, on connection: Connection
  ) async {
    guard state.withLock({ $0.isLive(job.id) }) else { return }
    let uri = "untitled:Inkling-\(job.id.number).\(job.format.fileExtension)"
    do throws(RPCError) {
      let params = ApplyEdit.Params(label: job.title, edit: WorkspaceEdit.creating(uri, text))
      guard try await connection.request(ApplyEdit.self, params, timeout: patience.applying).applied else {
        return showText(of: answer, job, on: connection)
      }
    } catch {
      return showText(of: answer, job, on: connection)
    }
    guard client.showsDocuments else { return }
    // Whether it is shown is the client's affair.
    _ = try? await connection.request(
      ShowDocument.self, ShowDocument.Params(uri: uri), timeout: patience.applying)
  }

  private func showText(of answer: JobAnswer, _ job: Job, on connection: Connection) {
    tell(.info, "\(job.title)\n\(answer.text)", job, on: connection)
  }

  private func showText(_ why: String, _ answer: JobAnswer, _ job: Job, on connection: Connection) {
    tell(.warning, "\(why) \(job.title):\n\(answer.text)", job, on: connection)
  }
}

extension Delivery {
  /// Whether the selection itself is changed.
  fileprivate var isRewriting: Bool {
    switch self {
    case .rewrite, .replace: true
    case .insertAbove, .insertBelow, .newDocument, .show: false
    }
  }
}
