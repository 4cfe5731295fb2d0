import AssistantProtocol
import EngineProtocol

/// The starts of prompts that are made of nothing but the program's own words. Only these may be kept on the disk, so
/// they are found by comparison with a table that no request takes part in, not by what a feature says of its prompt.
package enum BuiltInPrompts {
  /// How many of the first messages are, byte for byte, the start of a prompt that the program brings along.
  package static func count(in messages: [PromptMessage]) -> Int {
    all.reduce(0) { best, start in
      start.count > best && start.count <= messages.count && zip(start, messages).allSatisfy(isSame)
        ? start.count : best
    }
  }

  private static func isSame(_ left: PromptMessage, _ right: PromptMessage) -> Bool {
    left.role == right.role && left.text.hasSameBytes(as: right.text)
  }

  package static let all: [[PromptMessage]] = {
    var all = [Prompt.sharedMessages]
    for tone in Tone.builtin {
      // The last message is the one with the text.
      all.append(Prompt.messages(task: tone.task, examples: tone.examples, instructions: nil, source: "").dropLast())
    }
    for kind in BrainstormKind.allCases {
      let params = Brainstorm.Params(topic: "", kind: kind)
      let prompt = StructuredFeature.brainstorm.generateParams(for: params, kind.shape(count: 1), count: 1)
      all.append(prompt.messages.dropLast())
    }
    for voice in Personality.builtin {
      var session = Session()
      session.personality = voice
      all.append([PromptMessage(.system, SessionPrompt.system(session, CommonParams(), summary: nil))])
    }
    return all
  }()
}
