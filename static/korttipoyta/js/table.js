/* A shared table's page: snapshots in, commands out; the lobby before the first deal, then the board. */

import { announcer } from "./announce.js";
import { commandField, keyboard } from "./controls.js";
import { dialog, h, pageData, set, write } from "./dom.js";
import { fill, gettext } from "./i18n.js";
import { createLobby } from "./lobby.js";
import { followContrast } from "./preferences.js";
import { keepSocket } from "./socket.js";

const page = pageData("kp-page");
const words = pageData("kp-words");
const byId = (id) => document.getElementById(id);
const RESEND = 4000; // a command unanswered so long is sent again, which is harmless: it names its ply

const speak = announcer(byId("kp-polite"), byId("kp-alert"));
const trouble = byId("kp-trouble");
const lobbyRoot = byId("kp-lobby");
const boardRoot = byId("kp-board");

let shown = null;
let inFlight = null;

followContrast();
byId("kp-menu-button").addEventListener("click", () => byId("kp-menu").showModal());
byId("kp-menu-close").addEventListener("click", () => byId("kp-menu").close());

/** How a seat is called; an unnamed one in the reader's words. */
function nameOf(snapshot, seat) {
  const { name } = snapshot.seats[seat];
  return name || (seat === 0 ? gettext("Host") : fill(gettext("Guest %(number)s"), { number: seat }));
}

const { mount } = await import(page.board);
const board = mount(boardRoot, byId("kp-bar"), {
  words,
  sprite: page.sprite,
  name: (seat) => nameOf(shown, seat),
  speak,
  motion: () => true,
  twice: () => byId("kp-twice").checked,
  note: () => null,
  play: (code) => command({ type: "play", ply: shown.ply, code }),
  proceed: () => command({ type: "deal", ply: shown.ply }),
  again: false,
  extras: [],
  countClosed: rememberClosed,
});
const lobby = createLobby(lobbyRoot, { page, sides: page.sides, name: nameOf, speak });

const keys = keyboard(boardRoot, board.keys);
for (const button of document.querySelectorAll("[data-help]")) {
  button.addEventListener("click", keys.help);
}
boardRoot.append(commandField(words, { ...board.commands, [gettext("help")]: keys.help }, board.play));
byId("kp-keys").addEventListener("change", (event) => keys.turnOn(event.target.checked));

const socket = keepSocket(new URL(page.socket, location.href.replace(/^http/, "ws")).href, { message, state, gone });

// ---- commands ---------------------------------------------------------------------------------

/** Send a command and keep it until it is answered; offline nothing is pretended. */
function command(what) {
  if (!socket.send(what)) {
    board.refuse(gettext("No connection: nothing has been played. Try again when it is back."));
    return;
  }
  inFlight = { what, timer: setTimeout(again, RESEND) };
}

function again() {
  if (inFlight !== null) {
    socket.send(inFlight.what);
    inFlight.timer = setTimeout(again, RESEND);
  }
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
      if (shown !== null && data.version > shown.version) {
        socket.send({ type: "sync" });
      }
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

function refused({ of, code, facts }) {
  const stale = code === "stale";
  const own = inFlight !== null;
  settled();
  if (of === "deal" && stale) {
    return; // somebody else has dealt: the snapshot tells
  }
  if (own || !stale) {
    const text = words.refusals[code] ?? words.refusals.fault;
    board.refuse(fill(text, { ...facts, ranks: words.rankPlurals[facts.rank] }));
  }
}

function show(snapshot, first) {
  if (inFlight !== null && snapshot.ply > inFlight.what.ply) {
    settled();
  }
  const before = shown;
  shown = snapshot;
  calm();
  const playing = Boolean(snapshot.view);
  set(lobbyRoot, "hidden", playing || snapshot.status !== "waiting");
  set(boardRoot, "hidden", !playing);
  byId("kp-bar").classList.toggle("kp-bar-score--empty", !playing);
  if (playing) {
    const view = { ...snapshot.view, result: snapshot.outcome };
    board.show(view, { deals: snapshot.deals, count: snapshot.count, closed: closedCount() });
  } else if (snapshot.status === "waiting") {
    lobby.show(snapshot);
    tellArrivals(before, snapshot);
  }
  if (snapshot.outcome && (before === null || before.outcome === null)) {
    ended(snapshot);
  }
  if (first && inFlight !== null) {
    again();
  }
}

/** In the lobby: say who has come and who has gone. */
function tellArrivals(before, snapshot) {
  if (before === null) {
    return;
  }
  snapshot.seats.forEach((seat, index) => {
    if (seat.taken && !before.seats[index].taken) {
      speak.polite(fill(gettext("%(name)s has sat down."), { name: nameOf(snapshot, index) }));
    } else if (!seat.taken && before.seats[index].taken) {
      speak.polite(fill(gettext("%(name)s has left."), { name: nameOf(before, index) }));
    }
  });
}

// ---- the connection ---------------------------------------------------------------------------

function state(name) {
  if (name === "offline") {
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
    speak.polite(gettext("Connected again."));
  }
}

function gone(code) {
  const texts = {
    4401: gettext("This browser does not hold a seat at this table."),
    4404: gettext("This table is gone."),
    4409: gettext("This seat is no longer held by this browser."),
  };
  over(gettext("You are not at this table any more"), texts[code]);
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
    over(gettext("The table is closed"), fill(gettext("%(name)s closed it before the first deal."), { name: nameOf(snapshot, seat) }));
  } else if (reason === "left" || reason === "closed") {
    const who = reason === "left" ? fill(gettext("%(name)s left the table."), { name: nameOf(snapshot, seat) }) : gettext("The table was closed by a moderator.");
    const text = fill(gettext("%(why)s The match is a draw, whatever the score."), { why: who });
    speak.alert(text);
    over(gettext("The match is a draw"), text, true);
  }
}

/** A dialog for an end; `stay` lets its reader look at the table. */
function over(title, text, stay = false) {
  const box = dialog(
    title,
    h("p", {}, text),
    h(
      "div",
      { class: "kp-dialog-buttons" },
      h("a", { class: "kp-button kp-button--now", href: page.fresh }, gettext("Open a new table")),
      stay ? h("button", { class: "kp-button", type: "button", onclick: () => box.close() }, gettext("Look at the table")) : h("a", { class: "kp-button", href: page.home }, gettext("To the games")),
    ),
  );
  if (!stay) {
    box.addEventListener("cancel", (event) => event.preventDefault());
  }
  document.querySelector(".kp").append(box);
  for (const open of document.querySelectorAll("dialog[open]")) {
    open.close();
  }
  box.showModal();
}

const leaveText = h("p");
const leaveBox = dialog(
  gettext("Leave the table?"),
  leaveText,
  h(
    "form",
    { class: "kp-dialog-buttons", method: "post", action: page.leave },
    h("input", { type: "hidden", name: "csrfmiddlewaretoken", value: page.csrf }),
    h("button", { class: "kp-button kp-button--now", type: "button", onclick: () => leaveBox.close() }, gettext("Stay")),
    h("button", { class: "kp-button", type: "submit" }, gettext("Leave")),
  ),
);
document.querySelector(".kp").append(leaveBox);
byId("kp-leave").addEventListener("click", () => {
  byId("kp-menu").close();
  write(leaveText, whatLeavingDoes());
  leaveBox.showModal();
});

function whatLeavingDoes() {
  if (shown?.status === "waiting") {
    return shown.you === 0
      ? gettext("The table closes for everybody, because you opened it.")
      : gettext("Your seat becomes free, and the host gets a new link for it.");
  }
  return shown?.status === "playing"
    ? gettext("The match ends as a draw for all four, whatever the score. Closing the page or losing the network does not: only this does.")
    : gettext("The match is over; its result stands.");
}

// ---- which count its owner has closed: this tab's memory, so that a reload keeps it ------------

function closedCount() {
  return Number(sessionStorage.getItem(`korttipoyta.count.${page.code}`) ?? 0);
}

function rememberClosed(deal) {
  sessionStorage.setItem(`korttipoyta.count.${page.code}`, String(deal));
}
