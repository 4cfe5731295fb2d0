"use strict";
// Header framing, as language servers have it. Nothing here knows what messages mean.

const SEPARATOR = Buffer.from("\r\n\r\n");
const LONGEST_HEADER = 8192;

/** @param {object} message */
function encode(message) {
  const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }), "utf8");
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`, "ascii"), body]);
}

/** Takes chunks as they come: a message may be spread over many, and many may be in one. */
class Reader {
  /** @param {(message: any) => void} onMessage */
  constructor(onMessage) {
    this.onMessage = onMessage;
    this.chunks = [];
    this.size = 0;
    // Bytes without which it is of no use to look again.
    this.needed = 1;
  }

  /** Throws when what came is not the protocol. @param {Buffer} chunk */
  push(chunk) {
    this.chunks.push(chunk);
    this.size += chunk.length;
    if (this.size < this.needed) return;
    let data = this.chunks.length === 1 ? chunk : Buffer.concat(this.chunks, this.size);
    const messages = [];
    for (;;) {
      this.needed = data.length + 1;
      const end = data.indexOf(SEPARATOR);
      if (end < 0) {
        if (data.length > LONGEST_HEADER) throw new Error("a header without an end");
        break;
      }
      const header = data.toString("latin1", 0, end);
      const length = /^content-length:[ \t]*(\d+)[ \t]*$/im.exec(header);
      if (!length) throw new Error(`a header without a length: ${header.slice(0, 200)}`);
      const start = end + SEPARATOR.length;
      const stop = start + Number(length[1]);
      if (data.length < stop) {
        this.needed = stop;
        break;
      }
      messages.push(JSON.parse(data.toString("utf8", start, stop)));
      data = data.subarray(stop);
    }
    this.chunks = [data];
    this.size = data.length;
    for (const message of messages) this.onMessage(message);
  }
}

module.exports = { Reader, encode };
