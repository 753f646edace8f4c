// What an owner does on the page, in a real browser, at two widths; axe-core on every page, light and dark.
import { readFileSync } from "node:fs";
import { strict as assert } from "node:assert";
import { barriers, fits, joi, launched, link, shots, summary, task, widths } from "./test-page-common.mjs";

const name = (path) => (path === "/" ? "now" : path.slice(1).replace(/\W.*/, ""));
const browser = await launched();
const foreign = [];
for (const [width, height, kind] of widths) {
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
    await page.screenshot({ path: `${shots}/${kind}-talk.png` });
  });
  const hold = page.locator("#hold-button");
  await task(`${kind}: hold the button, ask for the time, and let go`, async () => {
    const answers = await page.locator(".say.joi", { hasText: /It's/ }).count();
    const box = await hold.boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.locator('#hold-button[data-state="speak"]').waitFor();
    await page.screenshot({ path: `${shots}/${kind}-hold.png` });
    await page.waitForTimeout(2500);
    await page.mouse.up();
    await page.locator(".say.you", { hasText: /time is it/i }).nth(1).waitFor({ timeout: 30000 });
    await page.locator(".say.joi", { hasText: /It's/ }).nth(answers).waitFor();
    await page.locator('#hold-button[data-state="idle"]').waitFor();
  });
  await task(`${kind}: hold it by the keyboard, say nothing`, async () => {
    await hold.focus();
    await page.keyboard.down("Space");
    await page.locator('#hold-button[data-state="speak"][aria-pressed="true"]').waitFor();
    // By now the sentence of the file is over.
    await page.waitForTimeout(3500);
    await page.keyboard.up("Space");
    await page.locator('#hold-button[data-state="idle"]').waitFor({ timeout: 30000 });
  });
  await task(`${kind}: a press that is too short is explained, as is a refused microphone`, async () => {
    await hold.click();
    await notice("Hold the button for as long as you speak.");
    await page.evaluate(() => (navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException("no", "NotAllowedError"))));
    await hold.dispatchEvent("click", { detail: 0 });
    await notice("allow it beside the address");
    await page.reload();
  });
  await task(`${kind}: a page without encryption says why it has no microphone`, async () => {
    // By a name, http is not trusted, as from a phone in the network.
    const other = await browser.newContext({ viewport: { width, height }, locale: "en-GB" });
    const plain = await other.newPage();
    await plain.addInitScript(() => Object.defineProperty(window, "isSecureContext", { value: false }));
    await plain.goto(link());
    await plain.waitForURL(`${origin}/`);
    await plain.getByText("Browsers give their microphone to encrypted pages only").waitFor();
    await plain.locator("#hold-button").dispatchEvent("click", { detail: 0 });
    await plain.locator("#notice", { hasText: "encrypted pages only" }).waitFor();
    await barriers(plain, "/ without a microphone");
    await plain.screenshot({ path: `${shots}/${kind}-insecure.png` });
    await other.close();
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
    await page.getByRole("button", { name: "Listen now" }).click();
    await notice("not possible now");
  });
  await task(`${kind}: stop whatever goes on`, async () => {
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await notice("Stopped.");
  });
  await task(`${kind}: markup that is typed, remembered and put on a list stays text`, async () => {
    const markup = '<img src=x onerror="window.broken=1"><script>window.broken=1</script>';
    await page.locator("#text").fill(markup);
    await page.locator("#text").press("Enter");
    await page.locator(".say.you", { hasText: "<img src=x" }).waitFor();
    // A model need not answer it.
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await go("/memory");
    await page.getByLabel("What is to be remembered").last().fill(`Ann's cat ${markup}`);
    await submit('form[action="/do/memory/add"]', "Save");
    await page.locator("#found-title + ul li", { hasText: "<script>" }).waitFor();
    await go("/why");
    await page.locator("details.turn", { hasText: "<img src=x" }).first().waitFor();
    for (const path of rooms) {
      await go(path);
      assert.deepEqual(await page.evaluate(() => [window.broken, document.querySelectorAll("main img, main script").length]), [undefined, 0], path);
    }
    await go("/memory");
    await page.locator("#found-title + ul li", { hasText: "<script>" }).getByRole("button", { name: "Forget", exact: true }).click();
    await notice("It is forgotten.");
    await go("/");
  });
  await task(`${kind}: another page can neither frame this one nor send its forms`, async () => {
    const other = await context.newPage();
    const tried = [];
    other.on("response", (response) => tried.push([new URL(response.url()).pathname, response.status()]));
    await other.goto(`data:text/html,<iframe src="${origin}/"></iframe><form method=post action="${origin}/do/now/mute"><input name=muted value=on></form>`);
    await other.waitForTimeout(500);
    assert.equal(await other.frames()[1].evaluate(() => document.querySelectorAll("main").length).catch(() => 0), 0, "framed");
    await other.evaluate(() => document.forms[0].submit());
    await other.waitForTimeout(500);
    assert.ok(tried.some(([path, status]) => path === "/do/now/mute" && status === 403), JSON.stringify(tried));
    assert.equal(JSON.parse(joi("status", "--json")).muted, false);
    await other.close();
  });
  await task(`${kind}: see why the last answer was given`, async () => {
    await page.locator("#text").fill("turn on the hall light");
    await page.locator("#text").press("Enter");
    await page.locator(".say.joi", { hasText: "Hall light" }).waitFor();
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
  await task(`${kind}: see which service runs, how fast the models are, and the newest warnings`, async () => {
    await page.getByRole("heading", { name: "Services" }).waitFor();
    await page.getByText("All services").click();
    await page.getByText("control socket").waitFor();
    await page.locator("#models-title + dl dt", { hasText: "whisper" }).first().waitFor();
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
  await task(`${kind}: a value that is not allowed is named while it is typed, and refused`, async () => {
    await page.getByLabel("Find a key").fill("snooze_min");
    const minutes = page.getByLabel("timers.snooze_min");
    const before = readFileSync(process.env.JOI_CONFIG, "utf8");
    await minutes.fill("12");
    await page.locator('[id="timers.snooze_min"][aria-invalid="false"]').waitFor();
    await minutes.fill("many");
    await page.locator('[id="timers.snooze_min"][aria-invalid="true"]').waitFor();
    await page.locator('[id="timers.snooze_min-verdict"]', { hasText: /\w/ }).waitFor();
    await barriers(page, "/settings with a wrong value");
    await page.screenshot({ path: `${shots}/${kind}-wrong-value.png` });
    assert.equal(readFileSync(process.env.JOI_CONFIG, "utf8"), before, "nothing is written");
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
summary();
