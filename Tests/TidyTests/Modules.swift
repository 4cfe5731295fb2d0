/// Which modules of this package each module may import: the arrows of Sources/README.md. SwiftPM lets a target import
/// whatever was built before it, so the direction is kept by a test.
let allowedImports: [String: Set<String>] = [
  "CLlama": [],
  "CPosix": [],
  "CSQLite": [],
  "JSON": [],
  "JSONRPC": ["JSON", "CPosix"],
  "AssistantProtocol": ["JSON", "JSONRPC"],
  "EngineProtocol": ["JSON", "JSONRPC"],
  "Client": ["JSON", "JSONRPC", "AssistantProtocol", "CPosix"],
  "LanguageServer": ["JSON", "JSONRPC", "AssistantProtocol", "Client"],
  "TerminalUI": ["JSON"],
  "Inference": [],
  "GGUF": [],
  "Models": ["JSON", "GGUF", "CPosix"],
  "Llama": ["Inference", "GGUF", "CLlama"],
  "Engine": ["JSON", "JSONRPC", "EngineProtocol", "Inference", "Llama"],
  "Assistant": ["JSON", "JSONRPC", "AssistantProtocol", "EngineProtocol", "CPosix", "CSQLite"],
  "inkling": [
    "JSON", "JSONRPC", "AssistantProtocol", "EngineProtocol", "Assistant", "Client", "LanguageServer",
    "TerminalUI", "GGUF", "Models", "Engine",
  ],
  "Benchmarks": ["JSON", "JSONRPC", "AssistantProtocol", "EngineProtocol", "Inference", "Llama", "Engine"],
]

/// What comes with Swift and the system. Foundation as a whole is four times the program's size and slower to start.
private let systemModules: Set<String> = [
  "Swift", "Synchronization", "Dispatch", "FoundationEssentials", "Glibc", "Musl", "Darwin",
]

/// Imports that the tables above do not allow. `Foundation` may stand in for FoundationEssentials where that does not
/// exist (macOS), and serves as the measure of comparison in the benchmarks.
func importFindings(in file: SourceFile, allowed: [String: Set<String>] = allowedImports) -> [Finding] {
  guard let module = file.folder else { return [] }
  guard let modules = allowed[module] else {
    return [Finding(path: file.path, line: 1, message: "the module \(module) has no row in allowedImports")]
  }
  let fallsBack = file.text.contains("canImport(FoundationEssentials)")
  return imports(in: file).compactMap { name, line in
    if systemModules.contains(name) || modules.contains(name) || name == module { return nil }
    if name == "Foundation", fallsBack || module == "Benchmarks" { return nil }
    return Finding(path: file.path, line: line, message: "\(module) must not import \(name)")
  }
}

/// The modules that a file imports, with the line of each.
func imports(in file: SourceFile) -> [(module: String, line: Int)] {
  let statement =
    #/
    ^\s* (?: @\w+ (?: \([^)]*\) )? \s+ | (?: public | package | internal | fileprivate | private ) \s+ )*
    import \s+ (?: (?: struct | class | enum | protocol | typealias | func | let | var ) \s+ )?
    (\w+)
    /#
  return codeAlone(file.text).split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    .compactMap { index, line in line.firstMatch(of: statement).map { (String($0.1), index + 1) } }
}

/// The modules in the code map of a README: the first cell of each table row that holds one name in backticks.
func modulesInCodeMap(_ text: String) -> [String] {
  text.split(separator: "\n").compactMap { $0.firstMatch(of: #/^\| `(\w+)` \|/#).map { String($0.1) } }
}

/// The Swift files that a README names in backticks.
func filesNamed(in text: String) -> [String] {
  text.matches(of: #/`([\w+]+\.swift)`/#).map { String($0.1) }
}
