// Keeps an open page up to date, and sends its forms without leaving it. Every page works without this script.
// Texts are set as text, never as HTML.

import { holdToTalk } from "./talk.js";

const notice = document.getElementById("notice");

function tell(text, isBad) {
  if (!notice) return;
  notice.replaceChildren();
  if (!text) return;
  const line = document.createElement("p");
  line.className = isBad ? "notice bad" : "notice";
  line.textContent = text;
  notice.append(line);
}

// Commands stand between backticks.
function sentence(element, text) {
  const parts = text.split("`");
  if (parts.length % 2 === 0) return (element.textContent = text);
  element.replaceChildren(...parts.map((part, at) => {
    if (at % 2 === 0) return part;
    const command = document.createElement("code");
    command.textContent = part;
    return command;
  }));
}

// The code of a link stands behind "#", which is sent nowhere; it is taken out of the address at once.
function enter(form) {
  const code = decodeURIComponent(location.hash.slice(1));
  if (!code) return;
  history.replaceState(null, "", location.pathname);
  form.elements.code.value = code;
  form.querySelector("button").textContent = form.dataset.busy;
  form.submit();
}

async function send(event) {
  const form = event.target;
  if (!(form instanceof HTMLFormElement)) return;
  // What takes a while says so, and is not asked for twice.
  const slow = event.submitter?.dataset.busy ? event.submitter : null;
  if (slow) {
    slow.textContent = slow.dataset.busy;
    setTimeout(() => (slow.disabled = true));
  }
  if (!form.classList.contains("live")) return;
  event.preventDefault();
  const fields = new URLSearchParams(new FormData(form));
  if (form.classList.contains("ask")) form.reset();
  try {
    const answer = await fetch(form.action, { method: "POST", body: fields, headers: { "x-joi-live": "1" }, redirect: "error" });
    if (answer.status === 401) return location.assign("/enter");
    const { tone, text } = await answer.json();
    tell(text, tone !== "done");
  } catch {
    tell(document.body.dataset.lost, true);
  }
}

// Buttons alone in a form have the class of the button.
for (const button of document.querySelectorAll("button.live")) button.form?.classList.add("live");
document.addEventListener("submit", send);
document.addEventListener("input", (event) => {
  const output = event.target.form?.querySelector(`output[for="${event.target.id}"]`);
  if (output && event.target.type === "range") output.textContent = `${event.target.value} %`;
});
for (const submit of document.querySelectorAll("form.volume button")) submit.hidden = true;
document.addEventListener("change", (event) => {
  if (event.target.type === "range") event.target.form?.requestSubmit();
});

const door = document.getElementById("enter");
if (door) {
  enter(door);
  // The link of another code, opened where this page is shown already.
  addEventListener("hashchange", () => enter(door));
}

// --- what goes on ---

const talk = document.getElementById("talk");
const state = document.getElementById("state");
const LINES = 200;
let answers = new Map();

function line(kind, text, about) {
  document.getElementById("talk-empty")?.remove();
  const isAtEnd = talk.scrollHeight - talk.scrollTop - talk.clientHeight < 60;
  const say = document.createElement("div");
  say.className = `say ${kind}`;
  if (about) {
    const small = document.createElement("small");
    small.textContent = about;
    say.append(small);
  }
  const words = document.createElement("span");
  words.textContent = text;
  say.append(words);
  talk.append(say);
  while (talk.children.length > LINES) talk.firstElementChild.remove();
  if (isAtEnd) talk.scrollTop = talk.scrollHeight;
  return words;
}

const isMine = (event) => (event.channel === "page" ? talk.dataset.typed : event.channel === "voice" ? talk.dataset.said : event.channel);

const shows = {
  state(event) {
    state.dataset.state = event.state;
    document.getElementById("state-label").textContent = event.label;
    sentence(document.getElementById("state-note"), event.note ?? "");
    const mute = document.querySelector('form[action="/do/now/mute"]');
    if (!mute) return;
    const isMuted = event.state === "muted";
    const button = mute.querySelector("button");
    mute.elements.muted.value = isMuted ? "off" : "on";
    button.textContent = isMuted ? button.dataset.unmute : button.dataset.mute;
  },
  level(event) {
    document.getElementById("level").value = event.db ?? -60;
  },
  woke: (event) => line("aside", event.label),
  called: (event) => line("aside", event.label),
  heard(event) {
    line("you", event.text, `${event.label} · ${isMine(event)}`);
    answers.delete(event.channel);
  },
  words(event) {
    let words = answers.get(event.channel);
    if (!words) answers.set(event.channel, (words = line("joi", "", talk.dataset.name)));
    words.textContent += event.text;
    talk.scrollTop = talk.scrollHeight;
  },
  aside: (event) => line("aside", event.text),
  answered: (event) => answers.delete(event.channel),
  ignored: (event) => line("aside", event.label),
  announced: (event) => line("joi", event.text, event.label),
  rings: (event) => line("joi", event.text, event.label),
};

let source = null;
let isLost = false;
function follow() {
  source = new EventSource("/events");
  for (const [name, show] of Object.entries(shows)) {
    source.addEventListener(name, (message) => show(JSON.parse(message.data)));
  }
  source.onopen = () => {
    if (isLost) tell("");
    isLost = false;
  };
  source.onerror = () => {
    isLost = true;
    tell(document.body.dataset.lost, true);
  };
}
if (talk && state) {
  follow();
  holdToTalk(document.getElementById("hold"), tell);
  // A page that nobody looks at costs nothing.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      source.close();
    } else if (source.readyState === EventSource.CLOSED) {
      follow();
    }
  });
}

// --- what ends by itself is looked at again ---

const again = document.querySelector("[data-again]");
if (again) setTimeout(() => location.reload(), Number(again.dataset.again) * 1000);

// --- settings: find a key ---

const find = document.getElementById("find");
if (find) {
  find.closest(".find").hidden = false;
  find.addEventListener("input", () => {
    const wanted = find.value.trim().toLowerCase();
    for (const section of document.querySelectorAll(".section")) {
      let shown = 0;
      for (const one of section.querySelectorAll(".key")) {
        one.hidden = !one.dataset.find.toLowerCase().includes(wanted);
        shown += one.hidden ? 0 : 1;
      }
      section.hidden = shown === 0;
      section.open = wanted !== "" && shown > 0;
    }
  });
}

// --- settings: say while it is typed whether a value is allowed ---

const PAUSE_MS = 300;
for (const form of document.querySelectorAll('form[action="/do/settings/set"]')) {
  const field = form.elements.value;
  const said = form.querySelector(".verdict");
  let waiting = 0;
  let asked = 0;
  async function check() {
    const turn = ++asked;
    const fields = new URLSearchParams(new FormData(form));
    const headers = { "x-joi-live": "1" };
    const answer = await fetch("/do/settings/check", { method: "POST", body: fields, headers, redirect: "error" }).catch(() => null);
    // An answer to what was typed before is of no interest.
    if (!answer?.ok || turn !== asked) return;
    const { tone, text } = await answer.json();
    field.setAttribute("aria-invalid", String(tone !== "done"));
    sentence(said, text);
  }
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(check, PAUSE_MS);
  });
}
