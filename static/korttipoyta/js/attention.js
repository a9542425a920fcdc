/* Calling somebody to the table: the page's title, a notification; the screen kept awake. */

import { gettext } from "./i18n.js";

/**
 * `notify`: the check box for notifications, off until chosen; it is shown only where a computer's
 * browser allows them. Returns `{turn(mine), awake(wanted)}`.
 */
export function createAttention(notify) {
  const title = document.title;
  let mine = false;
  let lock = null;
  let asked = false;
  let wanted = false;

  const notifies = "Notification" in globalThis && matchMedia("(hover: hover) and (pointer: fine)").matches;
  notify.closest("label").hidden = !notifies;
  notify.addEventListener("change", async () => {
    if (notify.checked) {
      notify.checked = (await Notification.requestPermission()) === "granted";
    }
  });

  function turn(now) {
    const begins = now && !mine;
    mine = now;
    document.title = mine ? `● ${gettext("Your turn")} · ${title}` : title;
    if (!begins) {
      return;
    }
    if (document.hidden && notifies && notify.checked) {
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
