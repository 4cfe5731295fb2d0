"use strict";
// Models on this machine, and the program's other commands.
const { execFile } = require("node:child_process");
const vscode = require("vscode");
const settings = require("./settings");

/** Runs a command of the program. @param {string[]} args @returns {Promise<string>} what it wrote */
function run(args, seconds = 30) {
  const [program] = settings.command();
  return new Promise((resolve, reject) => {
    execFile(program, args, { timeout: seconds * 1000, maxBuffer: 16 << 20 }, (error, output, words) => {
      if (!error) resolve(output);
      else reject(new Error(words.trim() || (error.code === "ENOENT" ? `${program} is not there` : error.message)));
    });
  });
}

function gigabytes(bytes) {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}

async function stopDaemon() {
  await run(["stop"]);
  vscode.window.setStatusBarMessage("Inkling: the daemon was stopped; the next request starts it again", 5000);
}

/** Chooses the model that the daemon loads when it is started the next time. */
async function choose() {
  const { models } = JSON.parse(await run(["models", "list", "--json"]));
  const items = models.map((model) => ({
    label: `${model.inUse ? "$(check) " : ""}${model.name}`,
    description: [model.quantization, gigabytes(model.sizeBytes)].filter(Boolean).join(", "),
    detail: `memory: ${gigabytes(model.memoryBytes)}, fits: ${model.fits}; licence: ${model.license || "unknown"}`,
    model,
  }));
  if (items.length === 0) {
    vscode.window.showInformationMessage(
      "Inkling: there is no model on this machine. “inkling models pull” fetches one.");
    return;
  }
  const chosen = await vscode.window.showQuickPick(items, { title: "Inkling: the model", matchOnDetail: true });
  if (!chosen) return;
  await run(["models", "use", chosen.model.path]);
  const answer = await vscode.window.showInformationMessage(
    `Inkling: ${chosen.model.name} is used from the next start of the daemon on. All your editors share that daemon.`,
    "Stop It Now");
  if (answer === "Stop It Now") await stopDaemon();
}

module.exports = { choose, run, stopDaemon };
