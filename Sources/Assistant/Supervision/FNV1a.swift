/// The 64-bit FNV-1a hash (RFC 9923): the same in every process, unlike `Hasher`.
public enum FNV1a {
  public static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
  }
}
