import JSON

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A change of the configuration's file on behalf of its owner: one member, and nothing else in it.
public enum ConfigurationEdit {
  /// Why nothing was changed: a sentence without its full stop.
  public struct Failure: Error {
    public let message: String
  }

  /// Sets the model. The file is made when there is none; it is written aside and renamed, so that nobody reads half of
  /// it. A link is followed: many keep such files in another folder.
  public static func setModel(_ model: String, in path: String) throws(Failure) {
    let target = access(path, F_OK) == 0 ? Files.realPath(path) : try placeToMake(path)
    var status = stat()
    let isThere = stat(target, &status) == 0
    var bytes = Array("{\n}\n".utf8)
    if isThere {
      guard status.st_mode & S_IFMT == S_IFREG, let read = Files.read(target) else {
        throw Failure(message: "\(path) cannot be read, or is longer than 1 MiB")
      }
      bytes = read
    }
    do throws(JSONDocumentError) {
      bytes = try JSONDocument(bytes).setting("model", to: .string(model))
    } catch {
      let place = "\(path):\(error.position.line):\(error.position.column)"
      throw Failure(message: "\(place): the file is not a JSON object, and is left as it is: \(error.message)")
    }
    do throws(SystemError) {
      try write(bytes, to: target, mode: isThere ? status.st_mode & 0o7777 : nil)
    } catch {
      throw Failure(message: error.message)
    }
  }

  /// Where a file that is not there is made: a link to nothing says where its owner wants it.
  private static func placeToMake(_ path: String) throws(Failure) -> String {
    var place = path
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    for _ in 0..<40 {
      let count = readlink(place, &buffer, buffer.count)
      guard count >= 0 else {
        let folder = String(place[..<(place.lastIndex(of: "/") ?? place.startIndex)])
        guard place == path || folder.isEmpty || access(folder, F_OK) == 0 else {
          throw Failure(message: "\(path) is a link to \(place), whose folder is not there")
        }
        return place
      }
      let link = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
      let folder = place.lastIndex(of: "/").map { place[...$0] } ?? ""
      place = link.hasPrefix("/") ? link : folder + link
    }
    throw Failure(message: "\(path) is a link that leads in a circle")
  }

  /// - Parameter mode: nil when the file is new.
  private static func write(_ bytes: [UInt8], to target: String, mode: mode_t?) throws(SystemError) {
    if mode == nil, let slash = target.lastIndex(of: "/") {
      let folder = String(target[..<slash])
      // Its permissions are its owner's affair, so that it is not touched when it is there.
      if access(folder, F_OK) != 0 { try Files.makeFolder(folder) }
    }
    let aside = target + ".\(getpid()).partial"
    do throws(SystemError) {
      try Files.write(bytes, to: aside)
      if let mode, chmod(aside, mode) != 0 { throw SystemError("writing \(aside)") }
      try Files.rename(aside, to: target)
    } catch {
      unlink(aside)
      throw error
    }
  }
}
