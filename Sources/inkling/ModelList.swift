import Assistant
import JSON
import Models

/// The models that were found, with the one in use.
struct ModelList {
  private let models: [FoundModel]
  private let modelInUse: String
  private let identityInUse: FileIdentity?
  /// Tokens of the context window; nil: the default.
  private let window: Int?

  init(_ engine: EngineSetup) {
    window = engine.load.contextSize > 0 ? engine.load.contextSize : nil
    modelInUse = engine.modelPath
    identityInUse = FileIdentity(modelInUse)
    var models = ModelLocation.places.models(window: window)
    for index in models.indices { models[index].name = TerminalText.oneLine(models[index].name) }
    self.models = models
  }

  private func isInUse(_ model: FoundModel) -> Bool {
    identityInUse.map { $0 == model.identity } ?? model.path.hasSameBytes(as: modelInUse)
  }

  /// Those that were found, and the one in use even when it lies elsewhere.
  private var all: [FoundModel] {
    if models.contains(where: isInUse) { return models }
    return models + [FoundModel(path: modelInUse, window: window)].compactMap { $0 }
  }

  // MARK: Finding one

  struct FindError: Error {
    let message: String
  }

  /// A model by the name that the list shows, or by its path.
  func find(_ word: String) -> Result<FoundModel, FindError> {
    let named = models.filter { $0.name.hasSameBytes(as: word) }
    if named.count == 1 { return .success(named[0]) }
    if named.count > 1 {
      let paths = named.map(\.path).joined(separator: ", ")
      return .failure(FindError(message: "there are \(named.count) models “\(word)”; give a path: \(paths)"))
    }
    let path = ModelLocation.absolute(word)
    guard word.contains("/") || FileIdentity(path) != nil else {
      return .failure(FindError(message: unknown("model", word, models.map(\.name))))
    }
    guard let model = FoundModel(path: path, window: window) else {
      return .failure(FindError(message: "\(path) is not a model that writes text"))
    }
    return .success(model)
  }

  // MARK: Showing all

  func write(asJSON: Bool) -> Int32 {
    let all = all
    if asJSON {
      let value: JSONValue = ["models": .array(all.map(json))]
      return Terminal.write(JSONWriter.text(of: value) + "\n")
    }
    let head = ["", "name", "size", "weights", "context", "fits", "license", "of"]
    let rows = all.map { model in
      [
        isInUse(model) ? "*" : "", model.name, model.sizeBytes.map(ByteCount.text) ?? "-", plain(model.quantization),
        model.trainedContext.map(String.init) ?? "-", model.problem == nil ? model.fit?.rawValue ?? "-" : "broken",
        plain(model.license), model.keeper?.title ?? "-",
      ]
    }
    let problems = all.compactMap { model in
      model.problem.map { TerminalText.oneLine("\(model.path) \($0).") + "\n" }
    }
    return Terminal.write(
      TextTable.text([head] + rows, wordColumns: [0, 1, 3, 5, 6, 7]) + (problems.isEmpty ? "" : "\n")
        + problems.joined())
  }

  private func json(_ model: FoundModel) -> JSONValue {
    var members: [(String, JSONValue)] = [
      ("name", .string(model.name)), ("path", .string(model.path)), ("inUse", .bool(isInUse(model))),
    ]
    func add(_ name: String, _ value: JSONValue?) { if let value { members.append((name, value)) } }
    add("keeper", (model.keeper?.rawValue).map(JSONValue.string))
    add("sizeBytes", model.sizeBytes?.json)
    add("architecture", model.architecture.map(JSONValue.string))
    add("quantization", model.quantization.map(JSONValue.string))
    add("contextWindow", model.trainedContext?.json)
    add("license", model.license.map(JSONValue.string))
    add("memoryBytes", model.memoryBytes?.json)
    add("fits", (model.fit?.rawValue).map(JSONValue.string))
    add("problem", model.problem.map(JSONValue.string))
    return .object(JSONObject(members))
  }

  private func plain(_ text: String?) -> String {
    let line = TerminalText.oneLine(text ?? "-")
    return line.count > 32 ? line.prefix(31) + "…" : line
  }
}

extension ModelKeeper {
  fileprivate var title: String {
    switch self {
    case .inkling: "Inkling"
    case .ollama: "Ollama"
    case .lmStudio: "LM Studio"
    case .huggingFace: "Hugging Face"
    case .llamaCpp: "llama.cpp"
    }
  }
}

extension ModelLocation {
  /// Where models are looked for.
  static var places: ModelPlaces { ModelPlaces(inkling: folder, environment: environment) }
}
