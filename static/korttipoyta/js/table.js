/* A shared table's page: snapshots in, commands out; the lobby before the first deal, then the board. */

import { keepSocket } from "./socket.js"; // before the others: it opens while they come
import { announcer } from "./announce.js";
import { createAttention } from "./attention.js";
import { createChat } from "./chat.js";
import { createControls, sound } from "./controls.js";
import { asked, dialog, h, notLoaded, onUse, pageData, set, write } from "./dom.js";
import { fill, gettext, refusal } from "./i18n.js";
import { awayWords, createLobby } from "./lobby.js";
import { preference } from "./preferences.js";
import { keepPromise } from "./promises.js";
import { createVoiceButton } from "./voice-button.js";

const page = pageData("kp-page");
const words = pageData("kp-words");
const byId = (id) => document.getElementById(id);
const RESEND = 4000; // a command unanswered so long is sent again, which is harmless: it names its ply

const speak = announcer(byId("kp-polite"), byId("kp-alert"));
const trouble = byId("kp-trouble");
const closingWords = h("p", { class: "kp-closing-words" });
const lobbyRoot = byId("kp-lobby");
const boardRoot = byId("kp-board");

let shown = null;
let offline = false;
let here = null;
let inFlight = null;
const muted = new Set(mutedBefore());

const controls = createControls();

/** How a seat is called; an unnamed one in the reader's words. */
function called(seat, name) {
  return name || (seat === 0 ? gettext("Host") : fill(gettext("Guest %(number)s"), { number: seat }));
}

function nameOf(snapshot, seat) {
  const { name, taken } = snapshot.seats[seat];
  return taken || snapshot.status === "waiting" ? called(seat, name) : gettext("Empty seat");
}

/** The side of a seat, as chat and lobby word it; null in a game without sides. */
function sideOf(seat) {
  return page.sides ? (seat % page.sides ? gettext("side two") : gettext("side one")) : null;
}

/** Whether somebody is away, in a word or two; null for who is here. */
function absence(seat) {
  const state = here?.[seat];
  if (!state || seat === shown?.you || !shown?.seats[seat].taken) {
    return null;
  }
  return [state.pause ? gettext("back in a minute") : null, state.here ? null : awayWords(state.since)].filter(Boolean).join(" · ") || null;
}

const chatButton = h("button", { class: "kp-button kp-chat-button", type: "button", "aria-controls": "kp-chat", "aria-expanded": "false" });
const { mount } = await import(page.board);
const board = mount(boardRoot, byId("kp-bar"), {
  words,
  sprite: page.sprite,
  name: (seat) => nameOf(shown, seat),
  speak,
  sound,
  motion: () => preference("pace") !== "instant",
  twice: () => preference("twice") === "on",
  note: () => null,
  play: (code) => command({ type: "play", ply: shown.ply, code }),
  proceed: () => command({ type: "deal", ply: shown.ply }),
  concede: () => command({ type: "concede", ply: shown.ply }),
  again: false,
  rules: page.rules,
  rulesShort: page.rulesShort,
  extras: [h("div", { class: "kp-chat-slot" })],
  absence,
  busy: () => inFlight !== null,
  countClosed: (deal) => remember("count", deal),
});
const lobby = createLobby(lobbyRoot, { page, side: sideOf, name: nameOf, absence, speak });
const report = onUse(
  () => import("./report.js"),
  ({ createReport }) => createReport(document.querySelector(".kp"), { page, words, name: (seat) => nameOf(shown, seat), speak }),
);
const chat = createChat(byId("kp-chat"), chatButton, {
  back: () => board.focus(),
  name: called,
  now: (seat) => nameOf(shown, seat),
  side: sideOf,
  you: () => shown?.you,
  muted: (line) => muted.has(`${line.seat}.${line.person ?? 0}`),
  length: page.lineLength,
  send: say,
  speak,
  report: reportButton,
});
const people = onUse(
  () => import("./people.js"),
  ({ createPeople }) =>
    createPeople(document.querySelector(".kp"), {
      page,
      snapshot: () => shown,
      here: () => here,
      name: (seat) => nameOf(shown, seat),
      side: sideOf,
      muted: (seat) => muted.has(personAt(seat)),
      mute,
      report: (seat) => reportButton(seat, null),
      send: say,
    }),
);
const again = onUse(
  () => import("./again.js"),
  ({ createAgain }) => createAgain(byId("kp-again"), { page, name: (seat) => nameOf(shown, seat), here: () => here, outcome: board.outcome, send: say }),
);
const attention = createAttention(byId("kp-notify"));
byId("kp-people").addEventListener("click", () => {
  byId("kp-menu").close();
  open(people);
});

const voice = createVoiceButton(byId("kp-menu-button"), {
  page,
  root: document.querySelector(".kp"),
  board: boardRoot,
  snapshot: () => shown,
  name: (seat) => nameOf(shown, seat),
  muted: (seat) => muted.has(personAt(seat)),
  mute,
  speak,
  send: (what) => socket.send(what, what.do !== "signal"),
  refusals: words.refusals,
});

controls.serve(board, {
  keys: [...voice.keys, { key: "c", name: "C", words: gettext("the chat"), run: () => chat.open() }],
  commands: { ...voice.commands, [gettext("chat")]: () => chat.open() },
});

const socket = keepSocket(() => `${page.socket}&said=${chat.said()}`, { message, state, gone });

// ---- what is loaded when it is used -----------------------------------------------------------

/** Open a dialog that is loaded at its first use. */
async function open(part, ...what) {
  (await asked(part, speak))?.open(...what);
}

/** A button that opens the report of a line or, without one, a person; small beside a line. */
function reportButton(seat, line) {
  const name = line?.name ?? nameOf(shown, seat);
  return h(
    "button",
    { class: line ? "kp-report-button" : "kp-button", type: "button", "data-key": `report ${seat}`, onclick: () => open(report, seat, line) },
    gettext("Report"),
    h("span", { class: "kp-sr" }, ` (${line ? `${name}: ${line.text}` : name})`),
  );
}

const againMissing = h(
  "div",
  {},
  h("p", {}, notLoaded()),
  h("div", { class: "kp-again-buttons" }, h("button", { class: "kp-button", type: "button", onclick: retryAgain }, gettext("Try again"))),
);

/** What comes after the match, once there is one that is over; a way to try again where it cannot be had. */
async function showAgain() {
  const root = byId("kp-again");
  const over = () => shown?.status === "over" && shown.outcome.outcome !== "closed";
  const part = over() ? await again.use() : again.loaded();
  const missing = over() && part === null;
  if (part === null) {
    set(root, "hidden", !missing);
  }
  if (missing && !againMissing.isConnected) {
    root.append(againMissing);
    speak.alert(notLoaded());
  } else if (!missing) {
    againMissing.remove();
  }
  part?.show(shown);
}

async function retryAgain() {
  await showAgain();
  if (againMissing.isConnected) {
    speak.alert(notLoaded());
  } else {
    byId("kp-again").querySelector("button:not([hidden])")?.focus();
  }
}

addEventListener("online", showAgain);

// ---- commands ---------------------------------------------------------------------------------

/** Send a command and keep it until it is answered; offline nothing is pretended. */
function command(what) {
  if (!socket.send(what)) {
    board.refuse(gettext("No connection: nothing has been played. Try again when it is back."));
    return;
  }
  settled();
  inFlight = { what, timer: setTimeout(resend, RESEND) };
  if (here?.[shown.you]?.pause) {
    socket.send({ type: "pause", on: false }); // who plays is back
  }
}

function resend() {
  if (inFlight !== null) {
    socket.send(inFlight.what);
    inFlight.timer = setTimeout(resend, RESEND);
  }
}

/** Send what needs no answer kept: a line is sent again by the chat, the rest by a second press. */
function say(what) {
  if (!socket.send(what) && what.type !== "say") {
    speak.alert(gettext("No connection. Try again when it is back."));
  }
}

/** Whom this browser has muted here, also in an earlier tab. */
function mutedBefore() {
  try {
    return JSON.parse(localStorage.getItem(`korttipoyta.muted.${page.code}`) ?? "[]");
  } catch {
    return []; // storage may be forbidden
  }
}

/** A person: the seat, and the how-manieth it has. Muting stays with the person, not with the seat. */
function personAt(seat) {
  return `${seat}.${shown?.seats[seat].person ?? 0}`;
}

function mute(seat, on) {
  if (on) {
    muted.add(personAt(seat));
  } else {
    muted.delete(personAt(seat));
  }
  try {
    localStorage.setItem(`korttipoyta.muted.${page.code}`, JSON.stringify([...muted]));
  } catch {
    // as above: it then lasts as long as the page
  }
  chat.refresh();
  people.loaded()?.refresh();
  voice.refresh();
}

function settled() {
  clearTimeout(inFlight?.timer);
  inFlight = null;
}

// ---- what the server says ---------------------------------------------------------------------

function message(data, first) {
  switch (data.type) {
    case "snapshot":
      if (first || shown === null || data.version > shown.version) {
        show(data, first);
      }
      break;
    case "pong":
      if (shown !== null && (data.version > shown.version || data.said > chat.said())) {
        socket.send({ type: "sync", said: chat.said() });
      }
      break;
    case "lines":
      chat.hear(data, !heard);
      closing(data.lines);
      heard ||= !data.more;
      break;
    case "here":
      heard ||= shown !== null; // what was said before has come: the next line is new
      present(data.seats);
      voice.here(data.seats);
      break;
    case "call":
      voice.message(data);
      break;
    case "refused":
      refused(data);
      break;
    case "saving":
      tell(gettext("Saving …"));
      break;
    case "reload":
      reloadOnce();
      break;
    default: // a newer server's message
  }
}

let heard = false;

function refused({ of, code, facts }) {
  if (of === "call") {
    voice.refused(code);
    return;
  }
  const stale = code === "stale";
  if (of === "say" || of === "rename" || of === "agree") {
    const text = refusal(words, code, facts);
    if (of === "say") {
      chat.refused(facts.id, text);
    } else if (of !== "rename" || !people.loaded()?.refused(text)) {
      speak.alert(text);
    }
    return;
  }
  const own = inFlight !== null;
  settled();
  if (of === "deal" && stale) {
    return; // somebody else has dealt: the snapshot tells
  }
  if (own || !stale) {
    board.refuse(refusal(words, code, facts));
  }
}

/** The match sheet as the board wants it, a row a deal, from its columns. */
function rows(columns) {
  const [any = []] = Object.values(columns);
  return any.map((_entry, at) => Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, column[at]])));
}

function show(snapshot, first) {
  if (inFlight !== null && snapshot.ply > inFlight.what.ply) {
    settled();
  }
  const before = shown;
  shown = snapshot;
  calm();
  const playing = Boolean(snapshot.view);
  if (snapshot.commitment) {
    keepPromise(`${page.code}.${snapshot.sitting}`, snapshot.view.deal, snapshot.commitment);
  }
  if (before !== null && before.sitting !== snapshot.sitting) {
    board.reset();
    speak.polite(gettext("Another match begins."));
  }
  tellChanges(before, snapshot); // who sits down last is said before the deal that this begins
  set(lobbyRoot, "hidden", playing || snapshot.status !== "waiting");
  set(boardRoot, "hidden", !playing);
  byId("kp-bar").classList.toggle("kp-bar-score--empty", !playing);
  const lost = document.activeElement === document.body || [lobbyRoot, byId("kp-again")].some((one) => one.contains(document.activeElement));
  if (playing) {
    const view = { ...snapshot.view, result: snapshot.outcome };
    board.show(view, { deals: rows(snapshot.deals), count: snapshot.count, closed: remembered("count") });
  } else if (snapshot.status === "waiting") {
    lobby.show(snapshot);
  }
  if (playing && lost && matchMedia("(pointer: fine)").matches && document.querySelector("dialog[open]") === null && (!before?.view || before.sitting !== snapshot.sitting)) {
    board.focus(); // nothing has the focus, or what has gone did; now the keys work at once
  }
  if (!playing && lost && before?.view) {
    lobby.focus(); // the board, which had it, is gone until the seats are filled
  }
  if (leaveBox.open && before?.status !== snapshot.status) {
    leaveBox.close(); // leaving would now do something else than it says
    speak.alert(gettext("The table has changed. Leaving now does something else: ask again if you want to."));
  }
  place(chatButton, playing ? boardRoot.querySelector(".kp-chat-slot") : lobbyRoot);
  showAgain();
  people.loaded()?.refresh();
  voice.show(snapshot);
  attention.turn(snapshot.status === "playing" && snapshot.view.turn === snapshot.you);
  attention.awake(snapshot.status === "playing");
  if (snapshot.outcome && (before === null || before.outcome === null)) {
    ended(snapshot);
  }
  if (first) {
    chat.resend();
    if (inFlight !== null) {
      resend();
    }
  }
}

function place(element, parent) {
  if (element.parentElement !== parent) {
    parent.append(element);
  }
}

/** Say who has come, gone or changed names, and who says yes to what. */
function tellChanges(before, snapshot) {
  if (before === null || before.sitting !== snapshot.sitting) {
    return;
  }
  snapshot.seats.forEach((seat, index) => {
    const was = before.seats[index];
    const names = { name: nameOf(snapshot, index), before: nameOf(before, index) };
    if (seat.taken && (!was.taken || seat.person !== was.person)) {
      speak.polite(fill(gettext("%(name)s has sat down."), names), "news");
    } else if (!seat.taken && was.taken && snapshot.status !== "playing") {
      speak.polite(fill(gettext("%(before)s has left."), names), "news");
    } else if (seat.taken && was.taken && names.name !== names.before) {
      const mine = index === snapshot.you;
      speak.polite(fill(mine ? gettext("You are called %(name)s now.") : gettext("%(before)s is called %(name)s now."), names), mine ? null : "news");
    } else if (seat.agrees && seat.agrees !== was.agrees && index !== snapshot.you) {
      const lost = seat.agrees.startsWith("reissue:") ? nameOf(snapshot, Number(seat.agrees.slice(8))) : null;
      speak.polite(lost === null ? fill(gettext("%(name)s says yes to another match."), names) : fill(gettext("%(name)s agrees to a new invite for the seat of %(lost)s."), { ...names, lost }));
    }
  });
}

const met = new Set(); // people who have been here, as `personAt`: only they go away and come back

/** Whether a match is over because this seat has left it, which says all. */
function hasLeft(seat) {
  return shown.outcome?.reason === "left" && shown.outcome.seat === seat;
}

/** Who is here: on the seats, in the lobby and in the dialog; said when it changes. */
function present(seats) {
  const before = here;
  here = seats;
  if (shown === null) {
    return;
  }
  const first = met.size === 0; // who was here before this page was counts too
  seats.forEach((seat, index) => {
    const was = before?.[index];
    if (index === shown.you || !shown.seats[index].taken) {
      return;
    }
    const person = personAt(index);
    const known = met.has(person);
    if (seat.here || (first && seat.since)) {
      met.add(person);
    }
    if (!was) {
      return;
    }
    const name = nameOf(shown, index);
    if (seat.pause && !was.pause) {
      speak.polite(fill(gettext("%(name)s is back in a minute."), { name }), "news");
    } else if (seat.here && ((known && !was.here) || (was.pause && !seat.pause))) {
      speak.polite(fill(gettext("%(name)s is back."), { name }), "news");
    } else if (!seat.here && was.here && known && !hasLeft(index)) {
      speak.polite(fill(gettext("%(name)s is away."), { name }), "news");
    }
  });
  refreshPresence();
}

function refreshPresence() {
  if (shown?.view) {
    board.refresh();
  } else if (shown?.status === "waiting") {
    lobby.show(shown);
  }
  showAgain();
  people.loaded()?.refresh();
}

setInterval(() => here?.some((seat) => !seat.here) && refreshPresence(), 30000); // the minutes go by

// ---- the connection ---------------------------------------------------------------------------

function state(name) {
  voice.state(name);
  if (name === "offline") {
    offline = true;
    tell(gettext("No connection. The table waits; trying again."), true);
  } else if (name === "open") {
    calm();
  }
}

function tell(text, alarm = false) {
  if (trouble.hidden || trouble.textContent !== text) {
    write(trouble, text);
    set(trouble, "hidden", false);
    if (alarm) {
      speak.alert(text);
    }
  }
}

function calm() {
  if (!trouble.hidden && socket.state() === "open") {
    set(trouble, "hidden", true);
    if (offline) {
      speak.polite(gettext("Connected again."));
    }
    offline = false;
  }
}

function gone(code, reason) {
  const texts = {
    4401: gettext("This browser does not hold a seat at this table."),
    4403: gettext("A moderator has shut you out for some time. Your seat here waits for nobody: the others can give it away."),
    4404: gettext("This table is gone."),
    4409: reason === "moved" ? gettext("Your seat has moved to another browser. The match goes on there, and this page plays no more.") : gettext("Your seat at this table has been freed. Ask for a new invite if you want to come back."),
    4423: gettext("This table is open in too many of your tabs. Go on in another one, or reload this one."),
  };
  set(trouble, "hidden", true);
  attention.turn(false);
  attention.awake(false);
  voice.gone();
  over(code === 4423 ? gettext("Open in too many tabs") : gettext("You are not at this table any more"), texts[code], { fresh: code !== 4403 });
}

/** A page of an older release: load the new one, but never in a loop. */
function reloadOnce() {
  const key = "korttipoyta.reloaded";
  const last = Number(sessionStorage.getItem(key) ?? 0);
  if (Date.now() - last > 60000) {
    sessionStorage.setItem(key, String(Date.now()));
    location.reload();
  }
}

// ---- ends -------------------------------------------------------------------------------------

function ended(snapshot) {
  const { outcome, reason, seat } = snapshot.outcome;
  if (outcome === "closed") {
    const why = reason === "moderator" ? gettext("The table was closed by a moderator.") : seat === snapshot.you ? gettext("You closed it before the first deal.") : fill(gettext("%(name)s closed it before the first deal."), { name: nameOf(snapshot, seat) });
    over(gettext("The table is closed"), why);
  } else if ((reason === "left" || reason === "closed") && !remembered("ended")) {
    const who = reason === "left" ? fill(gettext("%(name)s left the table."), { name: nameOf(snapshot, seat) }) : gettext("The table was closed by a moderator.");
    const text = fill(gettext("%(why)s The match is a draw, whatever the score."), { why: who });
    if (document.querySelector("dialog[open]") !== null) {
      speak.alert(text); // its own dialog, which tells it too, comes after this one
    }
    over(gettext("The match is a draw"), text, { stay: true });
  }
}

/** What the moderators have said to the table when they closed it; it comes with the chat. */
function closing(lines) {
  const said = lines.find((line) => line.kind === "closed");
  if (said) {
    write(closingWords, said.facts?.words ?? "");
  }
}

/** A dialog for an end; `stay` lets its reader look at the table, `fresh` offers another one. */
function over(title, text, { stay = false, fresh = true } = {}) {
  const box = dialog(
    title,
    h("p", {}, text),
    closingWords,
    h(
      "div",
      { class: "kp-dialog-buttons" },
      fresh ? h("a", { class: "kp-button kp-button--now", href: page.fresh }, gettext("Open a new table")) : null,
      stay ? h("button", { class: "kp-button", type: "button", onclick: () => box.close() }, gettext("Look at the table")) : h("a", { class: "kp-button", href: page.home }, gettext("To the games")),
    ),
  );
  if (!stay) {
    box.addEventListener("cancel", (event) => event.preventDefault());
  }
  document.querySelector(".kp").append(box);
  if (stay) {
    box.addEventListener("close", () => remember("ended", 1));
    whenFree(() => box.showModal());
    return;
  }
  for (const open of document.querySelectorAll("dialog[open]")) {
    open.close();
  }
  box.showModal();
}

/** When no dialog is open: a count that is being read is its reader's to close. */
function whenFree(act) {
  if (document.querySelector("dialog[open]") === null) {
    act();
  } else {
    document.addEventListener("close", () => setTimeout(() => whenFree(act)), { capture: true, once: true });
  }
}

const leaveText = h("p");
const leaveShown = h("input", { type: "hidden", name: "shown" });
const leaveBox = dialog(
  gettext("Leave the table?"),
  leaveText,
  h(
    "form",
    { class: "kp-dialog-buttons", method: "post", action: page.leave },
    h("input", { type: "hidden", name: "csrfmiddlewaretoken", value: page.csrf }),
    leaveShown,
    h("button", { class: "kp-button kp-button--now", type: "button", onclick: () => leaveBox.close() }, gettext("Stay")),
    h("button", { class: "kp-button", type: "submit" }, gettext("Leave")),
  ),
);
document.querySelector(".kp").append(leaveBox);
byId("kp-leave").addEventListener("click", () => {
  byId("kp-menu").close();
  write(leaveText, whatLeavingDoes());
  set(leaveShown, "value", shown?.status);
  leaveBox.showModal();
});

function whatLeavingDoes() {
  if (shown?.status === "waiting") {
    return shown.you === 0 && shown.sitting === 1
      ? gettext("The table closes for everybody, because you opened it.")
      : gettext("Your seat becomes free, and the host gets a new link for it.");
  }
  return shown?.status === "playing"
    ? gettext("The match ends as a draw for everybody, whatever the score. Closing the page or losing the network does not: only this does.")
    : gettext("The match is over; its result stands.");
}

// ---- what its owner has read and closed, the count or the end: this tab's memory, which a reload keeps

function remembered(what) {
  return Number(sessionStorage.getItem(`korttipoyta.${what}.${page.code}.${shown.sitting}`) ?? 0);
}

function remember(what, number) {
  sessionStorage.setItem(`korttipoyta.${what}.${page.code}.${shown.sitting}`, String(number));
}
