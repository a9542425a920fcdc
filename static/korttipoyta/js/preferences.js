/* Choices about look, sound and pace. They stay on this device: nothing here is sent anywhere. */

/** Every preference by name: its values, the default first. */
export const VALUES = {
  contrast: ["off", "on"], // by default as the system asks
  suits: ["two", "four"],
  worth: ["on", "off"],
  size: ["usual", "larger", "largest"],
  motion: ["system", "none"],
  pace: ["normal", "slow", "fast", "instant"],
  twice: ["off", "on"],
  keys: ["on", "off"],
  sound: ["off", "turn", "all"],
  speech: ["all", "short", "turn"],
};

const CONTRAST = "korttipoyta.contrast";
const REST = "korttipoyta.preferences";
const LOOKS = {
  "kp-contrast": ["contrast", "on"],
  "kp-four-colours": ["suits", "four"],
  "kp-no-badges": ["worth", "off"],
  "kp-still": ["motion", "none"],
  "kp-size-larger": ["size", "larger"],
  "kp-size-largest": ["size", "largest"],
};

let chosen = null;
let keeps = true;

/** What is kept on this device, less what no version of this page knows. */
function kept() {
  try {
    const rest = JSON.parse(localStorage.getItem(REST) ?? "{}");
    const all = Object.entries({ ...rest, contrast: localStorage.getItem(CONTRAST) });
    return Object.fromEntries(all.filter(([name, value]) => VALUES[name]?.includes(value)));
  } catch {
    return {}; // storage may be forbidden; what is chosen then lasts as long as the page
  }
}

function keep() {
  const { contrast, ...rest } = chosen;
  const texts = { [CONTRAST]: contrast ?? null };
  if (keeps) {
    texts[REST] = Object.keys(rest).length ? JSON.stringify(rest) : null;
  }
  try {
    for (const [key, text] of Object.entries(texts)) {
      if (text === null) {
        localStorage.removeItem(key);
      } else {
        localStorage.setItem(key, text);
      }
    }
  } catch {
    // as above
  }
}

/** What is preferred: one of the preference's values. */
export function preference(name) {
  chosen ??= kept();
  const asked = name === "contrast" && matchMedia("(prefers-contrast: more)").matches ? "on" : VALUES[name][0];
  return chosen[name] ?? asked;
}

/** Prefer this from now on. */
export function prefer(name, value) {
  chosen = { ...(chosen ?? kept()), [name]: value };
  keep();
  show();
}

/** Everything as it is before anybody chooses. */
export function forgetPreferences() {
  chosen = {};
  keep();
  show();
}

function show() {
  for (const root of document.querySelectorAll(".kp")) {
    for (const [look, [name, value]] of Object.entries(LOOKS)) {
      root.classList.toggle(look, preference(name) === value);
    }
  }
  for (const button of document.querySelectorAll("[data-contrast]")) {
    button.setAttribute("aria-pressed", String(preference("contrast") === "on"));
  }
}

/**
 * Put what is preferred on the page, and let every `[data-contrast]` button switch the contrast. With
 * `onlyContrast` nothing else is kept: the rest lasts as long as the page.
 */
export function followPreferences({ onlyContrast = false } = {}) {
  keeps = !onlyContrast;
  for (const button of document.querySelectorAll("[data-contrast]")) {
    button.hidden = false;
    button.onclick = () => prefer("contrast", preference("contrast") === "on" ? "off" : "on"); // once, however often a page follows
  }
  show();
}
