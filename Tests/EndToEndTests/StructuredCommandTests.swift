import JSON
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension EndToEnd {
  /// `inkling brainstorm` and `inkling generate` as a person or a script calls them, with the real model.
  @Suite(.serialized) struct StructuredCommands {
    private static let schema = #"""
      {"type":"object","properties":{"place":{"type":"string","maxLength":20},"people":{"type":"integer","minimum":0,
      "maximum":999},"kind":{"enum":["ship","train"]}},"required":["place","people","kind"],
      "additionalProperties":false}
      """#

    @Test(
      "each kind as JSON: true to its shape, with exactly the number that was asked for, all different",
      arguments: [
        ("ideas", "concepts"), ("sequel", "concepts"), ("tags", "tags"), ("character", nil), ("storyArc", nil),
      ]
        as [(String, String?)])
    func kinds(_ kind: String, _ list: String?) throws {
      let run = try CommandLineTool.run(
        ["brainstorm", "--kind", kind, "--count", "2", "--json", "--seed", "3", "a lighthouse on a mountain"])
      #expect(run.exit == .status(0), "\(run.error)")
      #expect(run.output.utf8.filter { $0 == UInt8(ascii: "\n") }.count == 1)
      let result = try JSONParser.parse(run.output)
      #expect(result["rendered"]?.stringValue?.isEmpty == false && result["usage"] != nil, "\(run.output)")
      let value = try #require(result["value"])
      if let list {
        guard case .array(let items)? = value[list] else { throw JSONMismatch("has no \(list)") }
        #expect(items.count == 2 && items.first != items.last, "\(run.output)")
      } else {
        #expect(value["name"] != nil || value["movieTitle"] != nil, "\(run.output)")
      }
    }

    // Not the same text twice: with the threads of a step its sums change a little, and so may a token.
    @Test("a topic comes from arguments or from standard input; formats differ in form")
    func formats() throws {
      let topic = "a lighthouse on a mountain"
      let options = ["brainstorm", "--seed", "5", "--count", "2"]
      for plain in [try CommandLineTool.run(options + [topic]), try CommandLineTool.run(options, input: topic)] {
        #expect(plain.exit == .status(0), "\(plain.error)")
        #expect(plain.output.hasPrefix("Concepts\n1. ") && plain.output.hasSuffix("\n"), "\(plain.output)")
      }
      for (format, start) in [("markdown", "**Concepts**"), ("org", "*Concepts*"), ("latex", "\\textbf{Concepts}")] {
        let run = try CommandLineTool.run(options + ["--format", format, topic])
        #expect(run.output.hasPrefix(start), "\(run.output)")
      }
    }

    @Test("generate is true to the schema, shown to the model or not")
    func schema() throws {
      let folder = try TemporaryFolder()
      let file = try folder.file("schema.json", Array(Self.schema.utf8))
      let schema = try JSONSchema(JSONParser.parse(Self.schema))
      for options in [[], ["--hide-schema"]] {
        let run = try CommandLineTool.run(
          ["generate", "--schema", file] + options + ["The ferry left at nine with forty people on board."])
        #expect(run.exit == .status(0), "\(run.error)")
        #expect(schema.validate(try JSONParser.parse(run.output)).isEmpty, "\(run.output)")
      }
      // From a pipe, as the shell makes one of a command's output; with the whole result.
      let run = try CommandLineTool.run(
        ["generate", "--schema", "/dev/stdin", "--json", "A ferry at nine."], input: Self.schema)
      let value = try #require(try JSONParser.parse(run.output)["value"], "\(run.error)")
      #expect(schema.validate(value).isEmpty, "\(run.output)")
    }

    @Test("a schema in a named pipe that nobody writes is not waited for")
    func pipe() throws {
      let folder = try TemporaryFolder()
      let path = folder.path("pipe")
      #expect(mkfifo(path, 0o600) == 0)
      let run = try CommandLineTool.run(["generate", "--schema", path, "x"], within: 5)
      #expect(run.exit == .status(2) && run.error.contains("nobody writes"), "\(run.error)")
    }

    @Test("what cannot be done is one line on standard error, with its status")
    func refusals() throws {
      let folder = try TemporaryFolder()
      let unsupported = try folder.file("unsupported.json", Array(#"{"not":{}}"#.utf8))
      let rows: [(arguments: [String], input: String, status: Int32)] = [
        (["brainstorm"], " \n", 4), (["generate", "--schema", unsupported, "x"], "", 4),
        (["brainstorm", "--schema", unsupported, "x"], "", 4),
        (["brainstorm", "--model", "/nonexistent.gguf", "x"], "", 3),
        (["brainstorm", "--max-tokens", "1", "x"], "", 1),
      ]
      for row in rows {
        let run = try CommandLineTool.run(row.arguments, input: row.input)
        #expect(run.exit == .status(row.status), "\(row.arguments): \(run.error)")
        #expect(run.output.isEmpty, "\(row.arguments)")
        #expect(run.error.split(separator: "\n").count == 1, "\(row.arguments): \(run.error)")
        if row.arguments.contains("--max-tokens") {
          #expect(run.error.contains("a larger --max-tokens"), "\(run.error)")
        }
      }
    }
  }
}
