import JSON

extension Catalog {
  /// Animated films to go by when a story is made up.
  package static let films = Catalog(
    [
      film(
        "Toy Story", 1995, ["friendship", "jealousy", "being replaced"], "loyal leader who fears to lose his place",
        "There is room in a heart for more than one friend."),
      film(
        "A Bug's Life", 1998, ["courage", "community", "oppression"], "clumsy inventor whom nobody trusts",
        "The small are many, and together they are strong."),
      film(
        "Monsters, Inc.", 2001, ["fear", "laughter", "fatherhood"], "proud worker who finds out what his work does",
        "Joy carries further than fear."),
      film(
        "Finding Nemo", 2003, ["parenthood", "letting go", "the sea"], "fearful father on a long search",
        "To love a child is to let it swim on its own."),
      film(
        "The Incredibles", 2004, ["family", "talent", "midlife"], "hero who is not allowed to be one",
        "A family is strongest when all may be what they are."),
      film(
        "Cars", 2006, ["ambition", "slowing down", "small towns"], "vain champion who is stranded",
        "The way matters more than the trophy."),
      film(
        "Ratatouille", 2007, ["art", "prejudice", "cooking"], "outsider with a gift that nobody expects",
        "Greatness can come from anywhere."),
      film(
        "WALL·E", 2008, ["loneliness", "love", "the environment"], "last worker who kept his curiosity",
        "Care for one thing, and the world can grow again."),
      film(
        "Up", 2009, ["grief", "adventure", "old age"], "widower who holds on to a promise",
        "A shared ordinary life was the adventure."),
      film(
        "Brave", 2012, ["freedom", "mothers and daughters", "tradition"], "headstrong daughter who wants another fate",
        "Mending a bond takes listening from both sides."),
      film(
        "Inside Out", 2015, ["emotions", "growing up", "moving house"], "cheerful guide who cannot bear sadness",
        "Sadness has its place, for it calls others near."),
      film(
        "Coco", 2017, ["memory", "music", "ancestors"], "young musician against the will of his family",
        "Nobody is gone whom somebody remembers."),
      film(
        "Soul", 2020, ["purpose", "music", "mortality"], "teacher who waits for his life to begin",
        "To live is itself the purpose."),
      film(
        "Luca", 2021, ["friendship", "being different", "summer"], "shy boy with a secret",
        "The right friends know who you are and stay."),
    ], description: "Finds films by words: title, year, themes, hero, emotional core.")

  private static func film(
    _ title: String, _ year: Int, _ themes: [String], _ hero: String, _ core: String
  ) -> JSONObject {
    JSONObject([
      ("title", .string(title)), ("year", .number(JSONNumber(year))), ("themes", .array(themes.map(JSONValue.string))),
      ("protagonistArchetype", .string(hero)), ("emotionalCore", .string(core)),
    ])
  }
}
