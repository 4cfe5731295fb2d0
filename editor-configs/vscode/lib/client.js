"use strict";
// The conversation with the daemon: one process for the window, started at the first use and again when it has ended.
const connections = require("./connection");

/** @typedef {{code: number, message: string, data?: any}} Failure */

const NOTHING = { methods: [], features: [], tones: [], kinds: [], personalities: [] };

class Client {
  /**
   * @param {{command: () => string[], info: {name: string, version: string},
   *   onOffers?: () => void, onAvailability?: (availability: any) => void, onLost?: () => void}} options
   */
  constructor(options) {
    this.options = options;
    this.connection = null;
    this.isReady = false;
    this.lastId = 0;
    this.pending = new Map();
    this.listeners = new Map();
    this.waiting = [];
    this.whenReady = [];
    /** What the daemon offers, as `initialize` and `assistant/didChangeConfiguration` tell it. */
    this.offers = NOTHING;
    this.encoding = "utf-16";
    this.server = null;
  }

  get isRunning() {
    return this.connection !== null;
  }

  /** The feature or command with an id. @param {string} id */
  feature(id) {
    return this.offers.features.find((feature) => feature.id === id);
  }

  /**
   * Sends a request; callback(failure, result) comes later, never before this returns. With a listener the request asks
   * for partial results and for progress, which the listener is given.
   * @param {string} method
   * @param {object} params
   * @param {(failure: Failure | null, result: any) => void} callback
   * @param {(value: any) => void} [listener]
   * @returns {number} the id by which the request can be cancelled
   */
  request(method, params, callback, listener) {
    if (!this.connection) this.start();
    const id = ++this.lastId;
    this.pending.set(id, callback);
    if (listener) {
      const tokens = { partialResultToken: `text-${id}`, workDoneToken: `work-${id}` };
      params = { ...params, ...tokens };
      this.listeners.set(tokens.partialResultToken, listener).set(tokens.workDoneToken, listener);
    }
    this.send({ id, method, params });
    return id;
  }

  /** The same as a promise. @param {string} method @param {object} [params] @returns {Promise<any>} */
  ask(method, params = {}) {
    return new Promise((resolve, reject) => {
      this.request(method, params, (failure, result) => (failure ? reject(failure) : resolve(result)));
    });
  }

  /** Sends a notification, but starts nothing for it. @param {string} method @param {object} params */
  notify(method, params) {
    if (this.connection) this.send({ method, params });
  }

  /** Ends one request. Its callback is not called any more, whatever still comes of it. @param {number | null} id */
  cancel(id) {
    if (id === null || !this.forget(id)) return;
    const unsent = this.waiting.findIndex((message) => message.id === id);
    if (unsent >= 0) this.waiting.splice(unsent, 1);
    else this.notify("$/cancelRequest", { id });
  }

  /** What the daemon offers, when that is known. @returns {Promise<any>} */
  ready() {
    if (!this.connection) this.start();
    if (this.isReady) return Promise.resolve(this.offers);
    return new Promise((resolve, reject) => {
      this.whenReady.push((failure) => (failure ? reject(failure) : resolve(this.offers)));
    });
  }

  /** Ends the process. */
  async stop() {
    const ending = this.connection;
    if (!ending) return;
    if (this.isReady) {
      ending.send({ id: ++this.lastId, method: "shutdown" });
      ending.send({ method: "exit" });
    }
    this.clear();
    await ending.close();
  }

  /** @private */
  forget(id) {
    this.listeners.delete(`text-${id}`);
    this.listeners.delete(`work-${id}`);
    return this.pending.delete(id);
  }

  /** @private */
  clear() {
    this.connection = null;
    this.isReady = false;
    this.pending = new Map();
    this.listeners = new Map();
    this.waiting = [];
    this.whenReady = [];
  }

  /** @private */
  send(message) {
    if (this.isReady) this.connection.send(message);
    else this.waiting.push(message);
  }

  /** @private */
  lost(reason) {
    const callbacks = [...this.pending.values()];
    const unready = this.whenReady;
    this.clear();
    // One failure for all, so that it can be told once.
    const failure = { code: 0, message: reason, data: { retryable: true, kind: "processEnded" } };
    for (const callback of callbacks) callback(failure, null);
    for (const callback of unready) callback(failure);
    if (this.options.onLost) this.options.onLost();
  }

  /** @private */
  start() {
    const connection = connections.start(this.options.command(), {
      onMessage: (message) => {
        if (this.connection === connection) this.received(message);
      },
      onExit: (reason) => {
        if (this.connection === connection) this.lost(reason);
      },
    });
    this.connection = connection;
    const id = ++this.lastId;
    this.pending.set(id, (failure, result) => {
      if (failure) {
        // A process that has ended calls this too, when all is cleared already.
        if (this.connection === connection) {
          connection.kill();
          this.lost(failure.message);
        }
        return;
      }
      this.server = result.serverInfo;
      this.encoding = result.capabilities.positionEncoding;
      this.offers = { ...NOTHING, ...result.capabilities.experimental.assistant };
      this.isReady = true;
      connection.send({ method: "initialized", params: {} });
      for (const message of this.waiting.splice(0)) connection.send(message);
      for (const callback of this.whenReady.splice(0)) callback(null);
      if (this.options.onOffers) this.options.onOffers();
    });
    connection.send({
      id,
      method: "initialize",
      params: {
        processId: process.pid,
        clientInfo: this.options.info,
        capabilities: {
          general: { positionEncodings: ["utf-16", "utf-8", "utf-32"] },
          experimental: { assistant: {} },
        },
      },
    });
  }

  /** @private */
  received(message) {
    if (message.method === "$/progress") {
      const listener = this.listeners.get(message.params.token);
      if (listener) listener(message.params.value);
    } else if (message.method === "assistant/didChangeConfiguration") {
      this.offers = { ...this.offers, ...message.params };
      if (this.options.onOffers) this.options.onOffers();
    } else if (message.method === "model/didChangeAvailability") {
      if (this.options.onAvailability) this.options.onAvailability(message.params.availability);
    } else if (message.method && message.id !== undefined) {
      // A session of another client may have tools; this client has none.
      this.connection.send({ id: message.id, error: { code: -32601, message: "VS Code has no tools" } });
    } else if (!message.method) {
      const callback = this.pending.get(message.id);
      if (callback) {
        this.forget(message.id);
        callback(message.error || null, message.result);
      }
    }
  }
}

module.exports = { Client };
