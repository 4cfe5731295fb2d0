import Assistant
import AssistantProtocol
import EngineProtocol
import JSON

/// What `doctor` says of a model's prepared copy.
enum PreparedExamination {
  /// nil when nothing is to be said.
  /// - Parameter facts: the model as it was loaded; nil when it could not be.
  static func finding(_ model: String, _ facts: ModelFacts?) -> Finding? {
    guard let models = ModelLocation.preparedModels else { return nil }
    let makeAgain = "Run “inkling prepare”."
    switch models.find(model) {
    case .none:
      guard let facts, facts.parameterCount <= ModelPreparation.mostParameters else { return nil }
      return Finding(
        "prepared", .note, "no copy was tried that may be faster on this machine", [("used", .bool(false))],
        remedy: makeAgain)
    case .ignored(let why):
      return Finding(
        "prepared", .note, "the prepared copy \(why); the model's own file is used", [("used", .bool(false))],
        remedy: makeAgain)
    case .sourceIsBest(let manifest):
      return Finding("prepared", .good, PreparedTable.conclusion(manifest), details(manifest, path: nil))
    case .copy(let path, let manifest):
      guard PreparedModels.isIntact(path, manifest) else {
        return Finding(
          "prepared", .bad, "\(path) is damaged: its checksum is wrong.", details(manifest, path: path),
          remedy: "Run “inkling prepare --force”, or “inkling prepare --remove”.")
      }
      return Finding("prepared", .good, PreparedTable.conclusion(manifest), details(manifest, path: path))
    }
  }

  private static func details(_ manifest: PreparedManifest, path: String?) -> [(String, JSONValue)] {
    [
      ("used", .bool(path != nil)), ("path", path.map(JSONValue.string) ?? .null),
      ("maxDrift", manifest.maxDrift.json), ("candidates", manifest.candidates.json),
    ]
  }
}
