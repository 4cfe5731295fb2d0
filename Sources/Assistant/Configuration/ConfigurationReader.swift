import AssistantProtocol
import JSON

/// Makes a configuration of a file's bytes. What is wrong takes its default, and everything else holds.
public struct ConfigurationReader {
  /// A configuration and what was wrong with its file.
  public struct Outcome: Sendable {
    public var configuration = Configuration()
    public var problems: [ConfigurationProblem] = []
    /// Nothing of the file could be read.
    public var isUnreadable = false
    init() {}
  }

  private static let mostProblems = 100

  /// Reads a file that the configuration names; nil when it cannot be read.
  private let readFile: (String) -> [UInt8]?
  private let document: JSONDocument
  private var problems: [ConfigurationProblem] = []

  /// - Parameter readFile: reads the catalog, by the path as it is written.
  public static func read(_ bytes: [UInt8], readFile: (String) -> [UInt8]? = { _ in nil }) -> Outcome {
    withoutActuallyEscaping(readFile) { readFile in
      var outcome = Outcome()
      do throws(JSONDocumentError) {
        var reader = ConfigurationReader(readFile: readFile, document: try JSONDocument(bytes))
        outcome.configuration = reader.configuration()
        outcome.problems = reader.problems.sorted {
          ($0.position.line, $0.position.column) < ($1.position.line, $1.position.column)
        }
      } catch {
        outcome.isUnreadable = true
        outcome.problems = [
          ConfigurationProblem(position: error.position, path: "", message: "the file is not JSON: \(error.message)")
        ]
      }
      return outcome
    }
  }

  private init(readFile: @escaping (String) -> [UInt8]?, document: JSONDocument) {
    self.readFile = readFile
    self.document = document
  }

  private mutating func configuration() -> Configuration {
    for (pointer, position) in document.repeatedNames {
      guard hasRoom else { break }
      guard isOurs(pointer) else { continue }
      report(pointer, "the field is there twice, and the first one counts", at: position)
    }
    let checked = checked(document.value, ConfigurationFields.root, at: "") ?? [:]
    var result = Configuration()
    result.model = checked["model"]?.text
    result.context = checked["context"]?.int
    result.customization.tones = voices(checked, "tones", "tone", Tone.builtin.map(\.id))
    result.customization.personalities = voices(
      checked, "personalities", "personality", Personality.builtin.map(\.id))
    result.customization.commands = commands(checked)
    result.customization.tone = voice(checked, "tone", result.customization.tones) ?? .formal
    result.customization.personality = voice(checked, "personality", result.customization.personalities) ?? .neutral
    if case .object(let suggestions)? = checked["suggestions"] {
      for member in suggestions.members { result.suggestions[member.name] = member.value.texts }
    }
    readCatalog(checked, &result)
    result.guardrails = guardrails(checked)
    let limits = checked["limits"]
    result.limits.sessions = limits?["sessions"]?.int ?? result.limits.sessions
    result.limits.requests = limits?["requests"]?.int ?? result.limits.requests
    result.limits.outputTokens = limits?["outputTokens"]?.int
    result.customization.textBytes = limits?["textBytes"]?.int ?? Limits.textBytes
    result.effective = effective(checked, result)
    return result
  }

  /// What holds, without what was found to be wrong.
  private func effective(_ checked: JSONValue, _ result: Configuration) -> JSONValue {
    guard case .object(var object) = ConfigurationFields.root.filled(checked) else { return checked }
    object["tone"] = .string(result.customization.tone.id)
    object["personality"] = .string(result.customization.personality.id)
    if result.catalogPath == nil || result.isCatalogMissing { object["catalog"] = nil }
    func keep(_ name: String, _ ids: [String]) {
      guard case .array(let values)? = object[name] else { return }
      var ids = ids[...]
      object[name] = .array(
        values.filter { value in
          guard let id = ids.first, value["id"]?.text?.hasSameBytes(as: id) == true else { return false }
          ids.removeFirst()
          return true
        })
    }
    keep("tones", result.customization.tones.map(\.id))
    keep("personalities", result.customization.personalities.map(\.id))
    keep("commands", result.customization.commands.map(\.id))
    keep("guardrails", result.guardrails.map(\.id))
    return .object(object)
  }

  // MARK: Problems

  /// Whether one more problem is reported.
  var hasRoom: Bool { problems.count < Self.mostProblems }

  mutating func report(
    _ path: String, _ message: String, suggestion: String? = nil, at position: JSONPosition? = nil
  ) {
    guard hasRoom else { return }
    problems.append(
      ConfigurationProblem(
        position: position ?? document.position(of: path), path: path, message: message, suggestion: suggestion))
  }

  mutating func reportName(_ path: String, _ message: String, suggestion: String? = nil) {
    report(path, message, suggestion: suggestion, at: document.namePosition(of: path))
  }

  /// Whether the place is in the file's own objects: what stands in a schema is the schema's to refuse.
  private func isOurs(_ pointer: String) -> Bool {
    let parts = pointer.split(separator: "/")
    return !(parts.count > 3 && parts[0] == "commands" && parts[2] == "schema")
  }

  // MARK: Voices and the catalog

  private mutating func voices(
    _ checked: JSONValue, _ name: String, _ kind: String, _ builtin: [String]
  ) -> [CustomVoice] {
    entries(checked, name, kind, builtin).map { _, entry in
      CustomVoice(
        id: entry["id"]?.text ?? "", title: entry["title"]?.text ?? "", description: entry["description"]?.text ?? "",
        instructions: entry["instructions"]?.text ?? "")
    }
  }

  private mutating func voice<Kind: Voice>(_ checked: JSONValue, _ name: String, _ custom: [CustomVoice]) -> Kind? {
    guard let word = checked[name]?.text else { return nil }
    let voice = Kind.builtin.first { $0.id.hasSameBytes(as: word) } ?? .custom(CustomVoice(id: word))
    if let current = voice.current(in: custom) { return current }
    let known = Kind.builtin.map(\.id) + custom.map(\.id)
    report(
      "/" + name, "there is no \(name) “\(word)”: there are " + known.map { "“\($0)”" }.joined(separator: ", "),
      suggestion: NearestWord.find(word, among: known))
    return nil
  }

  /// The entries of a list with ids that nobody else has, each with its pointer.
  mutating func entries(
    _ checked: JSONValue, _ name: String, _ kind: String, _ builtin: [String]
  ) -> [(pointer: String, value: JSONValue)] {
    guard case .array(let values)? = checked[name] else { return [] }
    var seen: Set<[UInt8]> = []
    var result: [(String, JSONValue)] = []
    for (index, value) in values.enumerated() where value != .null {
      let (pointer, id) = ("/\(name)/\(index)", value["id"]?.text ?? "")
      if builtin.contains(where: { $0.hasSameBytes(as: id) }) {
        report(pointer + "/id", "there is a \(kind) “\(id)” already that ships with Inkling; choose another id")
      } else if !seen.insert(Array(id.utf8)).inserted {
        report(pointer + "/id", "there is a \(kind) “\(id)” before this one; choose another id")
      } else {
        result.append((pointer, value))
      }
    }
    return result
  }

  private mutating func readCatalog(_ checked: JSONValue, _ result: inout Configuration) {
    guard let catalog = checked["catalog"], let path = catalog["path"]?.text else { return }
    // Known also while it cannot be read, so that it is noticed when it can be.
    result.catalogPath = path
    result.isCatalogMissing = true
    guard let bytes = readFile(path) else {
      return report("/catalog/path", "the file cannot be read, or is longer than 1 MiB")
    }
    let value: JSONValue
    do throws(JSONDocumentError) { value = try JSONDocument(bytes).value } catch {
      let place = "line \(error.position.line), column \(error.position.column)"
      return report("/catalog/path", "the file is not JSON: \(error.message) (\(place))")
    }
    guard case .array(let values) = value, !values.isEmpty else {
      return report("/catalog/path", "the file must hold an array with at least one object")
    }
    var entries: [JSONObject] = []
    for (index, value) in values.enumerated() {
      guard case .object(let entry) = value else {
        return report("/catalog/path", "the file must hold an array of objects; /\(index) is \(value.typeName)")
      }
      entries.append(entry)
    }
    result.isCatalogMissing = false
    result.catalog = Catalog(entries, name: catalog["name"]?.text, description: catalog["description"]?.text)
  }
}

extension JSONValue {
  var text: String? { if case .string(let text) = self { text } else { nil } }
  var int: Int? { if case .number(let number) = self { number.int } else { nil } }

  /// The texts of a list.
  var texts: [String] { if case .array(let values) = self { values.compactMap(\.text) } else { [] } }
}
