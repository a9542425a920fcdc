/* Watching a record: the seats' own views on their own boards, one after the other. Nothing can be played. */

import { announcer } from "./announce.js";
import { h, notLoaded, set, write } from "./dom.js";
import { fill, gettext } from "./i18n.js";

const ALL = "all";
const byId = (id) => document.getElementById(id);

/**
 * The stage `#kp-watch`. `table`: `{words, sprite}`. Returns `{open(match), close()}`; a match is `{told,
 * name(seat), you, mount, frames(deal) -> promise}`: what the server tells of it, who sat where, whose
 * view comes first, the board's `mount`, the frames of a deal (counted from 1).
 */
export function createWatch(table) {
  const speak = announcer(byId("kp-polite"), byId("kp-alert"));
  const slider = byId("kp-place");
  const placeWords = byId("kp-place-words");
  const playButton = byId("kp-play");
  const deals = byId("kp-deal");
  const seats = byId("kp-seat");
  const pace = byId("kp-pace");

  let match = null;
  let boards = [];
  let deal = 1;
  let frames = [];
  let at = 0;
  let lead = 0;
  let all = false;
  let moving = false; // whether a step is the next one, which moves and speaks as at the table
  let run = 0; // which playing this is; 0 while it pauses
  let runs = 0;
  let loads = 0;
  let rest = null; // until the eye has seen what is shown

  // ---- the boards -------------------------------------------------------------------------------

  function makeBoard(seat) {
    const root = h("div", { class: "kp-board" });
    const bar = h("div", { class: "kp-watch-score" });
    const heading = h("h2", { class: "kp-other-name" }, h("bdi", {}, match.name(seat)));
    const other = h("section", { class: "kp-other" }, heading);
    const one = { seat, root, bar, other, shown: null };
    one.board = match.mount(root, bar, {
      ...table,
      name: match.name,
      speak: {
        polite: (text) => moving && seat === lead && speak.polite(text),
        alert: (text) => speak.alert(text),
        flush: () => speak.flush(),
        forget: (text) => speak.forget(text),
      },
      motion: () => moving,
      twice: () => false,
      note: () => stopped(),
      play: () => one.board.refuse(gettext("This is a record: nothing can be played.")),
      proceed: () => go(deal + 1, 0),
      again: false,
      rules: match.told.rules,
      rulesShort: match.told.rulesShort,
      handName: fill(gettext("The hand of %(name)s"), { name: match.name(seat) }),
      extras: [],
    });
    return one;
  }

  /** Put the lead's board on the table and the other hands beside it. */
  function arrangeBoards() {
    const { root, bar } = boards[lead];
    byId("kp-lead").replaceChildren(root);
    byId("kp-bar").replaceChildren(bar);
    const others = boards.filter((one) => one.seat !== lead);
    others.forEach((one) => one.other.append(one.root));
    byId("kp-others").replaceChildren(...(all ? others.map((one) => one.other) : []));
    set(byId("kp-others"), "hidden", !all);
    byId("kp-watch").classList.toggle("kp-watch--all", all);
  }

  function shown() {
    return all ? boards : [boards[lead]];
  }

  // ---- where we are -----------------------------------------------------------------------------

  /** Why the deal goes no further, at the end of a match that was broken off. */
  function stopped() {
    const { result } = match.told;
    if (deal < match.told.deals.length || at < frames.length - 1 || frames.at(-1)[lead].result) {
      return null;
    }
    return { left: gettext("The match ends here: somebody left the table."), closed: gettext("The match ends here: the table was closed.") }[result?.reason] ?? (frames.at(-1)[lead].turn === null ? null : gettext("The record ends here."));
  }

  /** What has been counted by now, as a board wants it. */
  function past() {
    const view = frames[at][lead];
    const before = match.told.deals.slice(0, view.count ? deal : deal - 1);
    return { deals: before, count: before.at(-1) ?? null, closed: Infinity };
  }

  function words() {
    return fill(gettext("Play %(at)s of %(all)s"), { at, all: frames.length - 1 });
  }

  function paint() {
    set(slider, "max", frames.length - 1);
    slider.value = at;
    set(slider, "aria-valuetext", words());
    write(placeWords, words());
    deals.value = deal;
    playButton.classList.toggle("kp-playing", run !== 0);
    write(byId("kp-play-words"), run === 0 ? gettext("Play") : gettext("Pause"));
    for (const button of document.querySelectorAll("[data-step]")) {
      const on = button.dataset.step.endsWith("on");
      set(button, "aria-disabled", (on ? atEnd() : at === 0 && deal === 1) && "true");
    }
  }

  function atEnd() {
    return at >= frames.length - 1 && deal >= match.told.deals.length;
  }

  /** Show a frame of this deal: the next one as it happened, any other at once. */
  function show(to) {
    const next = to === at + 1;
    at = to;
    rest = Promise.all(
      shown().map((one) => {
      moving = next && one.shown?.deal === deal && one.shown.at === at - 1;
      if (!moving) {
        one.board.reset();
      }
      one.shown = { deal, at };
      const seen = one.board.show(frames[at][one.seat], past());
      moving = false;
      return seen;
      }),
    );
    paint();
  }

  /** Go to a frame of a deal, `Infinity` being its last: "gone", "lost" when it could not be had, or
      "late" when somebody has asked for another meanwhile. */
  async function go(number, to) {
    const wanted = (loads += 1);
    if (number !== deal || frames.length === 0) {
      const loaded = await match.frames(number);
      if (wanted !== loads) {
        return "late";
      }
      if (loaded === null) {
        return "lost";
      }
      frames = loaded;
      deal = number;
      at = -2;
    }
    show(Math.min(to, frames.length - 1));
    return "gone";
  }

  /** Where tricks begin, or where rounds do; the deal's end besides. */
  function marks() {
    const first = frames[0][0].turn;
    const isMark = (views, index) => ("trick" in views[0] ? views[0].trick.length === 0 : views[0].turn === first && frames[index - 1]?.[0].turn !== first);
    return frames.map((_views, index) => index).filter((index) => index === 0 || index === frames.length - 1 || isMark(frames[index], index));
  }

  /** One step of a kind: as `go`, or "none" when there is no more. */
  async function step(kind) {
    const goals = {
      on: () => at + 1,
      back: () => at - 1,
      "trick-on": () => marks().find((mark) => mark > at) ?? frames.length,
      "trick-back": () => marks().findLast((mark) => mark < at) ?? -1,
    };
    const to = goals[kind]();
    if (to >= frames.length) {
      return deal < match.told.deals.length ? go(deal + 1, 0) : "none";
    }
    if (to < 0) {
      return deal > 1 ? go(deal - 1, Infinity) : "none";
    }
    return go(deal, to);
  }

  /** Step because somebody asked for it, and say where that led unless the board has said it. */
  async function press(kind) {
    pause();
    const before = { deal, at };
    const came = await step(kind);
    if (came === "none") {
      speak.polite(kind.endsWith("on") ? gettext("This is the end of the record.") : gettext("This is its beginning."));
    } else if (came === "lost") {
      tellLost();
    } else if (came === "gone" && (deal !== before.deal || at !== before.at + 1)) {
      tell();
    }
  }

  /** In the place of where one is, until one is somewhere again. */
  function tellLost() {
    write(placeWords, notLoaded());
    speak.alert(notLoaded());
  }

  function tell() {
    const status = boards[lead].root.querySelector(".kp-status-what").textContent;
    speak.polite(`${fill(gettext("Deal %(deal)s."), { deal })} ${words()}. ${status}`);
  }

  // ---- playing ----------------------------------------------------------------------------------

  async function play() {
    const mine = (runs += 1);
    run = mine;
    if (atEnd()) {
      await go(1, 0);
    }
    paint();
    while (run === mine) {
      await new Promise((wake) => setTimeout(wake, at >= frames.length - 1 ? 2 * pace.value : pace.value));
      const dialog = document.querySelector("dialog[open]") !== null; // somebody is reading
      if (run !== mine || dialog) {
        continue;
      }
      const before = deal;
      const came = await step("on");
      if (came === "none") {
        pause();
        speak.polite(gettext("This is the end of the record."));
      } else if (came === "lost") {
        pause();
        tellLost();
      } else if (deal !== before) {
        tell();
      }
      await rest;
    }
  }

  function pause() {
    run = 0;
    paint();
  }

  function toggle() {
    if (run === 0) {
      play();
    } else {
      pause();
    }
  }

  // ---- what the reader does ---------------------------------------------------------------------

  playButton.addEventListener("click", toggle);
  for (const button of document.querySelectorAll("[data-step]")) {
    button.addEventListener("click", () => press(button.dataset.step));
  }
  slider.addEventListener("input", () => {
    const to = Number(slider.value);
    pause(); // which paints where we are
    go(deal, to); // of this deal: there it is
  });
  deals.addEventListener("change", () => {
    const number = Number(deals.value);
    pause();
    go(number, 0).then((came) => {
      if (came === "gone") {
        tell();
      } else if (came === "lost") {
        paint(); // the list shows where we still are
        tellLost();
      }
    });
  });
  seats.addEventListener("change", () => {
    all = seats.value === ALL;
    lead = all ? lead : Number(seats.value);
    arrangeBoards();
    show(at);
    tell();
  });
  const KEYS = { p: toggle, ",": () => press("back"), ".": () => press("on"), b: () => press("trick-back"), n: () => press("trick-on") };
  byId("kp-watch").addEventListener("keydown", (event) => {
    const typing = event.target.closest("select, dialog");
    const act = KEYS[event.key.toLowerCase()];
    if (act && !typing && !event.altKey && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      act();
    }
  });

  return {
    async open(next) {
      match = next;
      deal = 1;
      frames = [];
      at = 0;
      lead = match.you ?? 0;
      all = false;
      const many = match.told.seats;
      write(byId("kp-watch-title"), match.told.title);
      seats.replaceChildren(...Array.from({ length: many }, (_nothing, seat) => h("option", { value: seat }, match.name(seat))), h("option", { value: ALL }, gettext("all hands")));
      seats.value = lead;
      deals.replaceChildren(...match.told.deals.map((_count, index) => h("option", { value: index + 1 }, fill(gettext("%(deal)s of %(all)s"), { deal: index + 1, all: match.told.deals.length }))));
      boards = Array.from({ length: many }, (_nothing, seat) => makeBoard(seat));
      arrangeBoards();
      if ((await go(1, 0)) === "gone") {
        playButton.focus();
      }
    },
    close() {
      pause();
      match = null;
      boards = [];
      byId("kp-lead").replaceChildren();
      byId("kp-others").replaceChildren();
      byId("kp-bar").replaceChildren();
    },
  };
}
