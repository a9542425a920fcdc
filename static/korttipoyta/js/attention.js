/* Calling somebody to the table: the page's title, a bell, a notification; the screen kept awake. */

import { gettext } from "./i18n.js";

const TONES = [
  [784, 0],
  [1047, 0.14],
];

/**
 * `boxes`: the check boxes `bell` and `notify`, both off until chosen; `notify` is shown only where
 * a computer's browser allows it. Returns `{turn(mine), awake(wanted)}`.
 */
export function createAttention(boxes) {
  const title = document.title;
  let sound = null;
  let mine = false;
  let lock = null;
  let asked = false;
  let wanted = false;

  const notifies = "Notification" in globalThis && matchMedia("(hover: hover) and (pointer: fine)").matches;
  boxes.notify.closest("label").hidden = !notifies;
  boxes.bell.addEventListener("change", () => boxes.bell.checked && ring()); // a browser lets it sound later only after a press
  boxes.notify.addEventListener("change", async () => {
    if (boxes.notify.checked) {
      boxes.notify.checked = (await Notification.requestPermission()) === "granted";
    }
  });

  function ring() {
    sound ??= new AudioContext();
    sound.resume().catch(() => null); // without leave there is no bell; the title still tells
    for (const [pitch, after] of TONES) {
      const start = sound.currentTime + after;
      const tone = new OscillatorNode(sound, { frequency: pitch, type: "sine" });
      const volume = new GainNode(sound, { gain: 0 });
      volume.gain.linearRampToValueAtTime(0.2, start + 0.02);
      volume.gain.exponentialRampToValueAtTime(0.001, start + 0.5);
      tone.connect(volume).connect(sound.destination);
      tone.start(start);
      tone.stop(start + 0.5);
    }
  }

  function turn(now) {
    const begins = now && !mine;
    mine = now;
    document.title = mine ? `● ${gettext("Your turn")} · ${title}` : title;
    if (!begins) {
      return;
    }
    if (boxes.bell.checked) {
      ring();
    }
    if (document.hidden && notifies && boxes.notify.checked) {
      const note = new Notification(gettext("Your turn"), { body: title, tag: "korttipoyta-turn" });
      note.addEventListener("click", () => {
        window.focus();
        note.close();
      });
    }
  }

  async function keep() {
    if (wanted && !lock && !asked && !document.hidden && navigator.wakeLock) {
      asked = true; // one at a time: of two the first would never be let go
      try {
        lock = await navigator.wakeLock.request("screen");
        lock.addEventListener("release", () => (lock = null));
      } catch {
        lock = null; // a low battery, say: the screen then sleeps as it likes
      }
      asked = false;
    }
    if (!wanted) {
      lock?.release();
    }
  }

  document.addEventListener("visibilitychange", keep);

  return {
    turn,
    awake(now) {
      wanted = now;
      keep();
    },
  };
}
