import AssistantProtocol

#if !canImport(FoundationEssentials)
  import Foundation
#endif

/// How hot the machine is. On Linux it is read from the thermal zones in `/sys/class/thermal`, each of which tells its
/// temperature and the trip points at which the kernel acts (driver-api/thermal/sysfs-api.rst of the kernel's
/// documentation); on macOS `ProcessInfo` tells. Where neither says anything, nothing is known.
public struct Thermometer: Sendable {
  /// So near below the point at which the kernel slows the processor down the machine is warm: 5 °C, in thousandths.
  private static let warmth = 5_000

  private let root: String

  /// - Parameter root: the folder of the zones.
  public init(root: String = "/sys/class/thermal") { self.root = root }

  /// The state of the hottest zone.
  public var state: ThermalState {
    let states = Files.names(in: root).filter { $0.hasPrefix("thermal_zone") }.compactMap { zone("\(root)/\($0)") }
    return states.max { $0.severity < $1.severity } ?? system
  }

  /// What the system says as a whole.
  private var system: ThermalState {
    #if os(macOS)
      switch ProcessInfo.processInfo.thermalState {
      case .nominal: .nominal
      case .fair: .fair
      case .serious: .serious
      case .critical: .critical
      @unknown default: .unknown
      }
    #else
      .unknown
    #endif
  }

  /// nil for a zone that says too little: sensors are often there without a trip point.
  private func zone(_ folder: String) -> ThermalState? {
    guard let temperature = number("\(folder)/temp") else { return nil }
    var slowing: Int?
    var stopping: Int?
    for name in Files.names(in: folder) where name.hasPrefix("trip_point_") && name.hasSuffix("_type") {
      guard let limit = number("\(folder)/" + name.dropLast("type".count) + "temp"), limit > 0 else { continue }
      switch line("\(folder)/\(name)") {
      case "critical", "hot": stopping = min(stopping ?? limit, limit)
      case "passive": slowing = min(slowing ?? limit, limit)
      case _: break
      }
    }
    guard slowing != nil || stopping != nil else { return nil }
    if let stopping, temperature >= stopping { return .critical }
    // Without a point for slowing down, the last stretch before the machine stops counts as serious.
    let serious = slowing ?? (stopping ?? 0) - Self.warmth
    if temperature >= serious { return .serious }
    return temperature >= serious - Self.warmth ? .fair : .nominal
  }

  private func number(_ path: String) -> Int? { line(path).flatMap { Int($0) } }

  private func line(_ path: String) -> Substring? {
    Files.read(path).map { String(decoding: $0, as: UTF8.self) }?.split(whereSeparator: \.isWhitespace).first
  }
}

extension ThermalState {
  /// Grows with the heat.
  fileprivate var severity: Int {
    switch self {
    case .unknown: 0
    case .nominal: 1
    case .fair: 2
    case .serious: 3
    case .critical: 4
    }
  }
}
