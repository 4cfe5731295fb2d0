import Testing

/// Tests of the real program on real pipes with the real model. One after another: each may use both cores, and the
/// waits block the thread they run on.
@Suite(.serialized) enum EndToEnd {}
