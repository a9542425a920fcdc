/* The way to the voice call: a button in the bar. What it opens is loaded when somebody uses it. */

import { asked, h, notLoaded, onUse, set, write } from "./dom.js";
import { fill, gettext, ngettext } from "./i18n.js";

const SVG = "http://www.w3.org/2000/svg";
const HEADSET = "M4 15v-3a8 8 0 0 1 16 0v3M4 14h3v6H5a1 1 0 0 1-1-1zM20 14h-3v6h2a1 1 0 0 0 1-1z";

/** A line drawing in a button. */
export function icon(path) {
  const svg = document.createElementNS(SVG, "svg");
  const line = document.createElementNS(SVG, "path");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("focusable", "false");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

/** Put a stylesheet on the page, once; resolves when it holds. */
function styled(address) {
  return new Promise((resolve, reject) => {
    const link = h("link", { rel: "stylesheet", href: address, onload: resolve, onerror: () => (link.remove(), reject(new Error(address))) });
    document.head.append(link);
  });
}

/** Where a tab remembers that it was in the call, and how. */
export function memory(code) {
  const key = `korttipoyta.voice.${code}`;
  return {
    read: () => JSON.parse(sessionStorage.getItem(key) ?? "{}"),
    write: (changes) => sessionStorage.setItem(key, JSON.stringify({ ...JSON.parse(sessionStorage.getItem(key) ?? "{}"), ...changes })),
  };
}

/**
 * Put the button before `menu`, if the page has voice. `table` is handed on to `voice.js`, which tells
 * what must be in it. Returns `{show(snapshot), here(seats), message(data), refused(code),
 * state(name), gone(), refresh(), keys, commands}`.
 */
export function createVoiceButton(menu, table) {
  const settings = table.page.voice;
  const none = () => null;
  if (!settings) {
    return { show: none, here: none, message: none, refused: none, state: none, gone: none, refresh: none, keys: [], commands: {} };
  }
  const badge = h("span", { class: "kp-badge kp-voice-count", "aria-hidden": "true", hidden: true });
  const words = h("span", { class: "kp-sr" }, gettext("Voice"));
  const button = h("button", { class: "kp-icon-button kp-voice-button", type: "button", "aria-haspopup": "dialog", onclick: () => act("open") }, icon(HEADSET), badge, words);
  menu.before(button);

  let on = true;
  let here = null;
  const voice = onUse(
    () => Promise.all([import(settings.module), styled(settings.style)]),
    ([{ createVoice }]) => createVoice(button, { ...table, here: () => here }),
  );

  async function act(what) {
    if (!on) {
      return gettext("Voice is switched off at this table.");
    }
    const loaded = await asked(voice, table.speak);
    return loaded?.[what]() ?? null;
  }

  /** This tab was in the call before it was loaded anew. Nobody waits for this: it opens nothing. */
  async function comeBack() {
    const loaded = await voice.use();
    if (loaded) {
      loaded.comeBack();
    } else {
      table.speak.alert(notLoaded());
    }
  }

  function paint() {
    const count = here?.filter((seat) => seat.call).length ?? 0;
    set(badge, "hidden", count === 0);
    write(badge, String(count));
    write(words, count ? fill(ngettext("Voice: %(count)s in the call", "Voice: %(count)s in the call", count), { count }) : gettext("Voice"));
  }

  if (memory(table.page.code).read().in) {
    comeBack();
  }

  return {
    show(snapshot) {
      if (!snapshot.voice && on) {
        on = false;
        memory(table.page.code).write({ in: false });
        if (voice.loaded()) {
          voice.loaded().off();
        } else {
          table.speak.polite(gettext("Voice is switched off at this table."));
        }
        button.remove();
      }
      voice.loaded()?.show();
    },
    here(seats) {
      here = seats;
      paint();
      voice.loaded()?.roster();
    },
    message: (data) => voice.loaded()?.message(data),
    refused: (code) => voice.loaded()?.refused(code),
    state: (name) => voice.loaded()?.state(name),
    gone() {
      on = false;
      voice.loaded()?.gone();
      button.remove();
    },
    refresh: () => voice.loaded()?.refresh(),
    keys: [
      { key: "v", name: "V", words: gettext("the voice call"), run: () => act("open") },
      { key: "m", name: "M", words: gettext("mute my microphone, or not"), run: () => voice.loaded()?.toggleMute() },
      { key: "h", name: "H", words: gettext("hold to talk, when push-to-talk is chosen"), run: () => voice.loaded()?.talk(true) },
    ],
    commands: {
      [gettext("voice")]: () => void act("open"),
      [gettext("mute")]: () => voice.loaded()?.toggleMute() ?? gettext("You are not in the voice call."),
    },
  };
}
