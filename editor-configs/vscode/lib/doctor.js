"use strict";
// What is installed, what answers, and what to do about it.
const vscode = require("vscode");
const models = require("./models");
const power = require("./power");
const settings = require("./settings");

function megabytes(bytes) {
  return typeof bytes === "number" ? `${Math.round(bytes / 1e6)} MB` : "none";
}

/** Tells about the daemon, which is started when it is not there; the model is not loaded for it. */
async function status(client) {
  const result = await client.ask("daemon/status");
  const { availability, model, activeRequests } = result.model;
  const lines = [
    `process ${result.processId}, up ${Math.floor(result.uptimeSeconds / 60)} min, clients: ${result.clients.length}`,
    `model: ${model ? model.name : "none loaded"}, ${availability.message || availability.state}`,
    `memory: daemon ${megabytes(result.memory.daemonBytes)}, engine ${megabytes(result.memory.engineBytes)}`,
    `requests: ${result.totals.requests}, of them failed: ${result.totals.failedRequests}; at work: ${activeRequests}`,
  ];
  const rate = result.rates.completionTokensPerSecond;
  if (rate) lines.push(`speed: ${Math.round(rate)} tokens/s`);
  if (availability.remedy) lines.push(availability.remedy);
  await vscode.window.showInformationMessage(`Inkling ${result.version}`, { modal: true, detail: lines.join("\n") });
}

/** One line for each thing that is looked at: whether it is well, and if not, what to do. */
async function* checks(client, version) {
  yield { isWell: true, words: `Inkling for VS Code ${version}, in VS Code ${vscode.version}` };
  const problems = settings.problems();
  for (const problem of problems) yield { isWell: false, words: problem };
  if (problems.length === 0) yield { isWell: true, words: "the settings are right" };
  const [program] = Array.isArray(settings.command()) ? settings.command() : [];
  try {
    yield { isWell: true, words: `${program} is ${(await models.run(["--version"])).trim()}` };
  } catch (error) {
    yield {
      isWell: false,
      words: `${error.message}. Install Inkling, or set “inkling.command” to where it is, with its whole path: `
        + "VS Code may not have the PATH of your shell.",
    };
    return;
  }
  try {
    const { availability, model } = await client.ask("model/status");
    yield { isWell: true, words: `the daemon ${client.server.version} answers, positions are in ${client.encoding}` };
    const isWell = availability.state !== "unavailable" || availability.reason === "unloaded";
    const name = model ? `the model is ${model.name}` : "the model is loaded with the first request";
    yield {
      isWell, words: isWell ? name : [availability.message || availability.reason, availability.remedy].join(" "),
    };
  } catch (failure) {
    yield { isWell: false, words: failure.message };
    return;
  }
  const isOnBattery = await power.isOnBattery();
  const { enabled, onBattery } = settings.prewarm();
  const isAhead = enabled && (onBattery || !isOnBattery);
  const why = isAhead ? "" : enabled ? ", since the machine runs on its battery" : ", as the setting says";
  yield { isWell: true, words: `selections that rest are ${isAhead ? "" : "not "}read ahead${why}` };
}

/** @param {import("vscode").OutputChannel} channel */
async function check(client, version, channel) {
  channel.clear();
  channel.show(true);
  let wrong = 0;
  for await (const { isWell, words } of checks(client, version)) {
    channel.appendLine(`${isWell ? "ok     " : "wrong  "}${words}`);
    if (!isWell) wrong += 1;
  }
  channel.appendLine("");
  channel.appendLine(wrong === 0 ? "All is well." : `${wrong} of this is wrong.`);
  channel.appendLine("“inkling doctor” in a terminal looks at the model, its speed and the memory.");
}

module.exports = { check, status };
