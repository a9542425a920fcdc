/* Your hand: a toolbar of native buttons with one tab stop, updated without ever losing focus. */

import { face } from "./cards.js";
import { arrange, h, set } from "./dom.js";

/**
 * `table`: `{sprite, words}`; `choose(code)` is called for every press, also of a card that
 * may not be played (the board answers why). Returns `{element, show, focus, press, button}`.
 */
export function createHand(table, label, choose) {
  const buttons = new Map();
  let cards = [];
  let current = null;

  const element = h("div", {
    class: "kp-hand",
    role: "toolbar",
    "aria-label": label,
    onkeydown: move,
    onfocusin: (event) => stop(event.target.dataset.code ?? current),
  });

  function move(event) {
    const at = cards.indexOf(current);
    const last = cards.length - 1;
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey || last < 0) {
      return;
    }
    event.preventDefault();
    const code = cards[(to + cards.length) % cards.length];
    stop(code);
    buttons.get(code).focus();
  }

  /** Make `code` the one tab stop. */
  function stop(code) {
    current = code;
    for (const [one, button] of buttons) {
      set(button, "tabindex", one === code ? "0" : "-1");
    }
  }

  function make(code) {
    const button = face(code, {
      name: table.words.cards[code],
      tag: "button",
      badge: table.badge(code),
      sprite: table.sprite,
    });
    button.type = "button";
    button.addEventListener("click", () => choose(code));
    return button;
  }

  return {
    element,

    /**
     * Show these cards. `why(code)`: null for a card that may be played now; otherwise
     * `{reason, barred}`, `reason` being the words to add to the card's name.
     * Returns the buttons that were not there before.
     */
    show(next, why) {
      const focused = document.activeElement;
      const lost = buttons.get(current) === focused && !next.includes(current);
      const at = cards.indexOf(current);
      const drawn = next.filter((code) => !cards.includes(code));
      for (const code of cards.filter((one) => !next.includes(one))) {
        buttons.delete(code);
      }
      for (const code of drawn) {
        buttons.set(code, make(code));
      }
      if (!next.includes(current)) {
        // The neighbour that slid into its place; a card just drawn never takes the focus.
        const kept = next.filter((code) => !drawn.includes(code));
        current = kept[Math.min(Math.max(at, 0), kept.length - 1)] ?? next[0] ?? null;
      }
      cards = [...next];
      element.style.setProperty("--n", cards.length);
      element.style.setProperty("--half", Math.ceil(cards.length / 2));
      set(element, "data-many", cards.length > 13);
      arrange(element, cards.map((code) => buttons.get(code)));
      for (const code of cards) {
        const button = buttons.get(code);
        const no = why(code);
        const name = table.words.cards[code];
        set(button, "aria-disabled", no !== null && "true");
        set(button, "aria-label", no?.reason ? `${name}, ${no.reason}` : name);
        button.classList.toggle("kp-card--barred", no?.barred === true);
      }
      stop(current);
      if (lost && current !== null) {
        buttons.get(current).focus();
      }
      return drawn.map((code) => buttons.get(code));
    },

    /** Put the focus on the hand. */
    focus() {
      buttons.get(current)?.focus();
    },

    /** Put the focus on the card at this place, counted from 1. */
    go(number) {
      buttons.get(cards[number - 1])?.focus();
    },

    button: (code) => buttons.get(code),
  };
}
