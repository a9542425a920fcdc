/* A few soft sounds, made here and off until chosen. What they tell is always told otherwise too. */

import { preference } from "./preferences.js";

const LOUD = 0.2;

let context = null;

/** A tone of `pitch` Hz from `start` (seconds of the context's clock), fading over `length` seconds. */
function tone(pitch, start, length, { type = "sine", gain = LOUD, to = pitch } = {}) {
  const source = new OscillatorNode(context, { frequency: pitch, type });
  source.frequency.exponentialRampToValueAtTime(to, start + length);
  fade(source, start, length, gain);
}

/** A rustle of `length` seconds round `pitch` Hz. */
function rustle(pitch, start, length, gain) {
  const noise = new AudioBuffer({ length: Math.ceil(length * context.sampleRate), sampleRate: context.sampleRate });
  const samples = noise.getChannelData(0);
  samples.forEach((_nothing, index) => (samples[index] = Math.random() * 2 - 1));
  const source = new AudioBufferSourceNode(context, { buffer: noise });
  const band = new BiquadFilterNode(context, { type: "bandpass", frequency: pitch, Q: 0.9 });
  fade(source, start, length, gain, band);
}

function fade(source, start, length, gain, filter = null) {
  const volume = new GainNode(context, { gain: 0 });
  volume.gain.setValueAtTime(0, start);
  volume.gain.linearRampToValueAtTime(gain, start + Math.min(0.02, length / 4));
  volume.gain.exponentialRampToValueAtTime(0.001, start + length);
  (filter ? source.connect(filter) : source).connect(volume).connect(context.destination);
  source.start(start);
  source.stop(start + length);
}

/** Each sound: how to make it from a moment on; how long it takes, in seconds. */
const SOUNDS = {
  play: [
    (at) => {
      rustle(1900, at, 0.07, 0.16);
      tone(190, at, 0.09, { type: "triangle", to: 110, gain: 0.12 });
    },
    0.12,
  ],
  trick: [
    (at) => {
      [0, 0.07, 0.14].forEach((after) => rustle(1500 - 2500 * after, at + after, 0.1, 0.12));
      tone(150, at + 0.18, 0.12, { type: "triangle", to: 90, gain: 0.12 });
    },
    0.35,
  ],
  turn: [
    (at) => {
      tone(784, at, 0.5);
      tone(1047, at + 0.14, 0.5);
    },
    0.6,
  ],
  end: [(at) => [523, 659, 784, 1047].forEach((pitch, index) => tone(pitch, at + index * 0.13, 0.7, { gain: 0.14 })), 1.1],
};

/** Let these be heard, one after the other, as far as they are wanted: "play", "trick", "turn", "end". */
export function sound(...names) {
  const wanted = { off: [], turn: ["turn"], all: Object.keys(SOUNDS) }[preference("sound")];
  const heard = names.filter((name) => wanted.includes(name));
  const pressed = navigator.userActivation?.hasBeenActive ?? true; // before that a browser lets nothing sound
  if (heard.length === 0 || !pressed) {
    return;
  }
  context ??= new AudioContext();
  context.resume().catch(() => null); // without leave there is silence; the page still tells
  let at = context.currentTime;
  for (const name of heard) {
    const [make, length] = SOUNDS[name];
    make(at);
    at += length;
  }
}
