/// What marks mean at the start of a line in the language of a document.
struct Syntax: Sendable {
  enum Family: Sendable { case unknown, prose, markdown, org, latex, commit, code }

  var family = Family.unknown
  /// Marks that begin a comment to the end of the line; longer ones first.
  var comments: [String] = []
  /// Comments between `/*` and `*/`.
  var hasBlockComments = false

  /// - Parameter language: an identifier of LSP's list (`languageId`), or what editors use beside it.
  init(language: String?) {
    let name = language?.lowercased() ?? ""
    switch name {
    case "": comments = Self.anyComments
    case "plaintext", "text", "txt", "mail", "email": family = .prose
    case "markdown", "md", "quarto", "rmd", "mdx", "asciidoc", "restructuredtext", "rst", "html", "typst":
      family = .markdown
    case "org": family = .org
    case "latex", "tex", "context", "plaintex":
      family = .latex
      comments = ["%"]
    case "git-commit", "gitcommit", "git-rebase", "jjdescription": family = .commit
    case _:
      guard let marks = Self.marks(of: name) else {
        comments = Self.anyComments
        return
      }
      family = .code
      comments = marks
      hasBlockComments = marks.contains("//") || name == "css"
    }
    if family == .unknown { hasBlockComments = true }
  }

  /// Whether `#` begins a heading.
  var hasHashHeadings: Bool {
    switch family {
    case .markdown, .unknown, .prose: true
    case .org, .latex, .commit, .code: false
    }
  }

  /// What stands between the stars of a heading of Org's and its words.
  static let orgKeywords = [
    "TO" + "DO ", "DONE ", "NEXT ", "WAITING ", "HOLD ", "CANCELLED ", "[#A] ", "[#B] ", "[#C] ",
  ]

  /// What a text of unknown kind may be commented with. The single `#`, `;`, `%` count only when all lines have them.
  private static let anyComments = ["///", "//!", "//", ";;;", ";;", "-- ", "--\n"]
  /// See `anyComments`.
  static let shyComments = ["#", ";", "%"]

  private static let families: [(marks: [String], names: String)] = [
    (
      ["///", "//!", "//"],
      """
      c cpp cuda-cpp csharp css d dart fsharp go groovy java javascript javascriptreact jsonc kotlin less objective-c \
      objective-cpp php proto protobuf rust sass scala scss solidity swift typescript typescriptreact verilog \
      systemverilog zig
      """
    ),
    (
      ["##", "#"],
      """
      awk bash cmake coffeescript conf crystal dockerfile dotenv elixir fish gdscript gitignore graphql hcl julia just \
      make makefile nginx nim nix perl perl6 powershell properties python r ruby sh shellscript starlark tcl terraform \
      toml yaml zsh
      """
    ),
    (["---", "--"], "ada agda applescript elm haskell idris lua purescript sql vhdl"),
    ([";;;;", ";;;", ";;", ";"], "asm autohotkey clojure commonlisp elisp emacs-lisp ini lisp racket scheme"),
    (["%%", "%"], "erlang matlab prolog octave"), (["\""], "vim viml"), (["'"], "vb vbscript"), (["!"], "fortran"),
  ]

  private static func marks(of name: String) -> [String]? {
    families.first { $0.names.split(separator: " ").contains { $0.utf8.elementsEqual(name.utf8) } }?.marks
  }
}

extension Syntax {
  /// The language of a document by the end of its address, when the editor has not named it.
  static func language(of uri: String) -> String? {
    let file = uri.split(separator: "/").last ?? ""
    guard let dot = file.lastIndex(of: ".") else { return nil }
    let ending = file[file.index(after: dot)...].lowercased()
    return switch ending {
    case "md", "markdown": "markdown"
    case "tex", "sty": "latex"
    case "org": "org"
    case "txt", "eml": "plaintext"
    case "py": "python"
    case "rb": "ruby"
    case "rs": "rust"
    case "js", "mjs", "jsx": "javascript"
    case "ts", "tsx": "typescript"
    case "h", "hpp", "cc", "cxx": "cpp"
    case "kt": "kotlin"
    case "hs": "haskell"
    case "el": "emacs-lisp"
    case "yml": "yaml"
    case "cs": "csharp"
    case _: marks(of: ending) == nil ? nil : ending
    }
  }
}
