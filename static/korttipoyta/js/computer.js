/* The computer table's page: keeps the sealed ticket, asks for one step at a time. */

import { announcer } from "./announce.js";
import { createControls, sound } from "./controls.js";
import { dialog, h, pageData, set, write } from "./dom.js";
import { handOver, takeOver } from "./handover.js";
import { gettext, refusal } from "./i18n.js";
import { poster } from "./post.js";
import { VALUES, prefer, preference } from "./preferences.js";

const page = pageData("kp-page");
const words = pageData("kp-words");
const byId = (id) => document.getElementById(id);

const WAITS = { slow: 1600, normal: 650, fast: 120, instant: 0 }; // a computer's thought, in milliseconds

let ticket = null;
let view = null;
let asking = false;
let round = 0;
let paused = false;
let timer = null;
let steps = 0; // of this match
let handedOver = false;

const controls = createControls({ changed: (name) => name === "pace" && goOn(), onlyContrast: true });
const speak = announcer(byId("kp-polite"), byId("kp-alert"));
const post = poster(byId("kp-trouble"), speak, () => (ticket === null ? "" : gettext("Your match is safe in this page.")));
const pauseButton = h("button", { class: "kp-button", type: "button", "aria-pressed": "false", onclick: togglePause }, gettext("Pause"));

const { mount } = await import(page.board);
const board = mount(byId("kp-board"), byId("kp-bar"), {
  words,
  sprite: page.sprite,
  name: (seat) => page.names[seat],
  speak,
  sound,
  motion: () => preference("pace") !== "instant",
  twice: () => preference("twice") === "on",
  note: () => (paused ? gettext("The computers are paused.") : null),
  play: (code) => ask({ code }),
  proceed: () => ask({}),
  again: true,
  rules: page.rules,
  rulesShort: page.rulesShort,
  extras: [pauseButton],
});

controls.serve(board, {
  keys: [{ key: "p", name: "P", words: gettext("pause the computers, or let them go on"), run: togglePause }],
  commands: { [gettext("pause")]: togglePause },
});

/** Ask the server, again and again while the network is away; one thing at a time. */
async function ask(request) {
  if (asking) {
    return;
  }
  asking = true;
  clearTimeout(timer);
  const mine = round;
  const answer = await answered(request, mine);
  if (mine !== round) {
    return; // a new match has been begun meanwhile
  }
  asking = false;
  if (answer.refused) {
    refused(answer.refused);
    return;
  }
  const another = ticket === null || view.result !== null; // "Play again" goes on to another match
  steps = another ? 0 : steps + 1;
  ({ ticket, view } = answer);
  if (another) {
    board.reset();
  }
  const first = document.activeElement === document.body && matchMedia("(pointer: fine)").matches;
  const rest = board.show(view);
  if (first) {
    board.focus(); // nothing had the focus; now the keys work at once
  }
  await rest;
  goOn();
}

/** The server's answer to a request, however long the network takes to come back. */
function answered(request, mine) {
  const address = ticket === null ? page.start : page.step;
  const body = ticket === null ? page.choice : { ticket, ...request };
  return post(address, body, () => mine === round);
}

/** Let the computer whose turn it is play, after its pause for thought. */
function goOn() {
  clearTimeout(timer);
  const busy = paused || document.querySelector("dialog[open]") !== null; // nobody plays unheard
  if (view !== null && view.turn !== null && view.turn !== view.seat && !busy) {
    timer = setTimeout(() => ask({}), WAITS[preference("pace")]);
  }
}

function togglePause() {
  paused = !paused;
  set(pauseButton, "aria-pressed", String(paused));
  write(pauseButton, paused ? gettext("Go on") : gettext("Pause"));
  board.refresh();
  speak.polite(paused ? gettext("The computers are paused.") : gettext("The computers go on."));
  goOn();
}

function refused({ reason, facts }) {
  const text = refusal(words, reason, facts);
  if (reason === "ticket-broken" || reason === "unknown-version" || reason === "request") {
    write(lostText, text);
    lostBox.showModal();
  } else {
    board.refuse(text);
  }
}

const lostText = h("p");
const lostBox = dialog(
  gettext("This match cannot go on"),
  lostText,
  h("div", { class: "kp-dialog-buttons" }, h("button", { class: "kp-button kp-button--now", type: "button", onclick: anew }, gettext("Start a new match"))),
);
byId("kp-board").append(lostBox);

lostBox.addEventListener("cancel", (event) => event.preventDefault()); // there is no table behind it

function anew() {
  lostBox.close();
  newBox.close();
  round += 1;
  asking = false;
  ticket = null;
  view = null;
  board.reset();
  ask({});
}

const newBox = dialog(
  gettext("Start a new match?"),
  h("p", {}, gettext("The match you are playing ends here and nothing of it is kept.")),
  h(
    "div",
    { class: "kp-dialog-buttons" },
    h("button", { class: "kp-button kp-button--now", type: "button", onclick: () => newBox.close() }, gettext("Go on playing")),
    h("button", { class: "kp-button", type: "button", onclick: anew }, gettext("Start a new match")),
  ),
);
byId("kp-board").append(newBox);
document.addEventListener("close", goOn, true);

byId("kp-new").addEventListener("click", () => {
  byId("kp-menu").close();
  if (somethingToLose()) {
    newBox.showModal();
  } else {
    anew();
  }
});

/** Whether a match is under way in which something has been played. */
function somethingToLose() {
  return !handedOver && view !== null && view.result === null && steps > 0;
}

/* A closed tab is a finished match: ask before it. */
addEventListener("beforeunload", (event) => {
  if (somethingToLose()) {
    event.preventDefault();
  }
});

/* Another language is another page, and the match goes on in it. */
handOver(
  () => ticket && { ticket, view, steps, preferred: Object.keys(VALUES).map((name) => [name, preference(name)]) },
  () => {
    handedOver = true;
  },
);

const before = takeOver();
if (before) {
  ({ ticket, view, steps } = before);
  before.preferred.filter(([name, value]) => preference(name) !== value).forEach(([name, value]) => prefer(name, value));
  await board.show(view);
  goOn();
} else {
  ask({});
}
