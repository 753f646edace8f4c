// What both tests of the page need: a browser, tasks that are named, and looking for barriers.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { strict as assert } from "node:assert";

const modules = process.argv[2];
const require = createRequire(`${modules}/`);
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
export const shots = process.env.SHOTS;
export const widths = [[390, 844, "phone"], [1280, 900, "desk"]];
export const joi = (...args) => execFileSync(process.env.JOI_BINARY, args, { encoding: "utf8" });
export const link = () => JSON.parse(joi("page", "--json")).link;

// The microphone of the browser says one sentence, once.
const microphone = [
  "--use-fake-device-for-media-stream",
  "--use-fake-ui-for-media-stream",
  `--use-file-for-fake-audio-capture=${process.env.WORK}/asked.wav%noloop`,
];
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
export const launched = () => chromium.launch({ executablePath, args: ["--no-sandbox", ...microphone] });

let done = 0;
export async function task(what, work) {
  try {
    await work();
    done += 1;
    console.log(`ok  ${what}`);
  } catch (error) {
    console.log(`BAD ${what}`);
    throw error;
  }
}
export const summary = () => console.log(`${done} tasks`);

export async function barriers(page, where) {
  // The policy of the page forbids scripts of others: this one is not part of the page.
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  const told = found.violations.map((one) => `${one.id}: ${one.help}\n  ${one.nodes.map((node) => node.html.slice(0, 160)).slice(0, 4).join("\n  ")}`);
  assert.equal(told.length, 0, `${where}\n${told.join("\n")}`);
}

export async function fits(page, where) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(wide <= 0, `${where} is ${wide} pixels too wide`);
}
