import JSON

// The shapes of `assistant/brainstorm`. Small models write on and on inside a string, so every string has a bound.

/// A type that `assistant/brainstorm` makes, with an example for the model to go by.
package protocol StructuredKind: Generable {
  static var exampleTopic: String { get }
  static var example: Self { get }
}

/// Ideas for a topic.
package struct Ideas: StructuredKind {
  package var concepts: [String] = []
  package var themes: [String] = []
  package var suggestedTitle = ""
  package init() {}
  package static let properties: [GuidedProperty<Ideas>] = [
    .property(
      "concepts", \.concepts, "Concepts", "different ideas, one sentence each", style: .numbers, .requestedCount(),
      .each(.length(8...160))),
    .property(
      "themes", \.themes, "Themes", "what they are about, one or two words each", .count(2...4),
      .each(.length(3...30))),
    .property("suggestedTitle", \.suggestedTitle, "Suggested title", "a short title", .length(3...60)),
  ]
  package static let exampleTopic = "a bakery at night"
  package static let example = {
    var result = Ideas()
    result.concepts = [
      "A baker finds out that her bread grants a wish until sunrise.",
      "Two rival ovens have to share one kitchen.", "A night guard learns to bake from a ghost.",
    ]
    result.themes = ["wonder", "rivalry"]
    result.suggestedTitle = "Bread Before Dawn"
    return result
  }()
}

/// Ideas for the sequel of a story.
package struct Sequel: StructuredKind {
  package var concepts: [String] = []
  package var themes: [String] = []
  package var suggestedTitle = ""
  package init() {}
  package static let properties: [GuidedProperty<Sequel>] = [
    .property(
      "concepts", \.concepts, "Concepts", "different plots for the sequel, one sentence each", style: .numbers,
      .requestedCount(), .each(.length(8...160))),
    .property(
      "themes", \.themes, "Themes", "what they are about, one or two words each", .count(2...4),
      .each(.length(3...30))),
    .property("suggestedTitle", \.suggestedTitle, "Suggested title", "the sequel's title", .length(3...60)),
  ]
  package static let exampleTopic = "A baker saves her shop with a magic oven."
  package static let example = {
    var result = Sequel()
    result.concepts = [
      "The oven breaks down, and she must bake without magic.", "Her old rival opens a shop across the street.",
      "A prince asks her to bake for his whole army.",
    ]
    result.themes = ["courage", "friendship"]
    result.suggestedTitle = "The Cold Oven"
    return result
  }()
}

/// A character of a story.
package struct StoryCharacter: StructuredKind {
  package var name = ""
  package var species = ""
  package var personality = ""
  package var motivation = ""
  package var flaw = ""
  package var catchphrase = ""
  package init() {}
  package static let properties: [GuidedProperty<StoryCharacter>] = [
    .property("name", \.name, "Name", "a name", .length(2...40)),
    .property("species", \.species, "Species", "human, animal, robot or other", .length(2...40)),
    .property("personality", \.personality, "Personality", "one sentence", .length(8...160)),
    .property("motivation", \.motivation, "Motivation", "what the character wants", .length(8...160)),
    .property("flaw", \.flaw, "Flaw", "the character's weakness", .length(4...120)),
    .property("catchphrase", \.catchphrase, "Catchphrase", "what the character always says", .length(3...80)),
  ]
  package static let exampleTopic = "a bakery at night"
  package static let example = {
    var result = StoryCharacter()
    result.name = "Marta Quill"
    result.species = "owl"
    result.personality = "Patient with dough and short with people."
    result.motivation = "She wants to win back her father's bakery."
    result.flaw = "She never asks for help."
    result.catchphrase = "Let it rise!"
    return result
  }()
}

/// A story from its setting to its resolution.
package struct StoryArc: StructuredKind {
  package var movieTitle = ""
  package var setting = ""
  package var incitingIncident = ""
  package var centralConflict = ""
  package var darkestMoment = ""
  package var resolution = ""
  package var theme = ""
  package init() {}
  package static let properties: [GuidedProperty<StoryArc>] = [
    .property("movieTitle", \.movieTitle, "Movie title", "a short title", .length(3...60)),
    .property("setting", \.setting, "Setting", "where and when", .length(8...160)),
    .property("incitingIncident", \.incitingIncident, "Inciting incident", "what starts the story", .length(8...160)),
    .property(
      "centralConflict", \.centralConflict, "Central conflict", "who wants what against whom", .length(8...160)),
    .property("darkestMoment", \.darkestMoment, "Darkest moment", "when all seems lost", .length(8...160)),
    .property("resolution", \.resolution, "Resolution", "how it ends", .length(8...160)),
    .property("theme", \.theme, "Theme", "what it is about, a few words", .length(3...60)),
  ]
  package static let exampleTopic = "a bakery at night"
  package static let example = {
    var result = StoryArc()
    result.movieTitle = "Bread Before Dawn"
    result.setting = "A small bakery in Lisbon, one winter night."
    result.incitingIncident = "The old baker disappears and leaves a strange recipe."
    result.centralConflict = "Marta must bake the recipe before a rich rival does."
    result.darkestMoment = "The oven goes cold, and her friends have left her."
    result.resolution = "She bakes with the whole street, and the baker returns."
    result.theme = "Nobody bakes alone."
    return result
  }()
}

/// Tags for a text.
package struct Tags: StructuredKind {
  package var tags: [String] = []
  package init() {}
  package static let properties: [GuidedProperty<Tags>] = [
    .property(
      "tags", \.tags, "Tags", "one or two words each", style: .bare, .requestedCount(), .each(.length(2...30)))
  ]
  package static let exampleTopic = "A baker saves her shop with a magic oven."
  package static let example = {
    var result = Tags()
    result.tags = ["bakery", "magic", "small shops"]
    return result
  }()
}
