/* Motion that explains: state first, motion after. Nothing waits for it but the eye. */

import { preference } from "./preferences.js";

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
