/* Asking the server again and again, for as long as the network is away, and saying so meanwhile. */

import { set, write } from "./dom.js";
import { gettext } from "./i18n.js";

const RETRY = [500, 1000, 2000, 4000, 8000];
const DEADLINE = 8000;

/**
 * A function `post(address, data, wanted)` that resolves to the server's answer, also a refusal; to
 * null as soon as `wanted()` is false. Trouble stands in `trouble` and is spoken, with what
 * `comfort()` says of what is safe.
 */
export function poster(trouble, speak, comfort) {
  let failures = 0;

  async function post(address, data, wanted) {
    const body = JSON.stringify(data);
    while (wanted()) {
      const response = await fetch(address, {
        method: "POST",
        credentials: "omit",
        headers: { "Content-Type": "application/json" },
        body,
        signal: AbortSignal.timeout(DEADLINE), // a phone that wakes has a connection that is none
      }).catch(() => null);
      if (response && (response.ok || response.status === 400 || response.status === 409)) {
        const answer = await response.json().catch(() => null);
        if (answer) {
          calm();
          return answer;
        }
      }
      alarm(response);
      await nextTry(RETRY[Math.min(failures, RETRY.length) - 1]);
    }
    return null;
  }

  /** Say once that something is wrong: with the server if it has answered, else with the network. */
  function alarm(response) {
    failures += 1;
    const what = response ? gettext("The server has a fault.") : gettext("No connection.");
    const text = [what, comfort(), gettext("Trying again.")].filter(Boolean).join(" ");
    if (trouble.textContent !== text || trouble.hidden) {
      write(trouble, text);
      set(trouble, "hidden", false);
      speak.alert(text);
    }
  }

  function calm() {
    if (failures > 0) {
      failures = 0;
      set(trouble, "hidden", true);
      speak.polite(gettext("Connected again."));
    }
  }

  return post;
}

/** Wait for a while, or for the network to come back. */
function nextTry(time) {
  return new Promise((resolve) => {
    const wake = setTimeout(go, time);
    function go() {
      clearTimeout(wake);
      removeEventListener("online", go);
      resolve();
    }
    addEventListener("online", go);
  });
}
