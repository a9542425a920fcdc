/* What stands round every board: the menu, the settings, sounds, the keyboard, the command field, the help. */

import { RANKS, SUITS } from "./cards.js";
import { dialog, h, write } from "./dom.js";
import { fill, gettext, pgettext } from "./i18n.js";
import { VALUES, followPreferences, forgetPreferences, prefer, preference } from "./preferences.js";

const byId = (id) => document.getElementById(id);

/**
 * Bind the menu and the settings of a table's page; `changed` and `onlyContrast` as in
 * `createSettings`. Returns `{serve(board, own)}`, for when there is a board: its keys, commands and help,
 * with those of the page, `own`: `keys`, a list of `{key, name, words, run}`, `name` being what is printed on
 * the key, and `commands`, a function by word.
 */
export function createControls({ changed = () => null, onlyContrast = false } = {}) {
  const settings = createSettings({
    onlyContrast,
    changed(name) {
      if (name === "sound") {
        sound("turn"); // to be heard once, and allowed: a browser lets nothing sound before a press
      }
      changed(name);
    },
  });
  byId("kp-menu-button").addEventListener("click", () => byId("kp-menu").showModal());
  byId("kp-menu-close").addEventListener("click", () => byId("kp-menu").close());

  function serve(board, { keys = [], commands = {} } = {}) {
    const root = byId("kp-board");
    const all = { ...board.commands, ...commands, [gettext("settings")]: () => settings.open(), [gettext("help")]: () => help.showModal() };
    const settingsKey = { key: "o", name: "O", words: gettext("the settings"), run: () => settings.open() };
    const help = keyboard(root, [...board.keys, ...keys, settingsKey], Object.keys(all));
    for (const button of document.querySelectorAll("[data-help]")) {
      button.addEventListener("click", () => help.showModal());
    }
    root.append(commandField(all, board.play));
  }

  return { serve };
}

// ---- sounds -----------------------------------------------------------------------------------

let sounds = null;
const loadSounds = () => import("./sounds.js").then(
  (module) => (sounds = module),
  () => null, // without network there is silence; the page tells everything otherwise too
);

/** Let these be heard as far as they are wanted (`sounds.js`), which is loaded for those who want any. */
export async function sound(...names) {
  if (preference("sound") !== "off") {
    // Without waiting where nothing is to be waited for: some browsers allow sound in a press alone.
    (sounds ?? (await loadSounds()))?.sound(...names);
  }
}

// ---- settings: a dialog whose fields are preferences, applied as they are chosen --------------

/**
 * Bind the dialog `#kp-settings` and the buttons `[data-settings]` that open it. `changed(name)` is told
 * of every choice; `onlyContrast` as in `followPreferences`. Returns `{open()}`.
 */
export function createSettings({ changed, onlyContrast = false }) {
  const box = byId("kp-settings");
  const fields = [...box.querySelectorAll("[data-preference]")];
  followPreferences({ onlyContrast });

  function show() {
    for (const field of fields) {
      field.checked = preference(field.dataset.preference) === field.value;
    }
  }

  /** A check box stands for one of two values, a radio button for its own. */
  function choose(field) {
    const name = field.dataset.preference;
    prefer(name, field.checked ? field.value : VALUES[name].find((value) => value !== field.value));
    changed(name);
  }

  function open() {
    show();
    loadSounds(); // so that the first is heard in the press that chooses it
    box.showModal();
    box.scrollTop = 0;
  }

  for (const field of fields) {
    field.addEventListener("change", () => choose(field));
  }
  byId("kp-settings-reset").addEventListener("click", () => {
    forgetPreferences();
    show();
    Object.keys(VALUES).forEach(changed);
  });
  byId("kp-settings-close").addEventListener("click", () => box.close());
  for (const button of document.querySelectorAll("[data-settings]")) {
    button.addEventListener("click", () => {
      button.closest("dialog")?.close();
      open();
    });
  }
  show();
  return { open };
}

// ---- keys and commands ------------------------------------------------------------------------

/**
 * Let `keys` work while the focus is inside `root`, unless they are switched off. Returns the help, a
 * dialog that names them and `commands`, the words of the command field.
 */
function keyboard(root, keys, commands) {
  const box = helpBox(keys, commands);

  root.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select, dialog");
    if (preference("keys") === "off" || typing || event.altKey || event.ctrlKey || event.metaKey) {
      return;
    }
    const pressed = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const entry = keys.find((one) => one.key === pressed) ?? (/^[1-9]$/.test(pressed) && keys.find((one) => one.key === "1–9"));
    if (pressed === "?") {
      event.preventDefault();
      box.showModal();
    } else if (entry) {
      event.preventDefault();
      entry.run(Number(pressed));
    }
  });
  root.append(box);
  return box;
}

function helpBox(keys, commands) {
  const row = (name, words) => h("div", {}, h("dt", {}, h("kbd", {}, name)), h("dd", {}, words));
  const list = [
    row("← →", gettext("go along your hand; Home and End to its ends")),
    row(gettext("Enter, Space"), gettext("play the card")),
    ...keys.map((one) => row(one.name, one.words)),
    row("?", gettext("this help")),
  ];
  const box = dialog(
    gettext("Keys and commands"),
    h("p", {}, gettext("Keys work while the focus is at the table. They can be switched off in the settings.")),
    h("dl", { class: "kp-keys" }, ...list),
    h("p", {}, fill(gettext("The command field after the buttons takes a card, such as 7c or 10h, and these words: %(words)s."), { words: commands.join(", ") })),
    h("div", { class: "kp-dialog-buttons" }, h("button", { class: "kp-button kp-button--now", type: "button", onclick: () => box.close() }, gettext("Close"))),
  );
  return box;
}

/** Cards as they are typed in the reader's language, the rank before the suit or after it: codes by word. */
function typedCards() {
  // Several ways to type one thing have spaces between them.
  const suits = { C: pgettext("typed for clubs", "c"), D: pgettext("typed for diamonds", "d"), H: pgettext("typed for hearts", "h"), S: pgettext("typed for spades", "s") };
  const ranks = { A: pgettext("typed for an ace", "a"), T: pgettext("typed for a ten", "10 t"), J: pgettext("typed for a jack", "j"), Q: pgettext("typed for a queen", "q"), K: pgettext("typed for a king", "k") };
  const found = new Map();
  for (const rank of RANKS) {
    for (const suit of SUITS) {
      for (const one of (ranks[rank] ?? rank).split(" ")) {
        for (const other of suits[suit].split(" ")) {
          found.set(one + other, rank + suit).set(other + one, rank + suit);
        }
      }
    }
  }
  return found;
}

/**
 * A one-line field. `commands`: a function by word that does something and answers a text, or
 * nothing; `play(code)` likewise, for a card. Answers stand beside the field, in an `<output>`,
 * which screen readers speak. Unknown words are answered in words.
 */
function commandField(commands, play) {
  const cards = typedCards();
  const input = h("input", { class: "kp-command-input", id: "kp-command", type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: "20" });
  const answer = h("output", { class: "kp-command-answer", for: "kp-command" });
  const form = h("form", { class: "kp-command", onsubmit: submit }, h("label", { for: "kp-command" }, gettext("Command")), input, answer);

  function submit(event) {
    event.preventDefault();
    const typed = input.value.replace(/\s+/g, "").toLocaleLowerCase();
    input.value = "";
    if (typed === "") {
      return;
    }
    let text;
    if (Object.hasOwn(commands, typed)) {
      text = commands[typed]();
    } else if (cards.has(typed)) {
      text = play(cards.get(typed));
    } else {
      text = fill(gettext("There is no command “%(typed)s”. Try a card (7c), or one of these: %(words)s."), { typed, words: Object.keys(commands).join(", ") });
    }
    // Made distinct, so that the same answer twice is spoken twice.
    write(answer, text && answer.textContent === text ? `${text}\u00a0` : (text ?? ""));
  }

  return form;
}
