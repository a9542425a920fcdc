/* Building and updating elements. Text is always text: nothing here parses HTML. */

import { gettext } from "./i18n.js";

/** An element. `props`: attributes by name; `on…` listeners; true/false for bare attributes. */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name.startsWith("on")) {
      element.addEventListener(name.slice(2), value);
    } else {
      set(element, name, value);
    }
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** Set an attribute, or take it away with null, undefined or false. Writes only what changes. */
export function set(element, name, value) {
  const wanted = value === true ? "" : value;
  if (wanted === null || wanted === undefined || wanted === false) {
    element.removeAttribute(name);
  } else if (element.getAttribute(name) !== String(wanted)) {
    element.setAttribute(name, wanted);
  }
}

/** Set an element's text, if it is another than before. */
export function write(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

/** Make `parent` hold exactly `children` in this order, moving only what is out of place. */
export function arrange(parent, children) {
  const wanted = new Set(children);
  for (const child of [...parent.children]) {
    if (!wanted.has(child)) {
      child.remove();
    }
  }
  children.forEach((child, index) => {
    if (parent.children[index] !== child) {
      parent.insertBefore(child, parent.children[index] ?? null);
    }
  });
}

/** Copy a field's text, and say in `told` that it is done or how to do it by hand. */
export async function copyField(field, told) {
  try {
    await navigator.clipboard.writeText(field.value);
    write(told, gettext("Copied."));
  } catch {
    field.select(); // plain http has no clipboard
    write(told, gettext("The link is marked: copy it with your keyboard or a long press."));
  }
}

/**
 * A part of the page that is loaded when it is first used: `load()` imports its module, `make(module)`
 * makes it. Returns `{use(), loaded()}`: `use` resolves to the part, to null when it could not be loaded
 * (the next use tries again); `loaded` answers the part, null as long as nobody has used it.
 */
export function onUse(load, make) {
  let part = null;
  let coming = null;

  async function bring() {
    const module = await load().catch(() => null);
    try {
      part = module && make(module);
    } catch (error) {
      reportError(error); // as if nothing had caught it; and the next use tries again
    }
    coming = null;
    return part;
  }

  return { use: async () => part ?? (coming ??= bring()), loaded: () => part };
}

const MOMENT = 600; // in milliseconds: so long nobody wonders whether anything happens
let asks = 0;

/**
 * A part (see `onUse`) that somebody waits for, to open it: said when that takes more than a moment, and
 * when it cannot be had. Resolves to null then, and when meanwhile something else has been asked for or a
 * dialog has opened or closed: what comes late must not take the focus away from that.
 */
export async function asked(part, speak) {
  const mine = (asks += 1);
  const opened = () => [...document.querySelectorAll("dialog[open]")];
  const before = opened();
  const slow = setTimeout(() => speak.polite(gettext("Loading …")), MOMENT);
  const loaded = await part.use();
  clearTimeout(slow);
  const now = opened();
  if (mine !== asks || now.length !== before.length || now.some((box) => !before.includes(box))) {
    return null;
  }
  if (loaded === null) {
    speak.alert(notLoaded());
  }
  return loaded;
}

/** What to say of a part that could not be had. */
export const notLoaded = () => gettext("This could not be loaded. Look to your connection and press again.");

/** The JSON that the page carries under this id. */
export function pageData(id) {
  return JSON.parse(document.getElementById(id).textContent);
}

/**
 * A native dialog with a heading. Opens modally; closing gives the focus back (the browser does). The
 * paragraphs it begins with describe it: screen readers read them when it opens, so nothing else need say them.
 */
export function dialog(title, ...content) {
  const heading = h("h2", { class: "kp-dialog-title", tabindex: "-1" }, title);
  const box = h("dialog", { class: "kp-dialog" }, heading, ...content);
  const id = `kp-dialog-${(dialogs += 1)}`;
  heading.id = id;
  set(box, "aria-labelledby", id);
  const other = content.findIndex((one) => one.tagName !== "P" || one.hasAttribute("role"));
  const words = content.slice(0, other < 0 ? content.length : other);
  words.forEach((one, index) => (one.id ||= `${id}-${index}`));
  set(box, "aria-describedby", words.map((one) => one.id).join(" ") || null);
  return box;
}

let dialogs = 0;
