import GGUF

/// A program that keeps models on the disk.
public enum ModelKeeper: String, CaseIterable, Sendable {
  case inkling, ollama, lmStudio, huggingFace, llamaCpp
}

/// The folders in which programs keep their models.
public struct ModelPlaces: Sendable {
  /// In the order in which they are looked at.
  public private(set) var folders: [(keeper: ModelKeeper, path: String)] = []

  /// - Parameters:
  ///   - inkling: the folder of our own.
  ///   - environment: a variable that is set and not empty.
  public init(inkling: String, environment: (String) -> String?) {
    let home = environment("HOME")
    func add(_ keeper: ModelKeeper, _ paths: [String?]) {
      folders += paths.compactMap { $0 }.map { (keeper, $0) }
    }
    func inHome(_ path: String) -> String? { home.map { $0 + "/" + path } }
    add(.inkling, [inkling])
    add(.ollama, [environment("OLLAMA_MODELS"), inHome(".ollama/models"), "/usr/share/ollama/.ollama/models"])
    add(.lmStudio, [inHome(".lmstudio/models"), inHome(".cache/lm-studio/models")])
    let cache = environment("XDG_CACHE_HOME") ?? inHome(".cache")
    let hub =
      environment("HF_HUB_CACHE") ?? environment("HF_HOME").map { $0 + "/hub" }
      ?? cache.map { $0 + "/huggingface/hub" }
    add(.huggingFace, [hub])
    #if os(macOS)
      let usual = inHome("Library/Caches/llama.cpp")
    #else
      let usual = cache.map { $0 + "/llama.cpp" }
    #endif
    add(.llamaCpp, [environment("LLAMA_CACHE"), usual])
  }
}

/// A file that may be a model.
public struct ModelCandidate: Sendable {
  /// What a person calls it.
  public var name: String
  public var path: String
  public var keeper: ModelKeeper
  /// A file with the text of its license, where a program keeps one.
  var licensePath: String?

  public init(name: String, path: String, keeper: ModelKeeper) {
    self.name = name
    self.path = path
    self.keeper = keeper
  }
}

extension ModelPlaces {
  private static let mostModels = 1000

  /// The files that look like models, by their names alone: quick enough for the completion of a command line. Files
  /// with images' projectors are left out, and all but the first part of a split model.
  public var candidates: [ModelCandidate] {
    var found: [ModelCandidate] = []
    for (keeper, folder) in folders {
      switch keeper {
      case .ollama: found += OllamaModels.candidates(in: folder)
      case .inkling, .lmStudio, .huggingFace, .llamaCpp:
        found += FolderWalk.files(in: folder).compactMap { Self.candidate($0, in: folder, of: keeper) }
      }
    }
    return Array(found.prefix(Self.mostModels))
  }

  private static func candidate(_ file: String, in folder: String, of keeper: ModelKeeper) -> ModelCandidate? {
    let ending = ".gguf"
    guard file.lowercased().hasSuffix(ending), !file.lowercased().contains("mmproj") else { return nil }
    let path = folder + "/" + file
    let isPart = SplitName(path)
    if let isPart, isPart.part > 1 { return nil }
    var name = String(file.dropLast(ending.count))
    if isPart != nil { name = String(name.dropLast("-00001-of-00001".count)) }
    if keeper == .huggingFace {
      // models--ORGANISATION--NAME/snapshots/REVISION/FILE
      let parts = name.split(separator: "/", maxSplits: 3)
      guard parts.count == 4, parts[0].hasPrefix("models--"), parts[1] == "snapshots" else { return nil }
      name = parts[0].dropFirst("models--".count).replacing("--", with: "/") + "/" + parts[3]
    }
    return ModelCandidate(name: name, path: path, keeper: keeper)
  }
}
