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
 * once what still waits. A text equal to the one before is made distinct, so that it is spoken again.
 *
 * An open modal dialog silences the regions outside it. So each gets two of its own when it opens, and
 * what is said meanwhile is said there.
 */
export function announcer(politeRegion, alertRegion) {
  const page = { polite: politeRegion, alert: alertRegion };
  const inside = new Map(); // by dialog
  const waiting = [];
  let timer = null;

  new MutationObserver(opened).observe(document, { subtree: true, attributes: true, attributeFilter: ["open"] });

  function opened(changes) {
    for (const box of new Set(changes.map((change) => change.target))) {
      if (box.matches("dialog:modal")) {
        equip(box);
      } else if (inside.has(box)) {
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

  /** The regions that can be heard now. */
  function regions() {
    const modal = [...document.querySelectorAll("dialog:modal")];
    const top = modal.find((box) => box.contains(document.activeElement)) ?? modal.at(-1);
    return top ? equip(top) : page;
  }

  function speak(region, text) {
    write(region, region.textContent === text ? text + SAME : text);
  }

  function next() {
    timer = null;
    if (waiting.length === 0) {
      return;
    }
    const text = waiting.length > 2 ? waiting.splice(0).join(" ") : waiting.shift();
    speak(regions().polite, text);
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
        speak(regions().polite, waiting.splice(0).join(" "));
      }
    },
    alert(text) {
      speak(regions().alert, text);
    },
  };
}
