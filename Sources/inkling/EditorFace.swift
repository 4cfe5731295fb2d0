import Assistant
import AssistantProtocol
import Client
import JSONRPC
import LanguageServer

/// The LSP face of a connection to an editor, and the assistant that it calls.
enum EditorFace {
  /// For a daemon that serves one editor: it calls the daemon itself, over a connection that counts in UTF-16.
  static func make(
    _ server: AssistantServer, _ configuration: ConfigurationFile, _ requestLimit: SharedRequestLimit
  ) -> ConnectionExtension {
    let link = DaemonLink(connector: ProcessAssistant(server: server, requestLimit: requestLimit))
    var face = make(over: LinkService(link, name: "lsp"), configuration, counting: .utf16)
    let end = face.end
    face.end = {
      end()
      link.close()
    }
    return face
  }

  /// - Parameter encoding: the units in which the service counts; nil: the editor's own.
  static func make(
    over service: LinkService, _ configuration: ConfigurationFile, counting encoding: PositionEncoding? = nil
  ) -> ConnectionExtension {
    let face = LanguageServer(service: service, offers: { configuration.current.capabilities })
    return ConnectionExtension(
      addRoutes: { face.addRoutes(to: &$0) },
      initialize: { params, own, capabilities in
        face.initialize(params, encoding: own, serviceEncoding: encoding ?? own)
        LanguageServer.announce(in: &capabilities)
      },
      end: { face.close() })
  }
}
