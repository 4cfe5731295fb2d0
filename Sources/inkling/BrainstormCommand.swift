import Assistant
import AssistantProtocol
import JSON

/// `inkling brainstorm`: makes something up for one topic.
enum BrainstormCommand {
  struct Settings: OneShotSettings {
    var engine = EngineSetup()
    var request = OneShotRequest()
    var kind = BrainstormKind.ideas
    var count = 3
    var format = TextFormat.plaintext
    var schema: JSONValue?
  }

  static let command = Command<Settings>(
    name: "brainstorm", summary: "Makes up ideas, characters, stories or tags for a topic.", arguments: "[TOPIC...]",
    details: [
      "The topic is the arguments, or standard input when there are none or only “-”. The result goes to standard "
        + "output when it is whole; on a terminal a line shows meanwhile what is done."
    ],
    choicesTitle: "Kinds", choices: BrainstormKind.allCases.map { ($0.rawValue, $0.choice.description) },
    options: [
      .choice("--kind", "KIND", "What to make up (default ideas)", \.kind),
      .number(
        "--count", "N", "How many ideas or tags, exactly (default 3). Not used by character and storyArc.",
        in: 1...Limits.brainstormCount, \.count),
      .choice("--format", "FORMAT", "The format of the result (default plaintext)", \.format),
      .schema("A JSON Schema for the result, instead of a kind's own.") { $0.schema = $1 },
    ] + .shared() + [
      .temperature("0 always takes the likeliest word; up to 2 is more varied (default 0.8)."), .seed,
      .maxTokens("The longest result in tokens (default: by the kind)."), .model, .config, .noConfig,
    ],
    exitStatuses: OneShot.exitStatuses(
      usage: SchemaFile.usage,
      unsuitable: "The topic is empty, not UTF-8, over 4 MiB, or too long, or the schema is not supported."),
    defaults: { Settings() },
    takeArguments: { (settings, words) throws(UsageError) in try settings.request.takeArguments(words) },
    run: { await brainstorm($0) })

  private static func brainstorm(_ settings: Settings) async -> Int32 {
    await OneShot.run(
      settings, Brainstorm.self, streams: false,
      params: { topic in
        Brainstorm.Params(
          topic: topic, kind: settings.kind, count: settings.count, schema: settings.schema, format: settings.format,
          common: settings.request.common)
      },
      finish: { result, screen in
        OneShot.write(result.rendered, of: result, settings, screen)
      })
  }
}
