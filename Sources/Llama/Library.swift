import CLlama

/// The library as a whole: its one-time start, its version, what it can compute on.
enum Library {
  /// Starts libllama and takes over its log; touching it more than once does nothing.
  static let started: Void = {
    LibraryLog.install()
    llama_backend_init()
    // Distributions build the backends as plug-ins; the static build has them inside.
    if ggml_backend_reg_count() == 0 { ggml_backend_load_all() }
  }()

  /// libllama's version, as it names itself.
  static var version: String { unsafe String(cString: llama_version()) }

  /// What computes: the accelerators, or the processor when there is none.
  static var devices: [String] {
    var accelerators: [String] = []
    var processors: [String] = []
    for index in 0..<ggml_backend_dev_count() {
      guard let device = unsafe ggml_backend_dev_get(index) else { continue }
      let name = unsafe String(cString: ggml_backend_dev_name(device))
      let description = unsafe String(cString: ggml_backend_dev_description(device))
      let label = name.utf8.elementsEqual(description.utf8) ? name : "\(name) (\(description))"
      if unsafe ggml_backend_dev_type(device) == GGML_BACKEND_DEVICE_TYPE_CPU {
        processors.append(label)
      } else {
        accelerators.append(label)
      }
    }
    return accelerators.isEmpty ? processors : accelerators
  }
}
