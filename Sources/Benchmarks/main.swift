// Measures parts of Inkling: `inkling-bench` runs all benchmarks, `inkling-bench NAME…` those named.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

let benchmarks: [Benchmark] = [jsonBenchmark, messageBenchmark, wireBenchmark, inferenceBenchmark, structureBenchmark]

let wanted = CommandLine.arguments.dropFirst()
if let unknown = wanted.first(where: { name in !benchmarks.contains { $0.name == name } }) {
  print("There is no benchmark “\(unknown)”. There are:")
  for benchmark in benchmarks { print("  \(benchmark.name)  \(benchmark.summary)") }
  exit(2)
}
for benchmark in benchmarks where wanted.isEmpty || wanted.contains(benchmark.name) {
  print("\(benchmark.name): \(benchmark.summary)")
  do {
    try benchmark.run()
  } catch {
    print("  failed: \(error)")
    exit(1)
  }
}
