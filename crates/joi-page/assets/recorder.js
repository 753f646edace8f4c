// Hands what the microphone delivers to the page, in pieces of an eighth of a second or less. Runs on the audio thread.

const PIECE = 2048;

class JoiRecorder extends AudioWorkletProcessor {
  constructor() {
    super();
    this.piece = new Float32Array(PIECE);
    this.filled = 0;
    this.isOver = false;
    // The last piece is sent before the end is confirmed.
    this.port.onmessage = () => {
      this.isOver = true;
      this.port.postMessage(this.piece.slice(0, this.filled));
      this.port.postMessage(null);
    };
  }

  process([input]) {
    const samples = input?.[0];
    if (samples && !this.isOver) {
      for (const sample of samples) {
        this.piece[this.filled++] = sample;
        if (this.filled === PIECE) {
          this.port.postMessage(this.piece.slice());
          this.filled = 0;
        }
      }
    }
    return !this.isOver;
  }
}

registerProcessor("joi-recorder", JoiRecorder);
