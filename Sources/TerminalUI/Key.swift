/// What a person does on a keyboard, as a terminal tells it.
public enum Key: Sendable, Equatable {
  /// Something to be inserted.
  case text(String)
  /// Pasted as a whole, with its line feeds.
  case paste(String)
  /// With the Control key: the letter in lower case. (Tab, Enter and Backspace have cases of their own.)
  case control(Character)
  /// With the Alt key.
  case alt(Character)
  /// Enter sends; a line feed (Ctrl-J, Alt-Enter) begins a new line.
  case enter, lineFeed
  case tab, backspace, delete, escape
  case left, right, up, down, home, end, wordLeft, wordRight
}
