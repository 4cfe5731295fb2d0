import Assistant
import AssistantProtocol
import JSONRPC
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct ThermometerTests {
  /// A zone: its temperature in thousandths of a degree, and its trip points.
  private struct Zone {
    let temperature: String
    let trips: [(type: String, temperature: String)]
    init(_ temperature: String, _ trips: [(type: String, temperature: String)]) {
      self.temperature = temperature
      self.trips = trips
    }
  }

  private static func write(_ zones: [Zone], in folder: TemporaryFolder) throws -> Thermometer {
    for (number, zone) in zones.enumerated() {
      let name = "thermal_zone\(number)"
      _ = try folder.file(name + "/temp", Array((zone.temperature + "\n").utf8))
      for (index, trip) in zone.trips.enumerated() {
        _ = try folder.file(name + "/trip_point_\(index)_type", Array((trip.type + "\n").utf8))
        _ = try folder.file(name + "/trip_point_\(index)_temp", Array((trip.temperature + "\n").utf8))
      }
    }
    _ = try folder.file("cooling_device0/temp", Array("200000".utf8))
    return Thermometer(root: folder.root)
  }

  private static let laptop = [(type: "passive", temperature: "90000"), (type: "critical", temperature: "105000")]

  /// The one door.
  private func check(
    _ zones: [Zone], _ expected: ThermalState, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let folder = try TemporaryFolder()
    #expect(try Self.write(zones, in: folder).state == expected, sourceLocation: sourceLocation)
  }

  @Test func theStateIsThatOfTheHottestZone() throws {
    try check([], .unknown)
    try check([Zone("45000", Self.laptop)], .nominal)
    try check([Zone("84999", Self.laptop)], .nominal)
    try check([Zone("85000", Self.laptop)], .fair)
    try check([Zone("90000", Self.laptop)], .serious)
    try check([Zone("105000", Self.laptop)], .critical)
    try check([Zone("45000", Self.laptop), Zone("91000", Self.laptop)], .serious)
    try check([Zone("99000", [("hot", "98000"), ("critical", "110000")])], .critical)
    try check([Zone("101000", [("critical", "105000")])], .serious)
    try check([Zone("96000", [("critical", "105000")])], .fair)
    try check([Zone("20000", [("critical", "105000")])], .nominal)
  }

  @Test func whatSaysTooLittleIsUnknown() throws {
    try check([Zone("120000", [])], .unknown)
    try check([Zone("120000", [("active", "50000")])], .unknown)
    try check([Zone("120000", [("critical", "0")])], .unknown)
    try check([Zone("120000", [("critical", "-274000")])], .unknown)
    try check([Zone("hot", Self.laptop)], .unknown)
    try check([Zone("", Self.laptop)], .unknown)
    try check([Zone("hot", Self.laptop), Zone("1000", Self.laptop)], .nominal)
    #expect(Thermometer(root: "/nowhere").state == .unknown)
  }

  @Test func onlyLongWorkIsRefusedWhenItIsTooHot() async throws {
    let folder = try TemporaryFolder()
    let thermometer = try Self.write([Zone("110000", Self.laptop)], in: folder)
    let engine = ReadingEngine { _, _ in .text("One. Two.") }
    let client = await TestClient(engine, thermometer: thermometer)
    try await client.initialize()
    #expect(try await client.call(ModelStatus.self, Empty()).thermalState == .critical)
    let long = Summarize.Params(text: SummaryTexts.long(150_000))
    let error = await client.error { try await $0.call(Summarize.self, long) }
    #expect(error?.code == 1011 && error?.data?["thermalState"] == "critical")
    _ = try await client.call(Summarize.self, Summarize.Params(text: "One thing. Another thing."))
    _ = try folder.file("thermal_zone0/temp", Array("60000".utf8))
    _ = try await client.connection.request(Summarize.self, long, timeout: .seconds(60))
    _ = await client.end()
  }
}
