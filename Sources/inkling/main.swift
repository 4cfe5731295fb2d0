import JSONRPC

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

StandardStreams.openMissing()
let arguments = Array(CommandLine.arguments.dropFirst())
// The engine keeps the thread it is started on, which must not be one of those that run Swift's tasks.
if EngineCommand.isMeant(by: arguments) { exit(EngineCommand.run()) }
// While this is the only thread: what it blocks, all others will.
Signals.block(mindsTerminal: ChatCommand.isMeant(by: arguments))
Program.start(arguments)
Signals.serve()
