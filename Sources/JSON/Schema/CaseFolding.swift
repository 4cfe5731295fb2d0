/// Which scalars are the same but for their case: simple case folding, which maps one scalar to one (Unicode Standard,
/// section 5.18), made of the mappings that the standard library knows. Dotless and dotted i count as i.
enum CaseFolding {
  /// The scalars of each class that has more than one, by the one that stands for it.
  private static let classes: [Unicode.Scalar: [Unicode.Scalar]] = {
    var classes: [Unicode.Scalar: [Unicode.Scalar]] = [:]
    for value in UInt32(0x41)...0x1_E943 {
      guard let scalar = Unicode.Scalar(value), scalar.properties.changesWhenCaseMapped else { continue }
      classes[representative(of: scalar), default: []].append(scalar)
    }
    return classes
  }()

  /// The scalar and those that differ from it in case.
  static func variants(of scalar: Unicode.Scalar) -> [Unicode.Scalar] {
    if scalar.isASCII, !scalar.properties.isAlphabetic { return [scalar] }
    return classes[representative(of: scalar)] ?? [scalar]
  }

  private static func representative(of scalar: Unicode.Scalar) -> Unicode.Scalar {
    if scalar == "\u{130}" || scalar == "\u{131}" { return "i" }
    let upper = single(scalar.properties.uppercaseMapping) ?? scalar
    return single(upper.properties.lowercaseMapping) ?? upper
  }

  private static func single(_ mapping: String) -> Unicode.Scalar? {
    mapping.unicodeScalars.count == 1 ? mapping.unicodeScalars.first : nil
  }
}
