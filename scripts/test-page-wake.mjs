// A wake phrase is recorded in the owner's voice, through the microphone of joi's room; the volume is set there.
import { spawn } from "node:child_process";
import { strict as assert } from "node:assert";
import { barriers, fits, joi, launched, link, shots, summary, task, widths } from "./test-page-common.mjs";

const say = (take) => spawn("paplay", ["--device=mic_feed", `${process.env.WORK}/take${take}.wav`]);
const browser = await launched();
for (const [width, height, kind] of widths) {
  const context = await browser.newContext({ viewport: { width, height }, locale: "en-GB" });
  const page = await context.newPage();
  const first = link();
  const origin = first.split("/enter")[0];
  await page.goto(first);
  await page.waitForURL(`${origin}/`);
  const section = page.locator("section:has(#wake-title)");
  const press = (label) => section.getByRole("button", { name: label, exact: true }).first().click();

  await task(`${kind}: set the volume of the room`, async () => {
    await page.locator("#volume").fill("35");
    await page.locator("#notice", { hasText: "Volume: 35 %" }).waitFor();
    await page.reload();
    assert.equal(await page.locator("#volume").inputValue(), "35");
  });
  await task(`${kind}: talk while everything works`, async () => {
    for (const [said, answer] of [["what time is it?", /It's/], ["set a pasta timer for nine minutes", /Pasta timer/], ["turn on the hall light", /Hall light/]]) {
      await page.locator("#text").fill(said);
      await page.locator("#text").press("Enter");
      await page.locator(".say.joi", { hasText: answer }).last().waitFor();
    }
    await page.locator("#text").blur();
    await barriers(page, "/ while everything works");
    await page.screenshot({ path: `${shots}/${kind === "desk" ? "manual-now" : "phone-works"}.png` });
  });
  await task(`${kind}: listening now listens`, async () => {
    await page.getByRole("button", { name: "Listen now" }).click();
    await page.locator('#state[data-state="listening"]').waitFor();
    await page.getByRole("button", { name: "Stop", exact: true }).click();
  });
  await task(`${kind}: see which wake phrases are listened for`, async () => {
    await page.goto(`${origin}/health`);
    await section.getByText("counts from").first().waitFor();
  });
  await task(`${kind}: a phrase that is none is refused`, async () => {
    await page.getByLabel("The phrase, as it is written").fill("1");
    await press("Begin");
    await page.locator("#notice", { hasText: "is no phrase" }).waitFor();
  });
  await task(`${kind}: begin to record a phrase; silence is no recording`, async () => {
    await page.getByLabel("The phrase, as it is written").fill("hey luna");
    await press("Begin");
    await section.getByText("Recording “hey luna”").waitFor();
    await press("Record");
    await page.locator("#notice", { hasText: /no speech was recorded|too quiet/ }).waitFor();
  });
  const takes = section.locator("tbody tr");
  const good = takes.filter({ hasText: /good −\d/ });
  // One that is unlike the others does not count; eight are taken at most.
  for (let take = 1; take <= 6 || ((await good.count()) < 6 && take <= 8); take += 1) {
    await task(`${kind}: say it, ${take}`, async () => {
      // The answer comes when it was recorded.
      const pressed = press("Record");
      await page.waitForTimeout(900);
      say(((take - 1) % 6) + 1);
      await pressed;
      await takes.nth(take - 1).waitFor({ timeout: 30000 });
    });
  }
  await task(`${kind}: the scores are shown, without barriers`, async () => {
    await good.nth(4).waitFor();
    await barriers(page, "/health while a phrase is recorded");
    await fits(page, "/health while a phrase is recorded");
    await section.screenshot({ path: `${shots}/${kind === "desk" ? "manual-wake" : "phone-wake"}.png` });
  });
  await task(`${kind}: discard one`, async () => {
    const [all, fine] = [await takes.count(), await good.count()];
    const one = fine === all ? takes.first() : takes.filter({ hasNotText: /good −\d/ }).first();
    await one.getByRole("button", { name: "Discard" }).click();
    await takes.nth(all - 1).waitFor({ state: "detached" });
  });
  if (kind === "phone") {
    await task(`${kind}: give up: nothing is kept`, async () => {
      await press("Give up");
      await page.locator("#notice", { hasText: "Nothing was kept." }).waitFor();
      assert.ok(!joi("wake", "list").includes("hey luna"));
    });
  } else {
    await task(`${kind}: keep it, which compares it with other speech`, async () => {
      await press("Keep the phrase");
      await section.getByText("is being compared with other speech").waitFor();
      await barriers(page, "/health while a phrase is compared");
      await section.getByText("is kept: your voice counts from").waitFor({ timeout: 900000 });
      await section.locator("li", { hasText: "hey luna" }).getByText("from the next start").first().waitFor();
      const kept = JSON.parse(joi("wake", "list", "--json")).phrases.find((one) => one.phrase === "hey luna");
      assert.equal(kept.voices[0].user, "owner");
      assert.ok(kept.voices[0].takes >= 5);
      await section.screenshot({ path: `${shots}/desk-wake-kept.png` });
    });
    await task(`${kind}: remove it`, async () => {
      await section.locator("li", { hasText: "hey luna" }).getByRole("button", { name: "Remove" }).click();
      await page.locator("#notice", { hasText: "is removed" }).waitFor();
      assert.ok(!joi("wake", "list").includes("hey luna"));
    });
  }
  await context.close();
}
await browser.close();
summary();
