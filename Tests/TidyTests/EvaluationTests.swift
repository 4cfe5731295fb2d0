import TestSupport
import Testing

/// `make eval` measures what the product writes; here its measures are measured.
@Suite struct EvaluationTests {
  @Test("each measure of the evaluation passes what is good and catches what is not")
  func measures() throws {
    let process = try SpawnedProcess("python3", [Repository.path("scripts/eval.py"), "--self-test"])
    process.closeInput()
    let output = String(decoding: try process.readToEnd(within: 60), as: UTF8.self)
    #expect(try process.waitForExit() == .status(0), "\(output)\(process.standardError())")
    let closing = try #require(output.split(separator: "\n").last?.wholeMatch(of: #/(\d+) passed, 0 failed/#))
    #expect(try #require(Int(closing.1)) > 150, "the tables are there")
  }

  @Test("the texts to be evaluated are of many kinds, and hold what they say must be kept")
  func texts() throws {
    let script = """
      import json, sys
      texts = json.load(open(sys.argv[1], encoding="utf-8"))
      assert len({text["id"] for text in texts}) == len(texts), "an id is there twice"
      for text in texts:
          assert set(text) == {"id", "languageId", "language", "text", "keep"}, text["id"]
          assert text["text"].strip() and all(part in text["text"] for part in text["keep"]), text["id"]
      print(len(texts), len({text["language"] for text in texts}))
      """
    let path = Repository.path("Tests/Evaluation/selections.json")
    let process = try SpawnedProcess("python3", ["-c", script, path])
    process.closeInput()
    let output = String(decoding: try process.readToEnd(within: 60), as: UTF8.self)
    #expect(try process.waitForExit() == .status(0), "\(process.standardError())")
    let numbers = output.split { $0 == " " || $0 == "\n" }.compactMap { Int($0) }
    #expect(numbers.count == 2 && numbers[0] >= 40 && numbers[1] >= 12, "texts and languages: \(output)")
  }
}
