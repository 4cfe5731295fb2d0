import Assistant
import AssistantProtocol
import JSON

/// `inkling generate`: fills in a JSON Schema once, without a daemon.
enum GenerateCommand {
  struct Settings: OneShotSettings {
    var engine = EngineSetup()
    var request = OneShotRequest()
    var schema: JSONValue?
    var hidesSchema = false
  }

  static let command = Command<Settings>(
    name: "generate", summary: "Writes JSON that is true to a schema.", arguments: "--schema FILE [PROMPT...]",
    details: [
      "The prompt is the arguments, or standard input when there are none or only “-”. The value goes to standard "
        + "output as one line of JSON when it is whole and has been checked against the schema."
    ],
    options: [
      .schema("The JSON Schema of the value.", \.schema),
      .flag("--hide-schema", "Does not show the schema to the model, which is held to it all the same.", \.hidesSchema),
      .instructions,
      .temperature("0 (default) always takes the likeliest word; up to 2 is more varied."), .seed,
      .maxTokens("The longest value in tokens (default 1024)."), .model,
    ],
    exitStatuses: OneShot.exitStatuses(
      unsuitable: "The prompt is empty, not UTF-8, over 4 MiB, or too long, or the schema is not supported."),
    defaults: { Settings() },
    takeArguments: { (settings, words) throws(UsageError) in
      guard settings.schema != nil else { throw UsageError("generate wants --schema FILE") }
      settings.request.takeArguments(words)
    },
    run: { await generate($0) })

  private static func generate(_ settings: Settings) async -> Int32 {
    guard let schema = settings.schema else { return Program.Status.usage }
    return await OneShot.run(
      settings, streams: false,
      work: { (runner, prompt, sink) async throws(RequestFailure) in
        let params = Generate.Params(
          prompt: prompt, schema: schema, includeSchemaInPrompt: !settings.hidesSchema,
          common: settings.request.common)
        return try await runner.run(.generate, params, sink: sink)
      },
      finish: { result, screen in
        OneShot.write(JSONWriter.text(of: result.value), result.common, screen, addsLineFeed: true)
      })
  }
}
