/* The lesson's page: positions of one trick each, played on the board like any match. */

import { announcer } from "./announce.js";
import { createControls, sound } from "./controls.js";
import { dialog, h, pageData, set, write } from "./dom.js";
import { handOver, takeOver } from "./handover.js";
import { fill, gettext, refusal } from "./i18n.js";
import { poster } from "./post.js";
import { preference } from "./preferences.js";

const WAIT = 650; // before a computer plays

const page = pageData("kp-page");
const words = pageData("kp-words");
const byId = (id) => document.getElementById(id);

let at = 0;
let ticket = null;
let view = null;
let chosen = null; // what the person has played in this position
let done = false;
let asking = false;
let round = 0;
let timer = null;

const controls = createControls({ onlyContrast: true });
const speak = announcer(byId("kp-polite"), byId("kp-alert"));
const post = poster(byId("kp-trouble"), speak, () => "");

const panel = byId("kp-lesson");
const title = byId("kp-lesson-title");
const text = byId("kp-lesson-text");
const dots = [...byId("kp-lesson-dots").children];
const again = byId("kp-lesson-again");
const next = byId("kp-lesson-next");
again.addEventListener("click", () => begin(at));
next.addEventListener("click", goNext);

const { mount } = await import(page.board);
const board = mount(byId("kp-board"), byId("kp-bar"), {
  words,
  sprite: page.sprite,
  name: (seat) => page.names[seat],
  speak,
  sound,
  motion: () => preference("pace") !== "instant",
  twice: () => preference("twice") === "on",
  note: () => (done ? gettext("This trick is over.") : null),
  play: (code) => (done ? board.refuse(gettext("This trick is over: go on, or play it again.")) : ask(code)),
  proceed: () => {},
  again: false,
  extras: [],
});

controls.serve(board, {
  keys: [
    { key: "n", name: "N", words: gettext("on with the lesson"), run: goNext },
    { key: "a", name: "A", words: gettext("this position again"), run: () => begin(at) },
  ],
});

const endBox = dialog(
  gettext("That is the game"),
  h("p", {}, gettext("Everything else is counting: more than sixty of a deal's 120 points win it, and seven deals or so the match.")),
  h(
    "div",
    { class: "kp-dialog-buttons" },
    h("a", { class: "kp-button kp-button--now", href: page.play }, gettext("Play against the computer")),
    h("a", { class: "kp-button", href: page.open }, gettext("Open a table for friends")),
    h("a", { class: "kp-button", href: page.rules }, gettext("All the rules")),
    h("button", { class: "kp-button", type: "button", onclick: () => endBox.close() }, gettext("The lesson again")),
  ),
);
endBox.addEventListener("close", () => begin(0));
byId("kp-board").append(endBox);
document.addEventListener("close", goOn, true);

/** Set up a position. */
function begin(index, first = false) {
  round += 1;
  clearTimeout(timer);
  at = index;
  chosen = null;
  done = false;
  asking = false;
  const position = page.positions[at];
  ({ ticket, view } = position);
  write(title, `${at + 1}. ${position.title}`);
  write(text, position.task);
  panel.classList.remove("kp-lesson--well", "kp-lesson--otherwise");
  dots.forEach((dot, number) => set(dot, "aria-current", number === at && "step"));
  write(next, gettext("Skip"));
  next.classList.remove("kp-button--now");
  speak.polite(`${fill(gettext("%(number)s of %(all)s: %(title)s."), { number: at + 1, all: page.positions.length, title: position.title })} ${position.task}`);
  board.reset();
  board.show(view);
  if (!first || (document.activeElement === document.body && matchMedia("(pointer: fine)").matches)) {
    board.focus();
  }
  goOn();
}

function goNext() {
  if (at + 1 < page.positions.length) {
    begin(at + 1);
  } else {
    clearTimeout(timer);
    endBox.showModal();
  }
}

/** Ask for a step: a play, or without one a computer's. */
async function ask(code) {
  if (asking) {
    return;
  }
  asking = true;
  clearTimeout(timer);
  const mine = round;
  const answer = await post(page.step, code === undefined ? { ticket } : { ticket, code }, () => mine === round);
  if (mine !== round) {
    return; // another position has been begun meanwhile
  }
  asking = false;
  if (answer.refused) {
    board.refuse(refusal(words, answer.refused.reason, answer.refused.facts));
    return;
  }
  chosen ??= code ?? null;
  ({ ticket, view } = answer);
  board.show(view);
  if (view.trick.length === 0) {
    finish();
  }
  goOn();
}

/** The trick is taken: say what has happened. */
function finish() {
  const position = page.positions[at];
  const well = position.right.length === 0 || position.right.includes(chosen);
  done = true;
  write(text, well ? position.well : position.otherwise);
  panel.classList.add(well ? "kp-lesson--well" : "kp-lesson--otherwise");
  set(dots[at], "data-done", "");
  write(next, at + 1 < page.positions.length ? gettext("Next") : gettext("Finish"));
  next.classList.add("kp-button--now");
  speak.polite(text.textContent);
  board.refresh();
}

/** Let the computer whose turn it is play, after its pause for thought. */
function goOn() {
  clearTimeout(timer);
  const busy = document.querySelector("dialog[open]") !== null;
  if (!done && !asking && !busy && view.turn !== view.seat) {
    timer = setTimeout(() => ask(), WAIT);
  }
}

handOver(() => at, () => {});
begin(takeOver() ?? 0, true);
