/* The playing card, in the same structure as templates/korttipoyta/card.html, and how it moves. */

import { preference } from "./preferences.js";

const SVG = "http://www.w3.org/2000/svg";

export const RANKS = "A23456789TJQK";
export const SUITS = "CDHS";

const COURTS = "JQK";

/** "TH" or "T" -> "10". */
export function rankText(code) {
  return code[0] === "T" ? "10" : code[0];
}

function drawing(part, address) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", part);
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("focusable", "false");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", address);
  svg.append(use);
  return svg;
}

/**
 * A card face up. `name` is what it is called ("ten of hearts"), `badge` what it is worth or null,
 * `sprite` the address of cards.svg.
 */
export function face(code, {name, tag = "span", badge = null, sprite}) {
  const rank = code[0];
  const suit = code[1];
  if (code.length !== 2 || !RANKS.includes(rank) || !SUITS.includes(suit)) {
    throw new RangeError(`not a card: ${code}`);
  }
  const card = document.createElement(tag);
  card.className = `kp-card kp-card--${suit}`;
  if (badge !== null) {
    card.classList.add("kp-card--points");
  }
  card.dataset.code = code;
  if (tag === "button") {
    card.type = "button";
  } else {
    card.setAttribute("role", "img");
  }
  card.setAttribute("aria-label", name);
  card.append(
    drawing("kp-card-rank", `${sprite}#rank-${rank}`),
    drawing("kp-card-suit", `${sprite}#suit-${suit}`),
  );
  if (COURTS.includes(rank)) {
    card.append(drawing("kp-card-court", `${sprite}#court-${rank}`));
  }
  card.append(
    drawing("kp-card-big", `${sprite}#rank-${rank}`),
    drawing("kp-card-corner", `${sprite}#suit-${suit}`),
  );
  if (badge !== null) {
    const points = document.createElement("span");
    points.className = "kp-card-badge";
    points.setAttribute("aria-hidden", "true");
    points.textContent = String(badge);
    card.append(points);
  }
  return card;
}

/** A card face down: the same for every card. */
export function back({tag = "span"} = {}) {
  const card = document.createElement(tag);
  card.className = "kp-card kp-card--back";
  card.setAttribute("aria-hidden", "true");
  return card;
}

// ---- motion that explains: state first, motion after. Nothing waits for it but the eye ----------

/** How long each motion or rest takes at the normal pace, in milliseconds. */
export const TIMES = { play: 220, draw: 180, dark: 260, hold: 900, sweep: 260, deal: 40 };
const TEMPO = { slow: 1.5, normal: 1, fast: 0.6, instant: 0 };

const EASE = "cubic-bezier(.2, .7, .2, 1)";

/** How long a motion or a rest takes at the pace that is preferred, in milliseconds. */
export function time(name) {
  return TIMES[name] * TEMPO[preference("pace")];
}

/** Whether stillness is asked for, here or of the system. */
export function still() {
  return preference("motion") === "none" || matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** Where an element is now. */
export function place(element) {
  return element.getBoundingClientRect();
}

/** Let `element`, already where it belongs, be seen coming from `from`. */
export function fly(element, from, { duration, delay = 0, flip = false }) {
  const to = place(element);
  if (!to.width || !from.width) {
    return null;
  }
  const x = from.left + from.width / 2 - (to.left + to.width / 2);
  const y = from.top + from.height / 2 - (to.top + to.height / 2);
  const scale = from.width / to.width;
  const start = `translate(${x}px, ${y}px) scale(${scale})`;
  const frames = flip
    ? [
        { transform: `${start} rotateY(90deg)` },
        { transform: `translate(${x / 2}px, ${y / 2}px) rotateY(45deg)`, offset: 0.5 },
        { transform: "none" },
      ]
    : [{ transform: start }, { transform: "none" }];
  return element.animate(frames, { duration, delay, easing: EASE, fill: "backwards" });
}

/** Let a `ghost` (a copy, laid over `layer`) go from one place to another and vanish. */
export function sweep(layer, ghost, from, to, { duration, delay = 0 }) {
  const origin = place(layer);
  ghost.classList.add("kp-ghost");
  ghost.setAttribute("aria-hidden", "true");
  ghost.style.left = `${from.left - origin.left}px`;
  ghost.style.top = `${from.top - origin.top}px`;
  ghost.style.setProperty("--card-w", `${from.width}px`);
  layer.append(ghost);
  const x = to.left + to.width / 2 - (from.left + from.width / 2);
  const y = to.top + to.height / 2 - (from.top + from.height / 2);
  const scale = to.width / from.width;
  const end = `translate(${x}px, ${y}px) scale(${scale})`;
  const motion = ghost.animate(
    [
      { transform: "none", opacity: 1 },
      { transform: end, opacity: 0.4 },
    ],
    { duration, delay, easing: EASE, fill: "both" },
  );
  motion.finished.then(
    () => ghost.remove(),
    () => ghost.remove(),
  );
  return motion;
}
