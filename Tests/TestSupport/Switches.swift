#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Whether hostile tests run their long versions: `INKLING_SOAK=1`, which `make soak` sets.
public let isSoak = isSet("INKLING_SOAK")

/// Whether an environment variable is `1`.
func isSet(_ variable: String) -> Bool { getenv(variable).map { String(cString: $0) == "1" } ?? false }
