/* The Ristikontra board: one seat's view as a table to play at. State first, motion after. */

import { backs, createBoard, grid, section } from "./board.js";
import { back, face, fly, place, still, sweep, time } from "./cards.js";
import { arrange, dialog, h, set, write } from "./dom.js";
import { fill, gettext, pgettext } from "./i18n.js";
import { addsUp, cardPoints, happened, partner, sentences, side, trickNumber } from "./ristikontra-words.js";

const DARK = "dark";
const PLACES = ["me", "left", "across", "right"];
const RANK_ROWS = ["A", "T", "K", "Q", "J"];

/** Draw the board into `root` and the score into `bar`; `table` and what it answers as in `board.js`. */
export function mount(root, bar, table) {
  const say = sentences(table);
  const badge = (code) => (board.view() && cardPoints(board.view(), code)) || null;
  const card = (code) => face(code, { name: table.words.cards[code], badge: badge(code), sprite: table.sprite });
  const where = (view, seat) => PLACES[(seat - view.seat + 4) % 4];

  let hold = null;

  // The score.
  const us = scoreChip("us", gettext("We"));
  const them = scoreChip("them", gettext("They"));
  const heldCount = h("span");
  const heldPoints = h("span", { class: "kp-held", hidden: true }, heldCount, h("span", { class: "kp-wide-only" }, ` ${gettext("held")}`));

  // The felt: seats, trick, stock, piles.
  const trick = h("ol", { class: "kp-trick kp-felt-grid", role: "list" });
  const nothing = h("p", { class: "kp-sr" }, gettext("No card has been played to this trick."));
  const stockCount = h("span", { class: "kp-stock-count" });
  const stock = h("div", { class: "kp-stock", "data-area": "stock", "aria-hidden": "true", onclick: () => (hold ? hold.end() : board.choose(DARK)) }, back(), stockCount);
  const slots = PLACES.map((one) => h("div", { class: "kp-slot", "data-area": one, "aria-hidden": "true" }));
  const piles = {
    us: pile("us", gettext("Our pile")),
    them: pile("them", gettext("Their pile")),
  };
  const pileList = h("ul", { class: "kp-piles kp-felt-grid", role: "list" }, piles.us.element, piles.them.element);
  const ghosts = h("div", { class: "kp-ghosts", "aria-hidden": "true" });

  // The buttons.
  const conceding = h("button", { class: "kp-button", type: "button", hidden: true, onclick: () => concedeBox.showModal() }, gettext("We signalled"));
  const concedeBox = dialog(
    gettext("Own up to signalling?"),
    h("p", {}, gettext("Your side loses two game points, though never below zero. It cannot be taken back, and everybody reads it in the chat.")),
    h(
      "div",
      { class: "kp-dialog-buttons" },
      h("button", { class: "kp-button kp-button--now", type: "button", onclick: () => concedeBox.close() }, gettext("No")),
      h("button", { class: "kp-button", type: "button", onclick: concede }, gettext("We signalled: minus two")),
    ),
  );
  const dark = h("button", { class: "kp-button kp-button--main", type: "button", onclick: () => board.choose(DARK) }, gettext("Play in the dark"));
  const stockText = h("p", { class: "kp-sr" });
  const lastButton = h("button", { class: "kp-button", type: "button", "aria-expanded": "false", onclick: () => toggleLast() }, gettext("Last trick"));
  const lastList = h("ol", { class: "kp-last-cards", role: "list" });
  const lastText = h("p", { class: "kp-last-text" });
  const lastPanel = h("div", { class: "kp-last", hidden: true }, lastText, lastList);

  const board = createBoard(root, bar, table, {
    say,
    happened,
    badge,
    progress: (view) => fill(gettext("Deal %(deal)s · trick %(trick)s"), { deal: view.deal, trick: trickNumber(view) }),
    chips: [us.chip, them.chip, heldPoints],
    paintScore,
    reason,
    unplayable: () => ({ reason: gettext("may not be led now"), barred: true }),
    notes: (view, seat) => [seat === partner(view.seat) ? gettext("partner") : null],
    side: (view, seat) => (side(seat) === side(view.seat) ? "us" : "them"),
    spot: where,
    count,
    afterCount: ({ score, held }) => ({ score, held }),
    sheet,
    legend,
    paint,
    places: () => ({ stock: place(stock.firstElementChild) }),
    arrive,
    touched,
    clear,
    escape: () => toggleLast(false),
    keys: [
      { key: "d", name: "D", words: gettext("play in the dark"), run: () => board.choose(DARK) },
      { key: "l", name: "L", words: gettext("the last trick"), run: () => toggleLast() },
    ],
    commands: {
      [gettext("dark")]: () => board.command(DARK),
      [gettext("trick")]: () => board.answer(say.trick)(),
      [gettext("last")]: () => board.answer(say.last)(),
      [gettext("stock")]: () => board.answer(say.stock)(),
      [gettext("piles")]: () => board.answer(say.piles)(),
    },
  });
  board.seatList.classList.add("kp-felt-grid");
  board.build(
    h(
      "div",
      { class: "kp-felt", onclick: touchFelt },
      h("div", { class: "kp-slots kp-felt-grid" }, ...slots, stock),
      section("seats", gettext("Players"), board.seatList),
      section("trick", gettext("Trick"), nothing, trick),
      section("piles", gettext("Piles"), pileList),
      ghosts,
    ),
    h("div", { class: "kp-actions" }, section("stock", gettext("Stock"), stockText, dark, board.go, conceding), section("last", gettext("Last trick"), lastButton, lastPanel), ...table.extras),
  );

  root.append(concedeBox);

  function concede() {
    concedeBox.close();
    table.concede();
  }

  function scoreChip(which, label) {
    const number = h("span", { class: "kp-chip-number" });
    return { chip: h("span", { class: `kp-chip kp-chip--${which}` }, h("span", { class: "kp-mark" }), `${label} `, number), number };
  }

  function pile(which, label) {
    const count = h("span", { class: "kp-pile-count" });
    const stack = h("span", { class: "kp-pile-stack", "aria-hidden": "true" });
    const dirt = h("span", { class: "kp-pile-dirt" });
    const element = h("li", { class: "kp-pile", "data-area": `pile-${which}` }, stack, h("span", { class: "kp-pile-label" }, h("span", { class: `kp-mark kp-mark--${which}` }), ` ${label} `, count, dirt));
    return { element, stack, count, dirt };
  }

  // ---- choosing -------------------------------------------------------------------------------

  function touched() {
    hold?.end();
    toggleLast(false);
  }

  /** A tap on the table itself: the finished trick goes, what was marked or opened is let go. */
  function touchFelt() {
    touched();
    board.arm(null);
  }

  function reason(view, code) {
    const ranks = table.words.rankPlurals[view.barred];
    if (code === DARK) {
      return view.stock === 0 ? table.words.refusals["stock-empty"] : fill(table.words.refusals["dark-barred"], { ranks });
    }
    return view.hand.includes(code) ? say.ban(view) : gettext("That card is not in your hand.");
  }

  // ---- painting -------------------------------------------------------------------------------

  function paintScore(view) {
    const mine = side(view.seat);
    write(us.number, String(view.score[mine]));
    write(them.number, String(view.score[1 - mine]));
    set(heldPoints, "hidden", view.held === 0);
    write(heldCount, `+${view.held}`);
  }

  function paint(shut) {
    const view = board.view();
    const mine = side(view.seat);
    paintTrick(view, hold?.plays ?? view.trick, hold ? hold.taker : view.winning);
    write(stockCount, view.stock === 0 ? pgettext("the stock", "empty") : String(view.stock));
    stock.classList.toggle("kp-stock--empty", view.stock === 0);
    stock.classList.toggle("kp-stock--open", !view.result && view.legal.includes(DARK));
    write(stockText, say.stock(view));
    set(dark, "aria-disabled", (!view.legal.includes(DARK) || shut) && "true");
    dark.classList.toggle("kp-armed", board.armed() === DARK);
    set(dark, "hidden", board.onTurn() === null);
    paintPile(view, piles.us, mine);
    paintPile(view, piles.them, 1 - mine);
    set(conceding, "hidden", !(view.concede && table.concede));
    set(lastButton, "aria-disabled", view.last.length === 0 && "true");
    paintLast(view);
  }

  function paintTrick(view, plays, winner) {
    const old = new Map([...trick.children].map((item) => [item.dataset.card, item]));
    set(nothing, "hidden", plays.length > 0);
    arrange(
      trick,
      plays.map((play, index) => {
        const item = old.get(play.card) ?? played(view, play, index === 0);
        const wins = play.seat === winner;
        set(item, "data-area", where(view, play.seat));
        item.querySelector(".kp-card").classList.toggle("kp-card--winning", wins);
        write(item.querySelector(".kp-wins"), wins ? gettext("winning") : "");
        return item;
      }),
    );
  }

  function played(view, play, led) {
    const notes = [led ? gettext("led") : null, play.dark ? gettext("from the stock") : null];
    return h(
      "li",
      { class: "kp-play", "data-card": play.card },
      h("span", { class: "kp-sr" }, `${say.who(view, play.seat)}: `),
      card(play.card),
      h("span", { class: "kp-caption" }, notes.filter(Boolean).join(" · ")),
      h("span", { class: "kp-wins kp-sr" }),
    );
  }

  function paintPile(view, parts, which) {
    const count = view.piles[which];
    const dirt = say.dirt(view, which);
    write(parts.count, String(count));
    write(parts.dirt, dirt === null ? "" : ` ${dirt}`);
    set(parts.dirt, "data-dirty", Boolean(view.dirty?.[which]));
    backs(parts.stack, Math.min(3, Math.ceil(count / 8)));
  }

  function paintLast(view) {
    if (view.last.length === 0) {
      set(lastPanel, "hidden", true);
      set(lastButton, "aria-expanded", "false");
    }
    write(lastText, view.last.length === 0 ? "" : say.taken(view, view.taker));
    const old = new Map([...lastList.children].map((item) => [item.dataset.card, item]));
    arrange(
      lastList,
      view.last.map(
        (play) =>
          old.get(play.card) ??
          h("li", { class: "kp-last-play", "data-card": play.card }, h("bdi", { class: "kp-last-name" }, say.who(view, play.seat)), card(play.card), h("span", { class: "kp-caption" }, play.dark ? gettext("from the stock") : "")),
      ),
    );
    for (const [index, play] of view.last.entries()) {
      lastList.children[index].querySelector(".kp-card").classList.toggle("kp-card--winning", play.seat === view.taker);
    }
  }

  function toggleLast(open = lastPanel.hidden) {
    const view = board.view();
    if (view === null) {
      return;
    }
    const shown = open && view.last.length > 0;
    set(lastPanel, "hidden", !shown);
    set(lastButton, "aria-expanded", String(shown));
    if (open) {
      table.speak.polite(say.last(view));
    }
  }

  // ---- score and count --------------------------------------------------------------------------

  function sheet(view, deals) {
    const mine = side(view.seat);
    const rows = deals.map((one) => [one.deal, one.points[mine], one.points[1 - mine], `${one.score[mine]}–${one.score[1 - mine]}`]);
    return [gettext("Card points by deal"), [gettext("Deal"), gettext("We"), gettext("They"), gettext("Score")], rows];
  }

  function legend(view) {
    const list = RANK_ROWS.map((rank) => h("li", {}, h("span", { class: "kp-value-rank" }, table.words.ranks[rank]), h("span", {}, String(cardPoints(view, rank)))));
    return [h("h2", {}, gettext("Card points")), h("ul", { class: "kp-values", role: "list" }, ...list)];
  }

  function count(counted) {
    const mine = side(counted.seat);
    const { counts, points, awarded, score } = counted.count;
    const names = { A: gettext("Aces"), T: gettext("Tens"), K: gettext("Kings"), Q: gettext("Queens"), J: gettext("Jacks") };
    const both = (list) => [list[mine], list[1 - mine]];
    const rows = RANK_ROWS.map((rank) => [names[rank], ...both(counts).map((one) => one[rank])]);
    rows.push([gettext("Card points"), ...both(points)]);
    if (counted.conceded?.some(Boolean)) {
      rows.push([gettext("Signalling conceded"), ...both(counted.conceded).map((one) => (one ? "−2" : "0"))]);
    }
    if (awarded) {
      rows.push([gettext("Game points"), ...both(awarded).map((won) => (won ? `+${won}` : "0"))]);
    }
    rows.push([addsUp(counted) ? fill(gettext("Score, of %(goal)s"), { goal: counted.goal }) : gettext("Score"), ...both(score)]);
    return [grid(gettext("What each pile held"), [gettext("Cards"), gettext("We"), gettext("They")], rows, rows.length - RANK_ROWS.length)];
  }

  // ---- showing ----------------------------------------------------------------------------------

  function source(view, from, event) {
    if (event.dark) {
      return from.stock;
    }
    return event.seat === view.seat ? (from.hand.get(event.card) ?? from.stock) : (from.seats.get(event.seat) ?? from.stock);
  }

  function launch(from, events) {
    for (const event of events.filter((one) => one.type === "play")) {
      const item = [...trick.children].find((one) => one.dataset.card === event.card);
      if (item) {
        fly(item.querySelector(".kp-card"), source(board.view(), from, event), { duration: event.dark ? time("dark") : time("play"), flip: event.dark });
      }
    }
  }

  function draw(button, from, events, index) {
    const dealt = events.some((event) => event.type === "deal");
    fly(button, from.stock, { duration: time("draw"), delay: dealt ? index * time("deal") : time("play"), flip: true });
  }

  function arrive({ before, events, from }) {
    const holds = table.motion() && before !== null;
    const moves = holds && !still();
    const done = events.find((event) => event.type === "trick");
    if (hold && !done) {
      // A trick still lies for its moment: everything else is shown at once.
      board.paint();
      hold.later.push(...events);
      return hold.rest;
    }
    hold?.end();
    if (done && holds) {
      hold = holding(done, events.slice(events.indexOf(done) + 1));
    }
    const drawn = board.paint();
    if (moves) {
      launch(from, events);
      drawn.forEach((button, index) => draw(button, from, events, index));
    }
    if (hold) {
      return hold.rest;
    }
    board.afterwards();
    return Promise.resolve();
  }

  /** A finished trick lies a moment, or until tapped; then it is swept to its taker's pile. */
  function holding(done, later) {
    let rested;
    const self = { plays: done.plays, taker: done.seat, later, rest: new Promise((keep) => (rested = keep)), end, drop };
    const timer = setTimeout(end, time("play") + time("hold"));
    function end() {
      if (hold !== self) {
        return;
      }
      clearTimeout(timer);
      hold = null;
      const target = place((side(self.taker) === side(board.view().seat) ? piles.us : piles.them).stack);
      const lying = [...trick.children].map((item) => item.querySelector(".kp-card"));
      const spots = lying.map(place);
      const from = { ...board.places(), stock: place(stock.firstElementChild) };
      board.paint();
      if (!still()) {
        lying.forEach((one, index) => sweep(ghosts, one.cloneNode(true), spots[index], target, { duration: time("sweep") }));
        launch(from, self.later);
      }
      board.afterwards();
      rested();
    }
    function drop() {
      clearTimeout(timer);
      hold = null;
      rested();
    }
    return self;
  }

  function clear() {
    hold?.drop();
    trick.replaceChildren();
    ghosts.replaceChildren();
  }

  return board;
}
