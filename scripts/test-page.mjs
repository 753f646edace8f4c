// What an owner does on the page, in a real browser, at two widths; axe-core on every page, light and dark.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { strict as assert } from "node:assert";

const modules = process.argv[2];
const require = createRequire(`${modules}/`);
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const shots = process.env.SHOTS;
const joi = (...args) => execFileSync(process.env.JOI_BINARY, args, { encoding: "utf8" });
const link = () => JSON.parse(joi("page", "--json")).link;
const name = (path) => (path === "/" ? "now" : path.slice(1).replace(/\W.*/, ""));

let done = 0;
async function task(what, work) {
  try {
    await work();
    done += 1;
    console.log(`ok  ${what}`);
  } catch (error) {
    console.log(`BAD ${what}`);
    throw error;
  }
}

async function barriers(page, where) {
  // The policy of the page forbids scripts of others: this one is not part of the page.
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  const told = found.violations.map((one) => `${one.id}: ${one.help}\n  ${one.nodes.map((node) => node.html.slice(0, 160)).slice(0, 4).join("\n  ")}`);
  assert.equal(told.length, 0, `${where}\n${told.join("\n")}`);
}

async function fits(page, where) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(wide <= 0, `${where} is ${wide} pixels too wide`);
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const foreign = [];
for (const [width, height, kind] of [[390, 844, "phone"], [1280, 900, "desk"]]) {
  const context = await browser.newContext({ viewport: { width, height }, locale: "en-GB", deviceScaleFactor: 1, bypassCSP: false });
  const page = await context.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("request", (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith("data:")) foreign.push(request.url());
  });
  const first = link();
  const origin = first.split("/enter")[0];
  const go = (path) => page.goto(origin + path, { waitUntil: "load" });
  const notice = (text) => page.locator("#notice", { hasText: text }).waitFor();
  const submit = async (form, label) => page.locator(form).getByRole("button", { name: label, exact: true }).click();

  await task(`${kind}: a browser that is not signed in sees the log-in`, async () => {
    await go("/memory");
    assert.ok(page.url().endsWith("/enter"));
    await barriers(page, "log-in");
    await page.screenshot({ path: `${shots}/${kind}-enter.png` });
  });
  await task(`${kind}: sign in with the link; the code is gone from the address`, async () => {
    await page.goto(first);
    await page.waitForURL(`${origin}/`);
    assert.ok(!page.url().includes("#"));
  });
  const rooms = await page.locator("nav a").evaluateAll((links) => links.map((one) => one.getAttribute("href")));
  assert.ok(rooms.includes("/") && rooms.length > 1, "the navigation");
  await task(`${kind}: the link does not work twice`, async () => {
    const other = await (await browser.newContext()).newPage();
    await other.goto(first);
    await other.getByText("This code is wrong").waitFor();
    await other.close();
  });
  await task(`${kind}: ask for the time by typing`, async () => {
    await page.locator("#text").fill("what time is it?");
    await page.getByRole("button", { name: "Send" }).click();
    await page.locator(".say.you", { hasText: "what time is it?" }).waitFor();
    await page.locator(".say.joi", { hasText: /It's/ }).waitFor();
  });
  await task(`${kind}: set a timer by typing`, async () => {
    await page.locator("#text").fill("set a pasta timer for nine minutes");
    await page.locator("#text").press("Enter");
    await page.locator(".say.joi", { hasText: "Pasta timer" }).waitFor();
  });
  await task(`${kind}: turn on a light by typing`, async () => {
    await page.locator("#text").fill("turn on the hall light");
    await page.locator("#text").press("Enter");
    await page.locator(".say.joi").nth(2).waitFor();
    await page.screenshot({ path: `${shots}/${kind === "desk" ? "manual-now" : "phone-talk"}.png` });
  });
  await task(`${kind}: see that there is no microphone, and why`, async () => {
    await page.getByText("no such microphone").first().waitFor();
  });
  await task(`${kind}: switch the microphone off and on`, async () => {
    await page.getByRole("button", { name: "Microphone off" }).click();
    await notice("The microphone is off.");
    assert.equal(JSON.parse(joi("status", "--json")).muted, true);
    await page.getByRole("button", { name: "Microphone on" }).click();
    await notice("The microphone is on.");
  });
  await task(`${kind}: talking now is refused with the reason where there is no microphone`, async () => {
    await page.getByRole("button", { name: "Talk now" }).click();
    await notice("not possible now");
  });
  await task(`${kind}: stop whatever goes on`, async () => {
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await notice("Stopped.");
  });
  await task(`${kind}: see why the last answer was given`, async () => {
    await go("/why");
    await page.locator("details.turn[open]", { hasText: "turn on the hall light" }).waitFor();
    await page.getByRole("heading", { name: "Decisions" }).first().waitFor();
  });
  await task(`${kind}: look at the answered turns only`, async () => {
    await page.getByRole("link", { name: "Answered", exact: true }).click();
    await page.locator("details.turn").first().waitFor();
  });
  await task(`${kind}: remember something`, async () => {
    await go("/memory");
    await page.getByLabel("What is to be remembered").last().fill("Ann likes tulips");
    await submit('form[action="/do/memory/add"]', "Save");
    await notice("It is remembered.");
    await page.locator("#found-title + ul li", { hasText: "Ann likes tulips" }).waitFor();
  });
  await task(`${kind}: a secret is not remembered`, async () => {
    await page.getByLabel("What is to be remembered").last().fill("my password is tr0ub4dor");
    await submit('form[action="/do/memory/add"]', "Save");
    await notice("Secrets are not stored");
  });
  if (kind === "phone") await page.screenshot({ path: `${shots}/manual-memory.png` });
  await task(`${kind}: find it again`, async () => {
    await page.getByLabel("What do you look for?").fill("tulips");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByText("Ann likes tulips").first().waitFor();
  });
  await task(`${kind}: correct it`, async () => {
    await page.getByText("Correct", { exact: true }).first().click();
    await page.locator("details[open] textarea").first().fill("Ann likes roses");
    await submit("details[open] form", "Save");
    await notice("It is corrected.");
    await page.getByText("Ann likes roses").first().waitFor();
  });
  await task(`${kind}: forget everything about Ann`, async () => {
    await page.getByLabel("A name or a few words").fill("Ann");
    await page.getByRole("button", { name: "Look" }).click();
    await page.getByRole("button", { name: "Forget all of it" }).click();
    await notice("Erased");
    assert.equal(await page.getByText("roses").count(), 0);
  });
  await task(`${kind}: set an alarm`, async () => {
    await page.getByLabel("How long, or when").fill("half past six on weekdays");
    await submit('form[action="/do/memory/set-timer"]', "Set");
    await page.locator(".items li", { hasText: "alarm" }).first().waitFor();
  });
  await task(`${kind}: a time that is none is refused`, async () => {
    await page.getByLabel("How long, or when").fill("purple");
    await submit('form[action="/do/memory/set-timer"]', "Set");
    await notice("no length and no time");
  });
  await task(`${kind}: pause the pasta timer and let it go on`, async () => {
    const timer = () => page.locator(".items > li", { hasText: /pasta/i }).first();
    await timer().getByRole("button", { name: "Pause" }).click();
    await timer().getByText("paused").waitFor();
    await timer().getByRole("button", { name: "Go on" }).click();
    await timer().getByRole("button", { name: "Pause" }).waitFor();
  });
  await task(`${kind}: cancel all timers`, async () => {
    const cancel = page.getByRole("button", { name: "Cancel" });
    for (let left = await cancel.count(); left > 0; left = await cancel.count()) {
      await cancel.first().click();
      await page.waitForLoadState();
    }
    await page.getByText("Nothing is set.").waitFor();
  });
  await task(`${kind}: put milk on the shopping list and take it off`, async () => {
    joi("ask", "put eggs on the shopping list");
    await go("/memory");
    await page.getByLabel(/Add to shopping/).fill("milk");
    await submit('form[action="/do/memory/on-list"]', "Save");
    await page.locator(".items li", { hasText: "milk" }).first().waitFor();
    await page.locator(".items li", { hasText: "milk" }).getByRole("button", { name: "Remove" }).click();
    await notice("It is off the list.");
  });
  await task(`${kind}: see what is in the kitchen`, async () => {
    await go("/house");
    await page.locator("summary", { hasText: "Kitchen" }).click();
    await page.locator("details[open]", { hasText: "Kitchen" }).locator("tbody tr").first().waitFor();
  });
  await task(`${kind}: try a sentence without doing it`, async () => {
    await page.getByLabel("A sentence about the house").fill("turn off the hall light");
    await page.getByRole("button", { name: "What would you do?" }).click();
    await page.locator(".tried code", { hasText: "OFF" }).waitFor();
    assert.ok(joi("home", "show", "Hall_Light").includes("ON"), "nothing was done");
  });
  await task(`${kind}: a sentence that is not about the house is told apart`, async () => {
    await page.getByLabel("A sentence about the house").fill("tell me a joke");
    await page.getByRole("button", { name: "What would you do?" }).click();
    await page.getByText("not understood as being about the house").waitFor();
  });
  await task(`${kind}: see what is watched for, and end it`, async () => {
    joi("watch", "add", "tell me when the hall light is off");
    await go("/day");
    await page.locator("#watches-title + ul li", { hasText: /hall light/i }).getByRole("button", { name: "Remove" }).click();
    await notice("not watched for any more");
  });
  await task(`${kind}: see the agent and the quiet hours`, async () => {
    await page.getByText("garden").first().waitFor();
    await page.getByText("23:00-07:00").waitFor();
  });
  await task(`${kind}: open a goal, say something to it, see its thread, and end it`, async () => {
    await go("/day");
    await page.getByLabel("A new goal").fill("trip to Tokyo");
    await submit('form[action="/do/day/open-goal"]', "Open");
    await notice("works on it in the background");
    await page.getByLabel("Say to trip to Tokyo").fill("we go in May");
    await submit('form[action="/do/day/say-to-goal"]', "Send");
    await notice("Passed on");
    await page.getByText("Thread and notes of trip to Tokyo").click();
    await page.getByText("we go in May").waitFor();
    await submit('form[action="/do/day/end-goal"]', "It is done");
    await notice("It is done");
    assert.equal(await page.getByLabel("Say to trip to Tokyo").count(), 0);
  });
  await task(`${kind}: check the machine`, async () => {
    await go("/health");
    await page.getByRole("button", { name: "Check again" }).click();
    await page.getByText("speech to text").first().waitFor();
  });
  await task(`${kind}: see which service runs and the newest warnings`, async () => {
    await page.getByRole("heading", { name: "Services" }).waitFor();
    await page.getByRole("heading", { name: "Newest warnings and errors" }).waitFor();
  });
  await task(`${kind}: set patience to relaxed`, async () => {
    await go("/settings");
    await page.getByLabel("Find a key").fill("patience");
    await page.getByLabel("hear.endpoint.patience").selectOption("relaxed");
    await submit('form:has([id="hear.endpoint.patience"])', "Save");
    await notice("hear.endpoint.patience is saved");
    const file = readFileSync(process.env.JOI_CONFIG, "utf8");
    assert.ok(file.includes('# not too soon\npatience = "relaxed"'), file);
  });
  await task(`${kind}: a value that is not allowed is refused`, async () => {
    await page.getByLabel("Find a key").fill("snooze_min");
    await page.getByLabel("timers.snooze_min").fill("many");
    await submit('form:has([id="timers.snooze_min"])', "Save");
    await notice("timers.snooze_min is not changed");
  });
  await task(`${kind}: put patience back`, async () => {
    await page.locator('form:has([id="hear.endpoint.patience"])').waitFor();
    await page.getByLabel("hear.endpoint.patience").selectOption("normal");
    await submit('form:has([id="hear.endpoint.patience"])', "Save");
    await notice("saved");
  });
  await task(`${kind}: reach every page by the keyboard`, async () => {
    await go("/");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the content");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.id || location.hash), "content");
  });
  for (const scheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: scheme });
    for (const path of [...rooms, "/health?check=1", "/house?try=open+the+garage", "/memory?about=garage"]) {
      await task(`${kind}: ${path} has no barrier and fits, ${scheme}`, async () => {
        await go(path);
        await page.waitForTimeout(300);
        await barriers(page, path);
        await fits(page, path);
        if (!path.includes("?")) await page.screenshot({ path: `${shots}/${kind}-${scheme}-${name(path)}.png`, fullPage: true });
        const picture = { "desk light /why": "manual-why", "phone dark /house": "manual-house" }[`${kind} ${scheme} ${path}`];
        if (picture) await page.screenshot({ path: `${shots}/${picture}.png` });
      });
    }
  }
  await task(`${kind}: in German`, async () => {
    const german = await browser.newContext({ viewport: { width, height }, locale: "de-AT", storageState: await context.storageState() });
    const seite = await german.newPage();
    for (const path of rooms) {
      await seite.goto(origin + path);
      await barriers(seite, `${path} in German`);
      await fits(seite, `${path} in German`);
    }
    await seite.getByRole("heading", { name: "Einstellungen" }).waitFor();
    await seite.screenshot({ path: `${shots}/${kind}-german.png` });
    await german.close();
  });
  await task(`${kind}: sign out`, async () => {
    await go("/health");
    await page.getByRole("button", { name: "Sign out", exact: true }).last().click();
    await page.getByText("You are signed out.").waitFor();
    await go("/");
    assert.ok(page.url().endsWith("/enter"));
  });
  const expected = (text) => text.includes("403") || text.includes("ERR_");
  assert.deepEqual(errors.filter((text) => !expected(text)), []);
  await context.close();
}
assert.deepEqual(foreign, [], "requests to elsewhere");
await browser.close();
console.log(`${done} tasks`);
