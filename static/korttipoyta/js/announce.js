/* Speech for screen readers: one polite and one alert region, both in the page from the start. */

import { h, write } from "./dom.js";
import { preference } from "./preferences.js";

const GAP = 250;
const SAME = "\u00a0";

/** What is left out, by how much is to be spoken. What answers the reader is never left out. */
const UNSAID = { all: [], short: ["own", "news"], turn: ["own", "news", "play"] };

/**
 * `polite(text, topic)` queues; when more than two texts wait they are spoken as one. `topic` tells what
 * it is about: "own" (what the reader has just done), "play" (what others do), "turn", "news" (who comes
 * and goes); nothing for an answer or what must be known. `alert(text)` interrupts; `flush()` says at
 * once, as one, what still waits; `forget(text)` takes back a text that waits and has become untrue. A text
 * equal to the one before is made distinct, so that it is spoken again.
 *
 * An open modal dialog silences the regions outside it. So each gets two of its own when it opens, and
 * what is said meanwhile is said there. What belongs to a dialog is said after it is opened: said before,
 * it would be in a region that is silenced at once.
 */
export function announcer(politeRegion, alertRegion) {
  const page = { polite: politeRegion, alert: alertRegion };
  const inside = new Map(); // by dialog
  const ready = new WeakSet(); // dialogs that were open before what is happening now
  const waiting = [];
  let timer = null;

  new MutationObserver(opened).observe(document, { subtree: true, attributes: true, attributeFilter: ["open"] });

  function opened(changes) {
    for (const box of new Set(changes.map((change) => change.target))) {
      if (box.matches("dialog:modal")) {
        equip(box);
        ready.add(box);
      } else if (inside.has(box)) {
        ready.delete(box);
        Object.values(inside.get(box)).forEach((region) => write(region, "")); // it is not to be read there later
      }
    }
  }

  function equip(box) {
    if (!inside.has(box)) {
      const polite = h("div", { class: "kp-sr kp-speech", role: "status", "aria-live": "polite" });
      const alert = h("div", { class: "kp-sr kp-speech", role: "alert" });
      box.append(polite, alert);
      inside.set(box, { polite, alert });
    }
    return inside.get(box);
  }

  /** The dialog that silences all else, if there is one. */
  function top() {
    const modal = [...document.querySelectorAll("dialog:modal")];
    return modal.find((box) => box.contains(document.activeElement)) ?? modal.at(-1) ?? null;
  }

  /** Whether there are regions that readers know: one that appears with its text in it is not read. */
  function heard() {
    const box = top();
    return box === null || ready.has(box);
  }

  function speak(kind, text) {
    const box = top();
    const region = (box === null ? page : equip(box))[kind];
    write(region, region.textContent === text ? text + SAME : text);
  }

  function next() {
    timer = null;
    if (waiting.length === 0) {
      return;
    }
    const text = waiting.length > 2 ? waiting.splice(0).join(" ") : waiting.shift();
    speak("polite", text);
    timer = setTimeout(next, GAP);
  }

  return {
    polite(text, topic = null) {
      if (UNSAID[preference("speech")].includes(topic)) {
        return;
      }
      waiting.push(text);
      if (timer === null) {
        timer = setTimeout(next, 0);
      }
    },
    flush() {
      if (waiting.length > 0) {
        waiting.push(waiting.splice(0).join(" "));
        clearTimeout(timer);
        timer = setTimeout(next, heard() ? 0 : GAP);
      }
    },
    forget(text) {
      const at = waiting.indexOf(text);
      if (at >= 0) {
        waiting.splice(at, 1);
      }
    },
    alert(text) {
      if (heard()) {
        speak("alert", text);
      } else {
        setTimeout(() => speak("alert", text), GAP);
      }
    },
  };
}
