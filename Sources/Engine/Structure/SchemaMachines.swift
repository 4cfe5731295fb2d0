import Inference
import JSON

/// The machines of one grammar. Each is made once, and there is a bound on the work of all of them.
struct SchemaMachines {
  /// What a machine is made of.
  enum Key: Hashable {
    case number(minimum: JSONSchemaNode.Bound?, maximum: JSONSchemaNode.Bound?, isInteger: Bool)
    case pattern([UInt8])
    case format(JSONFormat)
    case free
  }

  private var made: [Key: ByteMachine] = [:]
  private var workLeft = ByteMachine.mostWork

  /// - Throws: `TooLarge` when this machine, or all together, would be.
  mutating func machine(
    _ key: Key, _ language: @autoclosure () -> RegularLanguage
  ) throws(TooLarge) -> ByteMachine {
    if let machine = made[key] ?? CommonMachines.machine(key) { return machine }
    let machine = try ByteMachine(language(), workLimit: workLeft)
    workLeft -= machine.work
    made[key] = machine
    return machine
  }
}

/// The machines that many schemas share, made once.
private enum CommonMachines {
  private static let free = try? ByteMachine(StringLanguage.free)
  private static let formats = Dictionary(
    uniqueKeysWithValues: JSONFormat.allCases.map { ($0, try? ByteMachine(StringLanguage.of($0))) })

  static func machine(_ key: SchemaMachines.Key) -> ByteMachine? {
    switch key {
    case .free: free
    case .format(let format): formats[format] ?? nil
    case .number, .pattern: nil
    }
  }
}
