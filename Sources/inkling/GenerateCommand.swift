import Assistant
import AssistantProtocol
import JSON

/// `inkling generate`: fills in a JSON Schema once.
enum GenerateCommand {
  struct Settings: OneShotSettings {
    var engine = EngineSetup()
    var request = OneShotRequest()
    /// null, which is no schema, when none was given.
    var schema = JSONValue.null
    var hidesSchema = false
  }

  static let command = Command<Settings>(
    name: "generate", summary: "Writes JSON that is true to a schema.", arguments: "--schema FILE [PROMPT...]",
    details: [
      "The prompt is the arguments, or standard input when there are none or only “-”. The value goes to standard "
        + "output as one line of JSON when it is whole and has been checked against the schema."
    ],
    options: [
      .schema("The JSON Schema of the value.") { $0.schema = $1 },
      .flag("--hide-schema", "Does not show the schema to the model, which is held to it all the same.", \.hidesSchema),
    ] + .shared() + [
      .temperature("0 (default) always takes the likeliest word; up to 2 is more varied."), .seed,
      .maxTokens("The longest value in tokens (default 1024)."), .model, .config, .noConfig,
    ],
    exitStatuses: OneShot.exitStatuses(
      usage: SchemaFile.usage,
      unsuitable: "The prompt is empty, not UTF-8, over 4 MiB, or too long, or the schema is not supported."),
    defaults: { Settings() },
    takeArguments: { (settings, words) throws(UsageError) in try settings.request.takeArguments(words) },
    check: { settings throws(UsageError) in
      if settings.schema == .null { throw UsageError("generate wants --schema FILE with a JSON Schema") }
    },
    run: { await generate($0) })

  private static func generate(_ settings: Settings) async -> Int32 {
    await OneShot.run(
      settings, Generate.self, streams: false,
      params: { prompt in
        Generate.Params(
          prompt: prompt, schema: settings.schema, includeSchemaInPrompt: !settings.hidesSchema,
          common: settings.request.common)
      },
      finish: { result, screen in
        OneShot.write(JSONWriter.text(of: result.value), of: result, settings, screen)
      })
  }
}
