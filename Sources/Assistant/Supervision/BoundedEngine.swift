import EngineProtocol

/// An engine that writes no more at once than the configuration allows.
public struct BoundedEngine: EngineService {
  private let base: any EngineService
  private let mostTokens: @Sendable () -> Int?

  /// - Parameter mostTokens: nil for as many as a request says.
  public init(base: any EngineService, mostTokens: @escaping @Sendable () -> Int?) {
    self.base = base
    self.mostTokens = mostTokens
  }

  public func generate(_ params: GenerateParams) -> EngineJob {
    var params = params
    if let mostTokens = mostTokens() { params.maxTokens = min(params.maxTokens, mostTokens) }
    return base.generate(params)
  }

  public var shownTexts: [String] { base.shownTexts }
  public func count(_ text: String) -> EngineJob { base.count(text) }
  public func status() async -> EngineReport { await base.status() }
  public func load(path: String, force: Bool) async throws(Unavailability) {
    try await base.load(path: path, force: force)
  }
  public func unload() async throws(Unavailability) { try await base.unload() }
  public func availabilityChanges() -> AsyncStream<EngineAvailability> { base.availabilityChanges() }
}
