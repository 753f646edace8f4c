// Push to talk: while the button is held, the microphone of this browser is open; then what was said is sent in one request,
// as 16-bit samples at 16 kHz. Nothing of it is kept here, and the microphone is closed in between.

const RATE = 16000;
const LONGEST_S = 30;
const SHORTEST_S = 0.3;

// Returns samples at 16 kHz; the browser filters and converts.
async function converted(pieces, rate) {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length < SHORTEST_S * rate) return null;
  const wanted = Math.min(Math.floor((length * RATE) / rate), LONGEST_S * RATE);
  const offline = new OfflineAudioContext(1, wanted, RATE);
  const buffer = offline.createBuffer(1, length, rate);
  let at = 0;
  for (const piece of pieces) {
    buffer.copyToChannel(piece, 0, at);
    at += piece.length;
  }
  const source = offline.createBufferSource();
  source.buffer = buffer;
  source.connect(offline.destination);
  source.start();
  const samples = (await offline.startRendering()).getChannelData(0);
  const bytes = new DataView(new ArrayBuffer(samples.length * 2));
  samples.forEach((sample, index) => bytes.setInt16(index * 2, Math.round(Math.max(-1, Math.min(1, sample)) * 32767), true));
  return bytes.buffer;
}

// One press of the button: the microphone and what it has delivered.
class Press {
  constructor(onLevel) {
    this.pieces = [];
    this.onLevel = onLevel;
    this.ended = new Promise((resolve) => (this.end = resolve));
  }

  async open() {
    const audio = { channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true };
    this.stream = await navigator.mediaDevices.getUserMedia({ audio });
    this.context = new AudioContext();
    await this.context.audioWorklet.addModule(new URL("recorder.js", import.meta.url));
    this.recorder = new AudioWorkletNode(this.context, "joi-recorder", { numberOfOutputs: 0, channelCount: 1, channelCountMode: "explicit" });
    this.recorder.port.onmessage = ({ data }) => (data ? this.take(data) : this.end());
    this.context.createMediaStreamSource(this.stream).connect(this.recorder);
    await this.context.resume();
  }

  take(piece) {
    this.pieces.push(piece);
    this.onLevel(piece.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0));
  }

  // Returns what was said, or nothing where that was too short.
  async close() {
    const { recorder, context } = this;
    if (recorder) {
      recorder.port.postMessage("end");
      await Promise.race([this.ended, new Promise((resolve) => setTimeout(resolve, 500))]);
    }
    this.stream?.getTracks().forEach((track) => track.stop());
    await context?.close();
    return context ? converted(this.pieces, context.sampleRate) : null;
  }
}

async function send(samples) {
  const headers = { "x-joi-key": document.body.dataset.key, "content-type": "application/octet-stream" };
  const answer = await fetch("/talk", { method: "POST", body: samples, headers, redirect: "error" });
  if (answer.status === 401) return location.assign("/enter");
  return answer.json();
}

export function holdToTalk(hold, tell) {
  const button = hold.querySelector("button");
  const label = button.querySelector("span");
  const note = hold.querySelector("#hold-note");
  let press = null;
  let isHeld = false;
  let limit = 0;

  function show(state) {
    button.dataset.state = state;
    button.style.removeProperty("--level");
    label.textContent = button.dataset[state];
    button.setAttribute("aria-pressed", String(state === "speak"));
  }

  async function begin() {
    if (press) return;
    tell("");
    if (!canRecord) return tell(note.textContent, true);
    isHeld = true;
    press = new Press((level) => button.style.setProperty("--level", String(Math.min(1, level * 2))));
    show("opening");
    try {
      await press.open();
    } catch (error) {
      await press.close().catch(() => null);
      press = null;
      show("idle");
      const isRefused = error.name === "NotAllowedError" || error.name === "SecurityError";
      return tell(isRefused ? note.dataset.refused : note.dataset.missing, true);
    }
    if (!isHeld) return finish();
    show("speak");
    limit = setTimeout(() => end(), LONGEST_S * 1000);
  }

  // Let go of before the microphone was open, there is nothing to send yet: `begin` goes on here.
  function end() {
    if (!isHeld) return;
    isHeld = false;
    if (button.dataset.state === "speak") finish();
  }

  async function finish() {
    clearTimeout(limit);
    show("sending");
    try {
      const samples = await press.close();
      if (!samples) return tell(note.dataset.short, true);
      const { tone, text } = (await send(samples)) ?? {};
      if (text) tell(text, tone !== "done");
    } catch {
      tell(document.body.dataset.lost, true);
    } finally {
      press = null;
      show("idle");
    }
  }

  const canRecord = window.isSecureContext && Boolean(navigator.mediaDevices?.getUserMedia) && "AudioWorkletNode" in window;
  if (!canRecord) note.textContent = window.isSecureContext ? note.dataset.missing : note.dataset.insecure;
  button.setAttribute("aria-disabled", String(!canRecord));
  hold.hidden = false;
  show("idle");

  button.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    button.setPointerCapture(event.pointerId);
    begin();
  });
  for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) button.addEventListener(name, end);
  button.addEventListener("contextmenu", (event) => event.preventDefault());
  const isKey = (event) => event.key === " " || event.key === "Enter";
  button.addEventListener("keydown", (event) => {
    if (!isKey(event)) return;
    event.preventDefault();
    if (!event.repeat) begin();
  });
  button.addEventListener("keyup", (event) => {
    if (!isKey(event)) return;
    event.preventDefault();
    end();
  });
  // Assistive technology clicks without holding: once to begin, once more to end.
  button.addEventListener("click", (event) => {
    if (event.detail !== 0) return;
    if (isHeld) end();
    else begin();
  });
  button.addEventListener("blur", end);
  document.addEventListener("visibilitychange", () => document.hidden && end());
}
