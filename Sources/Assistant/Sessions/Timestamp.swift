#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Points in time as RFC 3339 writes them, in UTC, to the second.
package enum Timestamp {
  static var now: String { text(of: Int(time(nil))) }

  package static func text(of seconds: Int) -> String {
    var seconds = time_t(seconds)
    var fields = tm()
    guard gmtime_r(&seconds, &fields) != nil else { return "" }
    func digits(_ number: Int32, _ count: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
    let day = [digits(fields.tm_year + 1900, 4), digits(fields.tm_mon + 1, 2), digits(fields.tm_mday, 2)]
    let clock = [digits(fields.tm_hour, 2), digits(fields.tm_min, 2), digits(fields.tm_sec, 2)]
    return day.joined(separator: "-") + "T" + clock.joined(separator: ":") + "Z"
  }
}
