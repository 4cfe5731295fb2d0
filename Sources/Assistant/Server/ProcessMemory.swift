#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What a process holds of the machine's memory.
enum ProcessMemory {
  /// Resident bytes; nil when there is no such process of ours, or the system does not tell.
  static func residentBytes(of processID: Int) -> Int? {
    #if os(Linux)
      guard let bytes = Files.read("/proc/\(processID)/statm") else { return nil }
      // Pages: all of the address space, those in memory, and more.
      let fields = String(decoding: bytes, as: UTF8.self).split(separator: " ")
      guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
      return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    #else
      var info = proc_taskinfo()
      let size = Int32(MemoryLayout<proc_taskinfo>.size)
      guard proc_pidinfo(Int32(processID), PROC_PIDTASKINFO, 0, &info, size) == size else { return nil }
      return Int(info.pti_resident_size)
    #endif
  }
}
