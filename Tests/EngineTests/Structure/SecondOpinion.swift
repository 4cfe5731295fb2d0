import JSON
import TestSupport

/// Python's jsonschema, which `make build-tests` puts into .deps: what it says of values, in one process for all.
enum SecondOpinion {
  struct Missing: Error, CustomStringConvertible {
    var description: String { "jsonschema is not in .deps/test-packages: run “make build-tests”" }
  }

  struct Case {
    var schema: JSONValue
    var text: String
  }

  /// What it finds wrong: a line for each value that is not valid. Empty when all are.
  static func objections(to cases: [Case]) throws -> [String] {
    let packages = Repository.path(".deps/test-packages")
    guard Files.list(packages + "/jsonschema") != nil else { throw Missing() }
    let python = try SpawnedProcess(
      Repository.path(".deps/venv/bin/python"), [Repository.path("scripts/check-schemas.py")],
      environment: ["PYTHONPATH": packages, "PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1"])
    for item in cases {
      let line: JSONValue = ["schema": item.schema, "value": .string(item.text)]
      _ = try python.write(JSONWriter.bytes(of: line) + [UInt8(ascii: "\n")], within: 60)
    }
    python.closeInput()
    let output = String(decoding: try python.readToEnd(within: 120), as: UTF8.self)
    let lines = output.split(separator: "\n").map(String.init)
    guard lines.last == "\(cases.count - lines.count + 1) valid" else {
      return lines + ["jsonschema ended early: \(python.standardError())"]
    }
    return Array(lines.dropLast())
  }
}
