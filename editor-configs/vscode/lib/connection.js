"use strict";
// The process of the daemon, or rather of what connects to it, and its messages over pipes.
const { spawn } = require("node:child_process");
const wire = require("./wire");

// How long what was written before the end may still come after it.
const LATE_OUTPUT = 500;
// How long a process may take to end by itself, and then after a signal that asks it to.
const LEAVING = 1000;

/**
 * Starts a process. What goes wrong, also at the start, is told to `onExit`, once and never before this returns.
 * @param {string[]} command
 * @param {{onMessage: (message: any) => void, onExit: (reason: string) => void}} handlers
 */
function start(command, handlers) {
  const [program, ...args] = command;
  let ended = false;
  let lastWords = "";
  let child;

  const finish = (reason) => {
    if (ended) return;
    ended = true;
    handlers.onExit(reason);
  };

  const failed = (error) => finish(`${program} could not be started (${error.code || error.message})`);
  try {
    child = spawn(program, args, { stdio: "pipe", windowsHide: true });
  } catch (error) {
    setImmediate(failed, error);
    return { send() {}, kill() {}, close: async () => {}, processId: undefined };
  }

  const gone = new Promise((resolve) => {
    child.once("error", (error) => {
      failed(error);
      resolve();
    });
    child.once("exit", (status, signal) => {
      const words = () => {
        const how = signal ? `was ended by ${signal}` : `ended with status ${status}`;
        finish(`${program} ${how}${lastWords.trim() && `: ${lastWords.trim()}`}`);
      };
      child.once("close", words);
      // A child of it may hold the pipe, so the end of that is not waited for without a limit.
      setTimeout(words, LATE_OUTPUT).unref();
      resolve();
    });
  });

  const reader = new wire.Reader((message) => {
    if (!ended) handlers.onMessage(message);
  });
  child.stdout.on("data", (chunk) => {
    if (ended) return;
    try {
      reader.push(chunk);
    } catch (error) {
      child.kill();
      finish(`what came from ${program} could not be read: ${error.message}`);
    }
  });
  child.stderr.on("data", (chunk) => {
    lastWords = (lastWords + chunk).slice(-500);
  });
  // Writing to a process that has just ended fails here; its end tells why.
  child.stdin.on("error", () => {});

  return {
    processId: child.pid,
    send(message) {
      if (!ended && child.stdin.writable) child.stdin.write(wire.encode(message));
    },
    kill: () => child.kill("SIGKILL"),
    /** The end of its input ends it; a process that does not heed that is ended. */
    async close() {
      ended = true;
      child.stdin.end();
      for (const signal of ["SIGTERM", "SIGKILL"]) {
        const timer = setTimeout(() => child.kill(signal), LEAVING);
        await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, LEAVING + 50).unref())]);
        clearTimeout(timer);
      }
    },
  };
}

module.exports = { start };
