import GGUF

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the machine gives this process.
enum Machine {
  /// Processors this process may run on, at least 1.
  static var processors: Int {
    let online = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    #if os(Linux)
      return max(1, min(online, allowedProcessors ?? online, processorQuota ?? online))
    #else
      return online
    #endif
  }

  #if os(Linux)
    /// Processors in this process's affinity mask.
    private static var allowedProcessors: Int? {
      let line = KernelFile.lines(of: "/proc/self/status").first { $0.hasPrefix("Cpus_allowed:") }
      return line.map { $0.drop { $0 != ":" }.reduce(0) { $0 + ($1.hexDigitValue?.nonzeroBitCount ?? 0) } }
    }

    /// Processors' worth of time that the control group allows, rounded up; nil without a limit.
    private static var processorQuota: Int? {
      let words = KernelFile.lines(of: "/sys/fs/cgroup/cpu.max").first?.split(separator: " ") ?? []
      guard words.count == 2, let quota = Int(words[0]), let period = Int(words[1]), period > 0 else { return nil }
      return (quota + period - 1) / period
    }
  #endif
}
