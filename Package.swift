// swift-tools-version: 6.1
import PackageDescription

// The C library that runs the model. `make deps` builds it into .deps/llama; INKLING_SYSTEM_LLAMA=1 takes the
// one that pkg-config finds (Homebrew, a distribution).
let root = Context.packageDirectory
let usesSystemLlama = Context.environment["INKLING_SYSTEM_LLAMA"] == "1"
let llamaPrefix = "\(root)/.deps/llama"

let cLlama: Target =
  usesSystemLlama
  ? .systemLibrary(name: "CLlama", path: "Sources/CLlama", pkgConfig: "llama")
  : .systemLibrary(name: "CLlama", path: "Sources/CLlama")

let llamaCompile: [SwiftSetting] =
  usesSystemLlama ? [] : [.unsafeFlags(["-Xcc", "-I\(llamaPrefix)/include"])]

#if os(macOS)
  let llamaPlatformLibraries: [LinkerSetting] = [
    .linkedLibrary("c++"), .linkedFramework("Accelerate"), .linkedFramework("Metal"),
    .linkedFramework("MetalKit"), .linkedFramework("Foundation"),
  ]
  let llamaArchives = ["llama", "ggml", "ggml-metal", "ggml-blas", "ggml-cpu", "ggml-base"]
#else
  let llamaPlatformLibraries: [LinkerSetting] = [.linkedLibrary("stdc++"), .linkedLibrary("m")]
  let llamaArchives = ["llama", "ggml", "ggml-cpu", "ggml-base"]
#endif

let llamaLink: [LinkerSetting] =
  usesSystemLlama
  ? [.linkedLibrary("llama")]
  : [.unsafeFlags(["-L\(llamaPrefix)/lib"])] + llamaArchives.map { .linkedLibrary($0) } + llamaPlatformLibraries

// Debian's archive, so that the program needs no shared SQLite where it is copied to. macOS has its own.
#if os(macOS)
  let sqliteLink: [LinkerSetting] = [.linkedLibrary("sqlite3")]
#else
  let sqliteLink: [LinkerSetting] = [.linkedLibrary(":libsqlite3.a"), .linkedLibrary("m")]
#endif

// On Linux the program carries its Swift runtime, so that one file can be copied anywhere. Given to the link of this
// program rather than to the whole build (--static-swift-stdlib), since there is no static Testing module: so tests and
// program share one compilation. The last two archives are what a static FoundationEssentials stands on.
let selfContained: [LinkerSetting] = [
  .unsafeFlags(
    ["-static-stdlib", "-lFoundationEssentials", "-l_FoundationCShims", "-l_FoundationCollections"],
    .when(platforms: [.linux], configuration: .release))
]

// Warnings are errors, also in the tests; lint and tidy tests hold the rest of the style.
let strict: [SwiftSetting] = [.swiftLanguageMode(.v6), .unsafeFlags(["-warnings-as-errors"])]

func library(_ name: String, _ dependencies: [Target.Dependency] = [], settings: [SwiftSetting] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict + settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], excluding: [String] = []) -> Target {
  .testTarget(name: name, dependencies: dependencies, exclude: excluding, swiftSettings: strict + llamaCompile)
}

/// What the tests of the plugins run in the editors.
let editorDrivers = ["scripted_daemon.py", "emacs", "helix", "kakoune", "neovim", "vim", "vscode"]

let package = Package(
  name: "inkling",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "inkling", targets: ["inkling"])],
  targets: [
    cLlama,
    .systemLibrary(name: "CSQLite", path: "Sources/CSQLite"),
    .target(name: "CPosix"),
    library("JSON"),
    library("JSONRPC", ["JSON", "CPosix"]),
    library("AssistantProtocol", ["JSON", "JSONRPC"]),
    library("EngineProtocol", ["JSON", "JSONRPC"]),
    library("Client", ["JSON", "JSONRPC", "AssistantProtocol", "CPosix"]),
    library("LanguageServer", ["JSON", "JSONRPC", "AssistantProtocol", "Client"]),
    library("TerminalUI", ["JSON"]),
    library("Inference"),
    library("GGUF", settings: [.unsafeFlags(["-strict-memory-safety"])]),
    library("Models", ["JSON", "GGUF", "CPosix"]),
    .target(
      name: "Llama", dependencies: ["Inference", "GGUF", "CLlama"],
      swiftSettings: strict + llamaCompile + [.unsafeFlags(["-strict-memory-safety"])], linkerSettings: llamaLink),
    library("Engine", ["JSON", "JSONRPC", "EngineProtocol", "Inference", "Llama"], settings: llamaCompile),
    .target(
      name: "Assistant",
      dependencies: ["JSON", "JSONRPC", "AssistantProtocol", "EngineProtocol", "CPosix", "CSQLite"],
      swiftSettings: strict, linkerSettings: sqliteLink),
    .executableTarget(
      name: "inkling",
      dependencies: [
        "JSON", "JSONRPC", "AssistantProtocol", "EngineProtocol", "Assistant", "Client", "LanguageServer",
        "TerminalUI", "GGUF", "Models", "Engine",
      ],
      swiftSettings: strict + llamaCompile, linkerSettings: selfContained),
    .executableTarget(
      name: "inkling-bench",
      dependencies: ["JSON", "JSONRPC", "AssistantProtocol", "EngineProtocol", "Inference", "Llama", "Engine"],
      path: "Sources/Benchmarks", swiftSettings: strict + llamaCompile),

    .target(
      name: "TestSupport", dependencies: ["JSON", "JSONRPC", "CPosix"], path: "Tests/TestSupport",
      swiftSettings: strict),
    tests("JSONTests", ["JSON", "TestSupport"]),
    tests("JSONRPCTests", ["JSON", "JSONRPC", "TestSupport"]),
    tests("AssistantProtocolTests", ["JSON", "JSONRPC", "AssistantProtocol", "EngineProtocol", "TestSupport"]),
    tests("ClientTests", ["JSON", "JSONRPC", "AssistantProtocol", "Client", "TestSupport"]),
    tests("TerminalUITests", ["TerminalUI", "TestSupport"]),
    tests("InferenceTests", ["Inference", "TestSupport"]),
    tests("LlamaTests", ["Inference", "GGUF", "Llama", "TestSupport"], excluding: ["Goldens"]),
    tests("EngineTests", ["JSON", "JSONRPC", "EngineProtocol", "Inference", "Llama", "Engine", "TestSupport"]),
    tests("AssistantTests", ["JSON", "JSONRPC", "AssistantProtocol", "EngineProtocol", "Assistant", "TestSupport"]),
    tests(
      "LanguageServerTests", ["JSON", "JSONRPC", "AssistantProtocol", "Client", "LanguageServer", "TestSupport"]),
    tests(
      "EndToEndTests", ["JSON", "JSONRPC", "AssistantProtocol", "TestSupport"],
      excluding: ["Acceptance/README.md"]
        + ["neovim.lua", "eglot.el", "test_pygls.py"].map { "LanguageClients/\($0)" }),
    .testTarget(
      name: "EditorTests", dependencies: ["TestSupport"], exclude: editorDrivers, swiftSettings: strict + llamaCompile),
    tests("TidyTests", ["TestSupport"]),
  ]
)
