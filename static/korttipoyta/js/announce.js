/* Speech for screen readers: one polite and one alert region, both in the page from the start. */

import { write } from "./dom.js";

const GAP = 250;
const SAME = "\u00a0";

/**
 * `polite(text)` queues; when more than two texts wait they are spoken as one. `alert(text)`
 * interrupts; `flush()` says at once what still waits, before a dialog hides the regions. A text
 * equal to the one before is made distinct, so that it is spoken again.
 */
export function announcer(politeRegion, alertRegion) {
  const waiting = [];
  let timer = null;

  function speak(region, text) {
    write(region, region.textContent === text ? text + SAME : text);
  }

  function next() {
    timer = null;
    if (waiting.length === 0) {
      return;
    }
    const text = waiting.length > 2 ? waiting.splice(0).join(" ") : waiting.shift();
    speak(politeRegion, text);
    timer = setTimeout(next, GAP);
  }

  return {
    polite(text) {
      waiting.push(text);
      if (timer === null) {
        timer = setTimeout(next, 0);
      }
    },
    flush() {
      if (waiting.length > 0) {
        speak(politeRegion, waiting.splice(0).join(" "));
      }
    },
    alert(text) {
      speak(alertRegion, text);
    },
  };
}
