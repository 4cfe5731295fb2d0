import JSON

// The shapes of `assistant/brainstorm`. Small models write on and on inside a string, so every string has a bound.

/// Ideas for a topic.
package struct Ideas: Generable {
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
}

/// Ideas for the sequel of a story.
package struct Sequel: Generable {
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
}

/// A character of a story.
package struct StoryCharacter: Generable {
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
}

/// A story from its setting to its resolution.
package struct StoryArc: Generable {
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
}

/// Tags for a text.
package struct Tags: Generable {
  package var tags: [String] = []
  package init() {}
  package static let properties: [GuidedProperty<Tags>] = [
    .property(
      "tags", \.tags, "Tags", "one or two words each", style: .bare, .requestedCount(), .each(.length(2...30)))
  ]
}
