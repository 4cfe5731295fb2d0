import JSON
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension EndToEnd {
  /// What `inkling completions` and `inkling man` write, read by the shells and by the formatter of manual pages.
  @Suite(.serialized) struct Completions {
    private let home: ModelsCommand.Home
    private let configuration = """
      {
        "tones": [{"id": "plain", "instructions": "Rewrite the input text in plain words."}],
        "commands": [{"id": "commit", "instructions": "Write a commit message.", "input": "none"}],
      }
      """

    init() throws {
      home = try ModelsCommand.Home()
      try home.write("config/inkling/config.json", Array(configuration.utf8))
      try home.write("own/mine.gguf", ModelsCommand.model())
      try home.write("own/llama:3b.gguf", ModelsCommand.model())
      try home.write("own/$(touch pwned).gguf", ModelsCommand.model())
      try home.write("report.txt", [])
    }

    private func script(_ arguments: [String]) throws -> String {
      let run = try CommandLineTool.run(arguments)
      #expect(run.exit == .status(0) && run.error.isEmpty, "\(arguments): \(run.error)")
      return run.output
    }

    private func runShell(_ program: String, _ arguments: [String], within seconds: Double = 30) throws -> [String] {
      let environment = home.environment.merging([
        "PATH": Programs.searchPath, "HOME": home.folder.root, "TERM": "dumb",
      ]) { $1 }
      let process = try SpawnedProcess(program, arguments, environment: environment)
      process.closeInput()
      let output = String(decoding: try process.readToEnd(within: seconds), as: UTF8.self)
      #expect(try process.waitForExit() == .status(0), "\(process.standardError())")
      #expect(process.standardError().isEmpty, "\(process.standardError())")
      return output.split(whereSeparator: \.isNewline).map(String.init)
    }

    @Test("every option of every command is in the three completions and in the manual page")
    func options() throws {
      let bash = try script(["completions", "bash"]).split(separator: "\n")
      let zsh = try script(["completions", "zsh"])
      let fish = try script(["completions", "fish"]).split(separator: "\n")
      let manual = try script(["man"])
      let help = try script(["--help"])
      let list = try #require(help.split(separator: "Commands:\n").last?.split(separator: "\n\n").first)
      let commands = list.matches(of: #/(?m)^  ([a-z]+)  /#).map { String($0.1) }
      #expect(commands.count >= 12 && commands.contains("models") && !commands.contains("names"))
      for command in commands {
        let options = try script([command, "--help"]).matches(of: #/(?m)^  (--[a-z0-9-]+)/#).map { String($0.1) }
        #expect(options.contains("--help"))
        let bashLine = try #require(bash.first { $0.hasPrefix("    \(command)) options=") })
        let zshEntry = try #require(zsh.split(separator: "\n        \(command))\n").last?.split(separator: ";;").first)
        let page = try #require(
          manual.split(separator: "\n.SS inkling \(command) ").last?.split(separator: "\n.S").first)
        for option in options {
          #expect(bashLine.contains(option), "\(command) \(option)")
          #expect(zshEntry.contains("'\(option)"), "\(command) \(option)")
          let isInFish = fish.contains {
            $0.hasPrefix("complete -c inkling -n '__inkling_is \(command)' -l \(option.dropFirst(2)) ")
          }
          #expect(isInFish, "\(command) \(option)")
          #expect(page.contains(option.replacing("-", with: "\\-")), "\(command) \(option)")
        }
      }
      for text in [zsh, manual, bash.joined(), fish.joined()] { #expect(!text.contains("inkling engine")) }
    }

    @Test("bash completes commands, options, their values, files, and names with a colon")
    func bash() throws {
      let file = try home.folder.file("inkling.bash", Array(try script(["completions", "bash"]).utf8))
      let report = home.folder.path("report.txt")
      let rows: [([String], [String])] = [
        (["re"], ["rephrase"]), (["mod"], ["models"]), (["nam"], []), (["--v"], ["--version"]),
        (["rephrase", "--to"], ["--tone"]), (["rephrase", "x", "--js"], ["--json"]),
        (["summarize", "--style", "b"], ["bullets"]), (["summarize", "--style", "=", "b"], ["bullets"]),
        (["rephrase", "--tone", "pl"], ["plain"]), (["rephrase", "--tone", "=", ""], Self.tones),
        (["config", "s"], ["schema", "show"]), (["config", "show", ""], []), (["run", "co"], ["commit"]),
        (["models", "pu"], ["pull"]), (["models", "use", "mi"], ["mine"]), (["models", "list", "--json", ""], []),
        (["models", "--config", "x", "use", "mi"], ["mine"]), (["models", "use", "llama", ":", "3"], ["3b"]),
        (["summarize", String(report.dropLast(4))], [report]), (["rephrase", "--model", report], [report]),
        (["prepare", "--max-drift", ""], []),
        (["serve", "--mirror", home.folder.path("ow")], [home.folder.path("own")]),
        (["frobnicate", ""], []),
      ]
      for (words, expected) in rows {
        let line = (["inkling"] + words).joined(separator: " ").replacing(" : ", with: ":")
        let code = """
          source "$1"; COMP_LINE=$2; COMP_POINT=${#2}; shift 2; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
          _inkling; ((${#COMPREPLY[@]})) && printf '%s\\n' "${COMPREPLY[@]}"; true
          """
        let arguments = ["--norc", "-c", code, "bash", file, line, Daemon.executable] + words
        #expect(try runShell("bash", arguments) == expected, "\(words)")
      }
      // A name is never carried out.
      let code = """
        cd "$2"; source "$1"; program=$3; word='$'; COMP_LINE=; COMP_POINT=0; COMPREPLY=(); _inkling_names models
        printf '%s\\n' "${COMPREPLY[@]}"
        """
      let names = try runShell("bash", ["--norc", "-c", code, "bash", file, home.folder.root, Daemon.executable])
      #expect(names == [#"\$\(touch\ pwned\)"#] && access(home.folder.path("pwned"), F_OK) != 0)
    }

    private static let tones = [
      "formal", "exciting", "simpler", "shorter", "longer", "friendly", "proofread", "plain",
    ]

    @Test("fish completes (not run where there is no fish)", .enabled(if: Programs.isTested("fish")))
    func fish() throws {
      let file = try home.folder.file("inkling.fish", Array(try script(["completions", "fish"]).utf8))
      let rows: [(String, [String])] = [
        ("inkling re", ["rephrase"]), ("inkling rephrase --to", ["--tone"]),
        ("inkling summarize --style b", ["bullets"]),
        ("inkling summarize --style=b", ["--style=bullets"]), ("inkling rephrase --tone pl", ["plain"]),
        ("inkling config s", ["schema", "show"]), ("inkling config show ", []),
        ("inkling models ", ["list", "pull", "use"]),
        ("inkling models use mi", ["mine"]), ("inkling models pull ", []), ("inkling run co", ["commit"]),
        ("cd \(home.folder.root); inkling summarize rep", ["report.txt"]),
      ]
      for (line, expected) in rows {
        let code = "cd \(home.folder.root); source \(file); complete -C '\(line)'"
        let found = try runShell("fish", ["--no-config", "-c", code]).map { String($0.prefix { $0 != "\t" }) }
        #expect(found.sorted() == expected, "\(line)")
      }
    }

    @Test("zsh completes (not run where there is no zsh)", .enabled(if: Programs.isTested("zsh")))
    func zsh() throws {
      try home.write("functions/_inkling", Array(try script(["completions", "zsh"]).utf8))
      let rows: [(String, String)] = [
        ("inkling rep", "inkling rephrase "), ("inkling rephrase --to", "inkling rephrase --tone="),
        ("inkling summarize --style b", "inkling summarize --style bullets "),
        ("inkling rephrase --tone pl", "inkling rephrase --tone plain "), ("inkling models pu", "inkling models pull "),
        ("inkling models use mi", "inkling models use mine "), ("inkling run co", "inkling run commit "),
        ("inkling summarize rep", "inkling summarize report.txt "), ("inkling config sc", "inkling config schema "),
      ]
      for (line, expected) in rows {
        let found = try runShell("zsh", ["-f", "-c", Self.zshScript, "zsh", home.folder.root, line])
        #expect(found == ["<" + expected + ">"], "\(line)")
      }
    }

    /// Types a line and a tab in a zsh of its own, and writes what the line has become.
    private static let zshScript = #"""
      zmodload zsh/zpty
      zpty inner zsh -f -i
      zpty -w inner "PS1= PS2= RPS1=; cd ${(q)1}; fpath=(${(q)1}/functions \$fpath)"
      zpty -w inner "autoload -U compinit; compinit -u -D"
      zpty -w inner "shown() { print -r -- \"LINE<\$BUFFER>END\"; exit }; zle -N shown; bindkey '^X' shown"
      zpty -w inner "print REA''DY"
      zpty -r -m inner said "*READY*"
      zpty -w -n inner "$2"$'\t\x18'
      zpty -r -m inner said "*LINE<*>END*"
      said=${said##*LINE}
      print -r -- "${said%%END*}"
      zpty -d inner
      """#

    @Test("the manual page is clean (not run where there is no groff)", .enabled(if: Programs.isTested("groff")))
    func manual() throws {
      let page = try home.folder.file("inkling.1", Array(try script(["man"]).utf8))
      let lines = try runShell("groff", ["-man", "-ww", "-Tutf8", page])
      #expect(lines.count > 300 && lines.contains { $0.contains("models") })
    }

    @Test("a wrong shell is refused; make install puts everything where it is looked for")
    func installed() throws {
      for arguments in [
        ["completions"], ["completions", "csh"], ["completions", "bsah"], ["man", "x"], ["names", "x"],
      ] {
        let run = try CommandLineTool.run(arguments)
        #expect(run.exit == .status(2) && run.output.isEmpty && !run.error.isEmpty, "\(arguments)")
      }
      let prefix = home.folder.path("usr")
      _ = try runShell("bash", [Repository.path("scripts/install.sh"), prefix])
      for file in [
        "bin/inkling", "share/man/man1/inkling.1", "share/bash-completion/completions/inkling",
        "share/zsh/site-functions/_inkling", "share/fish/vendor_completions.d/inkling.fish",
      ] {
        #expect(try readFile(prefix + "/" + file).count > 1000, "\(file)")
      }
    }
  }
}
