import JSON
import TestSupport
import Testing

extension EndToEnd {
  /// `inkling summarize` as a person or a script calls it, with the real model.
  @Suite(.serialized) struct SummarizeCommand {
    private static let ferry = """
      The ferry crossed the lake four times a day. Its captain counted the passengers and waited when the number was \
      odd. In winter the ice was cut with long saws.
      """
    private static let bridge = """
      The new bridge was planned for six years and built in a single summer. On the last evening the whole village \
      came aboard.
      """

    @Test("two files are one text, as are standard input and “-”")
    func sources() throws {
      let folder = try TemporaryFolder()
      let files = try [("a.txt", Self.ferry), ("b.txt", Self.bridge)].map { try folder.file($0, Array($1.utf8)) }
      let whole = Self.ferry + "\n\n" + Self.bridge
      let named = try CommandLineTool.run(["summarize"] + files)
      #expect(named.exit == .status(0) && named.error.isEmpty, "\(named.error)")
      #expect(named.output.count > 10 && named.output.hasSuffix("\n"), "\(named.output)")
      for arguments in [["summarize"], ["summarize", "-"]] {
        #expect(try CommandLineTool.run(arguments, input: whole).output == named.output, "\(arguments)")
      }
      #expect(try CommandLineTool.run(["summarize", files[1]]).output != named.output)
    }

    @Test("--json is the whole result in one line; bullets are as many as were asked for")
    func forms() throws {
      let text = Self.ferry + " " + Self.bridge
      let json = try CommandLineTool.run(["summarize", "--json", "--count", "1"], input: text)
      #expect(json.exit == .status(0), "\(json.error)")
      #expect(json.output.utf8.filter { $0 == UInt8(ascii: "\n") }.count == 1)
      let result = try JSONParser.parse(json.output)
      let plain = try CommandLineTool.run(["summarize", "--count", "1"], input: text)
      #expect(result["text"]?.stringValue.map { $0 + "\n" } == plain.output, "\(json.output)")
      #expect(result["reduction"] != nil && result["usage"] != nil, "\(json.output)")
      let bullets = try CommandLineTool.run(["summarize", "--style", "bullets", "--count", "3"], input: text)
      let lines = bullets.output.split(separator: "\n")
      #expect(bullets.exit == .status(0), "\(bullets.error)")
      #expect(lines.count == 3 && lines.allSatisfy { $0.hasPrefix("- ") }, "\(bullets.output)")
    }

    @Test("what cannot be summarised is one line on standard error, with its status")
    func refusals() throws {
      let folder = try TemporaryFolder()
      let good = try folder.file("good", Array(Self.ferry.utf8))
      // Three bytes a character, so that what is read of it ends inside one.
      let large = [UInt8]("字".utf8)
      let oversized = try folder.file("oversized", (0..<(4 << 20) / 3 + 2).flatMap { _ in large })
      let half = try folder.file("half", [UInt8](repeating: UInt8(ascii: "a"), count: 3 << 20))
      let binary = try folder.file("binary", [0x61, 0xff])
      let rows: [(arguments: [String], status: Int32, says: String)] = [
        (["--style", "headline", "--count", "2", good], 2, "--count must be 1"),
        (["--count", "0", good], 2, "--count"), (["--style", "poem", good], 2, "--style"),
        ([folder.path("missing")], 4, "cannot be read"), ([good, folder.root], 4, "cannot be read"),
        ([oversized], 4, "longer than 4 MiB"), ([half, half], 4, "longer than 4 MiB"), ([binary], 4, "is not UTF-8"),
        (["--model", "/nonexistent.gguf", good], 3, "/nonexistent.gguf"),
      ]
      for row in rows {
        let run = try CommandLineTool.run(["summarize"] + row.arguments)
        #expect(run.exit == .status(row.status), "\(row.arguments): \(run.error)")
        #expect(run.output.isEmpty && run.error.contains(row.says), "\(row.arguments): \(run.error)")
        #expect(run.error.split(separator: "\n").count == 1, "\(run.error)")
      }
      let cut = try CommandLineTool.run(["summarize"], input: String(decoding: try readFile(oversized), as: UTF8.self))
      #expect(cut.exit == .status(4) && cut.error.contains("longer than 4 MiB"), "\(cut.error)")
    }
  }
}
