"use strict";
// Whether the machine runs on its battery. Where that cannot be found out, it does not.
const { execFile } = require("node:child_process");
const fs = require("node:fs/promises");
const path = require("node:path");

async function linux(folder) {
  const read = async (...names) => (await fs.readFile(path.join(folder, ...names), "utf8").catch(() => "")).trim();
  let isDischarging = false;
  for (const name of await fs.readdir(folder).catch(() => [])) {
    const type = await read(name, "type");
    // A mouse has a battery too, and says so.
    if (type === "Battery" && await read(name, "scope") !== "Device") {
      isDischarging = isDischarging || await read(name, "status") === "Discharging";
    } else if (type !== "Battery" && await read(name, "online") === "1") {
      return false;
    }
  }
  return isDischarging;
}

function mac(program) {
  return new Promise((resolve) => {
    execFile(program, ["-g", "batt"], { timeout: 2000 }, (error, output) => {
      resolve(!error && output.includes("'Battery Power'"));
    });
  });
}

/**
 * @param {string} [platform]
 * @param {string} [place] the folder, or on a Mac the program, that tells
 * @returns {Promise<boolean>}
 */
async function isOnBattery(platform = process.platform, place = undefined) {
  if (platform === "linux") return linux(place || "/sys/class/power_supply");
  if (platform === "darwin") return mac(place || "pmset");
  return false;
}

module.exports = { isOnBattery };
