import Assistant
import AssistantProtocol
import JSON
import TestSupport
import Testing

/// The configuration's file, read from bytes: every field, every kind of mistake, and the schema.
@Suite struct ConfigurationTests {
  private static func read(_ text: String, files: [String: String] = [:]) -> ConfigurationReader.Outcome {
    ConfigurationReader.read(Array(text.utf8)) { files[$0].map { Array($0.utf8) } }
  }

  /// The example of README.md.
  private static func example() throws -> String {
    let readme = try readText(Repository.path("README.md"))
    let block = try #require(readme.split(separator: "```jsonc\n").dropFirst().first)
    return String(block.prefix(upTo: try #require(block.firstRange(of: "```")).lowerBound))
  }

  // MARK: What is good

  @Test func everyFieldIsRead() throws {
    let outcome = Self.read(
      """
      {
        "$schema": "./schema.json", "model": "models/m.gguf", "context": 4096, "personality": "chief", "tone": "dry",
        "personalities": [{"id": "chief", "title": "Chief", "description": "A chief.", "instructions": "Be a chief."}],
        "tones": [{"id": "dry", "instructions": "Be dry."}],
        "commands": [
          {
            "id": "c.1", "title": "C", "description": "d", "instructions": "Do it.", "input": "topic",
            "output": "insert",
            "schema": {"type": "string"}, "suggestions": ["a"]
          },
          {"id": "k", "instructions": "Make tags.", "input": "none", "kind": "tags"}
        ],
        "suggestions": {"brainstorm": ["x", "y"], "rephrase": []},
        "catalog": {"path": "books.json", "name": "books"},
        "guardrails": [
          {"id": "g", "pattern": "se(cret)+", "on": "input", "action": "warn", "message": "Psst."},
          {"id": "h", "literal": "a.b", "ignoreCase": false}
        ],
        "limits": {"sessions": 3, "requests": 9, "textBytes": 2048, "outputTokens": 99}
      }
      """, files: ["books.json": #"[{"title": "Emma", "themes": ["matchmaking"]}, /* one more */]"#])
    #expect(outcome.problems == [])
    let read = outcome.configuration
    #expect(read.model == "models/m.gguf" && read.context == 4096)
    let chief = CustomVoice(id: "chief", title: "Chief", description: "A chief.", instructions: "Be a chief.")
    let dry = CustomVoice(id: "dry", instructions: "Be dry.")
    #expect(read.customization.personalities == [chief] && read.customization.personality == .custom(chief))
    #expect(read.customization.tones == [dry] && read.customization.tone == .custom(dry))
    #expect(read.tones.last == Choice(id: "dry", title: "dry", description: ""))
    let first = try #require(read.customization.commands.first)
    #expect(first.schema == ["type": "string"] && first.way == .value)
    #expect(
      first.feature
        == FeatureDescription(
          id: "c.1", title: "C", description: "d", input: .topic, output: .insert, suggestions: ["a"]))
    #expect(read.customization.commands.last?.kind == .tags && read.customization.commands.last?.output == .show)
    #expect(read.features.map(\.id) == ["rephrase", "summarize", "brainstorm", "generate", "chat", "c.1", "k"])
    #expect(read.features.first { $0.id == "brainstorm" }?.suggestions == ["x", "y"])
    #expect(read.features.first { $0.id == "chat" }?.suggestions.isEmpty == false)
    #expect(read.catalogPath == "books.json" && read.catalog.matches("matchmaking").count == 1)
    #expect(read.catalog.summary == "Finds books by words: title, themes.")
    #expect(read.guardrails.map(\.id) == ["g", "h"] && read.guardrails.map(\.message) == ["Psst.", nil])
    #expect(read.guardrails.map(\.direction) == [.input, .both] && read.guardrails.map(\.action) == [.warn, .block])
    let met = try read.guardrails.map { rule in try ["a SECRET!", "public a.b", "A.B"].map { try rule.isMet(by: $0) } }
    #expect(met == [[true, false, false], [false, true, false]])
    #expect(read.limits.sessions == 3 && read.limits.requests == 9 && read.limits.outputTokens == 99)
    #expect(read.customization.textBytes == 2048)
    // What is shown is read again as the same, and the schema accepts it.
    let shown = Self.read(JSONWriter.text(of: read.effective), files: ["books.json": "[{}]"])
    #expect(shown.problems == [] && shown.configuration.effective == read.effective)
    #expect(try JSONSchema(ConfigurationSchema.value).validate(read.effective) == [])
  }

  @Test func theDefaultsHoldWithoutAFile() throws {
    let empty = Self.read("{}")
    #expect(empty.problems == [] && empty.configuration.customization == Customization())
    #expect(empty.configuration.limits == ConfigurationLimits())
    #expect(empty.configuration.effective == Configuration().effective)
    #expect(empty.configuration.effective["limits"]?["sessions"] == .number(JSONNumber(Limits.sessions)))
    #expect(empty.configuration.effective["suggestions"]?["chat"] != nil)
    #expect(try JSONSchema(ConfigurationSchema.value).validate(empty.configuration.effective) == [])
  }

  @Test func theExampleOfTheReadmeIsGood() throws {
    let text = try Self.example()
    let outcome = Self.read(text)
    #expect(outcome.problems == [])
    #expect(outcome.configuration.customization.commands.map(\.way) == [.freeText, .rewrite, .value])
    #expect(outcome.configuration.customization.tone.id == "plain")
    let value = try JSONDocument(Array(text.utf8)).value
    #expect(try JSONSchema(ConfigurationSchema.value).validate(value) == [])
  }

  // MARK: What is wrong

  struct Row: Sendable, CustomTestStringConvertible {
    let text: String
    let problems: [String]
    /// Whether the schema can say it too.
    var schemaRefuses = true
    var testDescription: String { text }
  }

  static let rows: [Row] = [
    Row(text: "{\n  \"tonnes\": []}", problems: ["2:3: /tonnes: there is no such field here; did you mean “tones”?"]),
    Row(text: #"{"zzzzzzzzz": 1}"#, problems: ["1:2: /zzzzzzzzz: there is no such field here"]),
    Row(text: "[]", problems: ["1:1: must be an object, not array"]),
    Row(text: #"{"model": 1}"#, problems: ["1:11: /model: must be a string, not number"]),
    Row(text: #"{"model": ""}"#, problems: ["1:11: /model: must not be empty"]),
    Row(text: #"{"context": 12}"#, problems: ["1:13: /context: must be between 256 and 1048576"]),
    Row(text: #"{"context": 512.5}"#, problems: ["1:13: /context: must be an integer, not a fraction"]),
    Row(text: #"{"context": "4k"}"#, problems: ["1:13: /context: must be an integer, not string"]),
    Row(
      text: #"{"tone": "formel"}"#,
      problems: [
        "1:10: /tone: there is no tone “formel”: there are “formal”, “exciting”, “simpler”, “shorter”, “longer”, "
          + "“friendly”, “proofread”; did you mean “formal”?"
      ], schemaRefuses: false),
    Row(
      text:
        "// voices\n{\"personality\": \"x\",\n \"personalities\": [{\"id\": \"abcdefgh\", \"instructions\": \"i\"}]}",
      problems: [
        "2:17: /personality: there is no personality “x”: there are “neutral”, “woody”, “buzz”, “dory”, “abcdefgh”"
      ], schemaRefuses: false),
    Row(text: #"{"tones": {}}"#, problems: ["1:11: /tones: must be an array, not object"]),
    Row(text: #"{"tones": [{"id": "a"}]}"#, problems: ["1:12: /tones/0: “instructions” is missing"]),
    Row(
      text: #"{"tones": [{"id": "a b", "instructions": "  "}]}"#,
      problems: [
        "1:19: /tones/0/id: must be 1 to 64 letters, digits, dots, hyphens or underscores",
        "1:42: /tones/0/instructions: must not be empty",
      ]),
    Row(
      text: #"{"tones": [{"id": "formal", "instructions": "i"}]}"#,
      problems: ["1:19: /tones/0/id: there is a tone “formal” already that ships with Inkling; choose another id"],
      schemaRefuses: false),
    Row(
      text:
        "{\"personalities\": [{\"id\":\"é\",\"instructions\":\"i\"},{\"id\":\"a\",\"instructions\":\"i\"},\n"
        + #"{"id":"a","instructions":"j"}]}"#,
      problems: [
        "1:26: /personalities/0/id: must be 1 to 64 letters, digits, dots, hyphens or underscores",
        "2:7: /personalities/2/id: there is a personality “a” before this one; choose another id",
      ]),
    Row(
      text: #"{"commands": [{"id": "chat", "instructions": "i"}]}"#,
      problems: ["1:22: /commands/0/id: there is a feature “chat” already that ships with Inkling; choose another id"],
      schemaRefuses: false),
    Row(
      text:
        "{\"commands\": [\n{\"id\": \"c\", \"instructions\": \"i\", \"output\": \"replase\", \"inptu\": \"none\"}]}",
      problems: [
        "2:44: /commands/0/output: must be one of “replace”, “insert”, “show”; did you mean “replace”?",
        "2:55: /commands/0/inptu: there is no such field here; did you mean “input”?",
      ]),
    Row(
      text:
        "{\"commands\": [{\"id\": \"c\", \"instructions\": \"i\", \"schema\": {\n"
        + #"  "properties": {"a": {"if": 1}}}}]}"#,
      problems: [
        "2:23: /commands/0/schema/properties/a: the schema is not supported: the keyword if is not supported"
      ], schemaRefuses: false),
    Row(
      text: #"{"commands": [{"id": "c", "instructions": "i", "schema": {}, "kind": "tags"}]}"#,
      problems: ["1:62: /commands/0/kind: stands beside “schema”; leave one of them out, the command is not used"],
      schemaRefuses: false),
    Row(
      text: #"{"suggestions": {"brain": [], "chat": ["", 1]}}"#,
      problems: [
        "1:18: /suggestions/brain: there is no such field here",
        "1:40: /suggestions/chat/0: must not be empty", "1:44: /suggestions/chat/1: must be a string, not number",
      ]),
    Row(
      text: #"{"catalog": {"path": "gone.json"}}"#,
      problems: ["1:22: /catalog/path: the file cannot be read, or is longer than 1 MiB"], schemaRefuses: false),
    Row(
      text: #"{"catalog": {"path": "bad.json"}}"#,
      problems: ["1:22: /catalog/path: the file is not JSON: a value must follow (line 2, column 3)"],
      schemaRefuses: false),
    Row(
      text: #"{"catalog": {"path": "numbers.json"}}"#,
      problems: ["1:22: /catalog/path: the file must hold an array of objects; /1 is number"], schemaRefuses: false),
    Row(
      text: #"{"guardrails": [{"id": "g", "pattern": "(a"}]}"#,
      problems: ["1:40: /guardrails/0/pattern: the pattern has a “(” without its “)”"], schemaRefuses: false),
    Row(
      text: #"{"guardrails": [{"id": "g", "pattern": "a*"}, {"id": "h", "literal": "b", "ignoreCase": 1}]}"#,
      problems: [
        "1:40: /guardrails/0/pattern: the pattern is met by every text, even by none, and the rule is not used",
        "1:89: /guardrails/1/ignoreCase: must be true or false, not number",
      ], schemaRefuses: true),
    Row(
      text: #"{"guardrails": [{"id": "g"}, {"id": "h", "pattern": "a", "literal": "b"}]}"#,
      problems: [
        "1:17: /guardrails/0: “pattern” or “literal” is missing, and the rule is not used",
        "1:58: /guardrails/1/literal: stands beside “pattern”; leave one of them out, the rule is not used",
      ], schemaRefuses: false),
    Row(
      text: #"{"limits": {"sessions": 0, "textBytes": 99999999}}"#,
      problems: [
        "1:25: /limits/sessions: must be between 1 and 1000",
        "1:41: /limits/textBytes: must be between 1024 and 4194304",
      ]),
    Row(
      text: "{\"tone\": \"simpler\",\n\t\"tone\": \"longer\"}",
      problems: ["2:2: /tone: the field is there twice, and the first one counts"]),
  ]

  @Test(arguments: rows) func mistakesAreNamedWithTheirPlace(_ row: Row) throws {
    let files = ["bad.json": "[1,\n  x]", "numbers.json": "[{}, 1]"]
    let outcome = Self.read(row.text, files: files)
    #expect(outcome.problems.map(\.description) == row.problems)
    #expect(!outcome.isUnreadable)
    let value = try JSONDocument(Array(row.text.utf8)).value
    #expect(try JSONSchema(ConfigurationSchema.value).validate(value).isEmpty != row.schemaRefuses)
    // What is left is good.
    #expect(Self.read(JSONWriter.text(of: outcome.configuration.effective)).problems == [])
  }

  @Test(arguments: [
    ("{\n  \"tone\" \"x\"}", "2:10: the file is not JSON: a colon must follow the name"),
    ("", "1:1: the file is not JSON: the text ends too early: a value must follow"),
    ("{\"a\": 1 /* b", "1:9: the file is not JSON: the comment does not end"),
  ])
  func aFileThatIsNotJSONGivesDefaults(text: String, problem: String) {
    let outcome = Self.read(text)
    #expect(outcome.isUnreadable && outcome.problems.map(\.description) == [problem])
    #expect(outcome.configuration.effective == Configuration().effective)
  }

  /// One bad value costs itself alone.
  @Test func theRestHolds() {
    let outcome = Self.read(
      """
      {"context": "big", "tone": "simpler", "tones": [{"id": "a"}, {"id": "b", "instructions": "i"}, 7],
       "commands": [{"id": "c", "instructions": "i", "input": 3}, {"id": "d", "instructions": "i", "schema": 1}],
       "limits": {"sessions": -1, "requests": 5}}
      """)
    #expect(outcome.problems.count == 6)
    let read = outcome.configuration
    #expect(read.context == nil && read.customization.tone == .simpler)
    #expect(read.customization.tones.map(\.id) == ["b"])
    #expect(read.customization.commands.map(\.id) == ["c"] && read.customization.commands.first?.input == .selection)
    #expect(read.limits.sessions == Limits.sessions && read.limits.requests == 5)
  }

  /// To say where a name stands takes a walk through the file, which is done for no more than are shown.
  @Test(arguments: ["\"tone\":\"formal\"", "\"name#\":1"])
  func manyMistakesAreReadInAMoment(_ member: String) {
    let members = (0..<40_000).map { member.replacing("#", with: String($0)) }
    let start = ContinuousClock.now
    #expect(!Self.read("{" + members.joined(separator: ",") + "}").problems.isEmpty)
    #expect(start.duration(to: .now) < .seconds(60))
  }

  @Test func mistakesHaveABound() {
    let many = (0..<500).map { "\"unknown\($0)\": 1" }.joined(separator: ",")
    #expect(Self.read("{\(many)}").problems.count == 100)
  }
}
