import AssistantProtocol
import JSON

/// The table of the file: every field with what it may be, what it is for and what holds without it.
enum ConfigurationFields {
  /// Entries of one list of the file.
  private static let mostEntries = 200

  static let root = ConfigurationShape.object([
    .optional("$schema", .text(least: 0), "Where the schema of this file is, for editors. Not used otherwise."),
    .optional(
      "model", .text(least: 1),
      "The model, a GGUF file; a relative path begins at this file's folder, and ~/ is your home. --model and "
        + "INKLING_MODEL win. Taken up at the next start."),
    .optional(
      "context", .integer(256...1_048_576),
      "Tokens of the context window; if absent chosen by the engine. --context wins. Taken up at the next start."),
    .optional("personality", .text(least: 1), "The voice of requests and sessions that name none.", default: "neutral"),
    .optional("tone", .text(least: 1), "The tone of a rephrase that names none.", default: "formal"),
    .optional("personalities", voices("a personality"), "Voices of your own.", default: []),
    .optional("tones", voices("a tone"), "Tones of your own.", default: []),
    .optional("commands", .list(.object(command), most: mostEntries), "Commands of your own.", default: []),
    .optional(
      "suggestions", .object(suggestions), "What menus suggest, by feature, instead of what ships.",
      default: [:]),
    .optional("catalog", .object(catalog), "What the tool catalogSearch looks in, instead of the films that ship."),
    .optional(
      "guardrails", .list(.object(guardrail), most: mostEntries), "Rules about what goes in and what comes out.",
      default: []),
    .optional("limits", .object(limits), "Bounds.", default: [:]),
  ])

  private static func voices(_ kind: String) -> ConfigurationShape {
    .list(
      .object([
        .required("id", .name, "The word for requests; not that of \(kind) that ships."),
        .optional("title", .text(least: 1), "A few words for a menu; if absent the id."),
        .optional("description", .text(least: 0), "A sentence for a menu.", default: ""),
        .required("instructions", .text(least: 1), "What the model is told."),
      ]), most: mostEntries)
  }

  private static let command: [ConfigurationField] = [
    .required("id", .name, "The word for requests; not that of a feature that ships."),
    .optional("title", .text(least: 1), "A few words for a menu; if absent the id."),
    .optional("description", .text(least: 0), "A sentence for a menu.", default: ""),
    .required("instructions", .text(least: 1), "What the model is told to do with the input."),
    .optional(
      "input", .word(FeatureDescription.Input.allCases.map(\.rawValue)), "What the person gives.",
      default: "selection"),
    .optional(
      "output", .word(FeatureDescription.Output.allCases.map(\.rawValue)),
      "What is done with the result. A selection that is replaced keeps its form.", default: "show"),
    .essential("schema", .schema, "A JSON Schema that the answer is true to."),
    .essential(
      "kind", .word(BrainstormKind.allCases.map(\.rawValue)),
      "The answer has the shape of this kind of assistant/brainstorm. Not together with schema."),
    .optional("suggestions", texts, "What a menu suggests as its input.", default: []),
  ]

  private static let texts = ConfigurationShape.list(.text(least: 1), most: mostEntries)

  private static let suggestions = Configuration.builtinFeatures.map { feature in
    ConfigurationField.optional(
      feature.id, texts, "Of \(feature.title.lowercased()).",
      default: .array(feature.suggestions.map(JSONValue.string)))
  }

  private static let catalog: [ConfigurationField] = [
    .required(
      "path", .text(least: 1),
      "A file with a JSON array of objects, at most 1 MiB; a relative path begins at this file's folder."),
    .optional("name", .text(least: 1), "What its entries are, for the model: “books”."),
    .optional("description", .text(least: 1), "What the model reads of the tool, instead of a sentence with the name."),
  ]

  private static let guardrail: [ConfigurationField] = [
    .required("id", .name, "Names the rule in errors and warnings."),
    .essential(
      "pattern", .pattern, "A regular expression (the subset of protocol.md) that is found anywhere in a text."),
    .essential("literal", .text(least: 1), "A text that is found as it stands. Either this or pattern."),
    .optional("on", .word(Guardrail.Direction.allCases.map(\.rawValue)), "Which texts are looked at.", default: "both"),
    .optional("action", .word(Guardrail.Action.allCases.map(\.rawValue)), "What is done.", default: "block"),
    .optional("ignoreCase", .flag, "Whether capital and small letters are the same.", default: true),
    .optional("message", .text(least: 1), "What the person is told."),
  ]

  private static let limits: [ConfigurationField] = [
    .optional(
      "sessions", .integer(1...1_000), "Sessions of one connection.", default: .number(JSONNumber(Limits.sessions))),
    .optional(
      "requests", .integer(1...256), "Requests at work of one connection. Taken up by the next connection.",
      default: .number(JSONNumber(ConfigurationLimits().requests))),
    .optional(
      "textBytes", .integer(1_024...Limits.textBytes), "UTF-8 bytes of all texts of one request together.",
      default: .number(JSONNumber(Limits.textBytes))),
    .optional(
      "outputTokens", .integer(16...1_048_576),
      "Tokens that the model writes at once, also when a request asks for more; if absent, as requests say."),
  ]
}

/// The JSON Schema of the configuration file.
public enum ConfigurationSchema {
  public static let value: JSONValue = {
    var schema = JSONObject([
      ("$schema", "https://json-schema.org/draft/2020-12/schema"), ("title", "Inkling's configuration"),
      ("description", "The file may hold comments, and commas before closing brackets."),
    ])
    for member in ConfigurationFields.root.schema.members { schema.append(member.name, member.value) }
    return .object(schema)
  }()
}
