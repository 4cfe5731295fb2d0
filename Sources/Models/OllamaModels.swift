import GGUF
import JSON

/// What Ollama keeps: a manifest for each name and tag, whose layers are files named by their SHA-256.
enum OllamaModels {
  private static let mostManifestBytes = 1 << 20

  static func candidates(in folder: String) -> [ModelCandidate] {
    let manifests = folder + "/manifests"
    return FolderWalk.files(in: manifests).compactMap { file in
      guard let name = name(of: file), let layers = layers(of: manifests + "/" + file) else { return nil }
      func blob(_ type: String) -> String? {
        layers.first { $0.type.hasSameBytes(as: "application/vnd.ollama.image." + type) }
          .map { folder + "/blobs/sha256-" + $0.digest }
      }
      guard let model = blob("model") else { return nil }
      var candidate = ModelCandidate(name: name, path: model, keeper: .ollama)
      candidate.licensePath = blob("license")
      return candidate
    }
  }

  /// As Ollama itself shows it.
  /// - Parameter manifest: HOST/NAMESPACE/NAME/TAG.
  private static func name(of manifest: String) -> String? {
    let parts = manifest.split(separator: "/").map(String.init)
    guard parts.count == 4 else { return nil }
    let name = parts[2] + ":" + parts[3]
    guard parts[0].hasSameBytes(as: "registry.ollama.ai") else { return parts[0] + "/" + parts[1] + "/" + name }
    return parts[1].hasSameBytes(as: "library") ? name : parts[1] + "/" + name
  }

  private static func layers(of manifest: String) -> [(type: String, digest: String)]? {
    guard let file = try? BoundedFileReader(path: manifest), file.size <= mostManifestBytes,
      let value = try? JSONParser.parse(file.descriptor.read(at: 0, count: mostManifestBytes)),
      case .array(let layers)? = value["layers"]
    else { return nil }
    return layers.compactMap { layer in
      guard case .string(let type)? = layer["mediaType"], case .string(let digest)? = layer["digest"],
        let hexadecimal = digest.wholeMatch(of: #/sha256:([0-9a-f]{64})/#)?.1
      else { return nil }
      return (type, String(hexadecimal))
    }
  }
}
