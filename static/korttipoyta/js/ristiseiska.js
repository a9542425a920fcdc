/* The Ristiseiska board: four rows that grow from their sevens, and a hand of many cards. */

import { createBoard, grid, section } from "./board.js";
import { back, face, fly, still, time } from "./cards.js";
import { arrange, h, set, write } from "./dom.js";
import { fill, gettext, refusal } from "./i18n.js";
import { HIGH, LOW, PANTTI, STOP, awaited, happened, sentences } from "./ristiseiska-words.js";

const PLACES = [...LOW].reverse().concat("7", HIGH);
const SIGNS = { C: "\u2663\ufe0e", D: "\u2666\ufe0e", H: "\u2665\ufe0e", S: "\u2660\ufe0e" };
const SHORT = (rank) => (rank === "T" ? "10" : rank);

/** Draw the board into `root` and the score into `bar`; `table` and what it answers as in `board.js`. */
export function mount(root, bar, table) {
  const say = sentences(table);
  const card = (code) => face(code, { name: table.words.cards[code], sprite: table.sprite });

  let fittingFirst = false;

  const total = h("span", { class: "kp-chip-number" });
  const lines = new Map(); // by suit
  const list = h("ul", { class: "kp-rows", role: "list" });
  const panttiText = h("p", { class: "kp-pantti" });

  const take = h("button", { class: "kp-button kp-button--main", type: "button", onclick: () => board.choose(PANTTI) }, gettext("Take the pantti"));
  const stop = h("button", { class: "kp-button kp-button--main", type: "button", hidden: true, onclick: () => board.choose(STOP) }, gettext("Stop"));
  const first = h("button", { class: "kp-button", type: "button", "aria-pressed": "false", onclick: toggleFirst }, gettext("Fits first"));
  const large = h("button", { class: "kp-button", type: "button", "aria-pressed": "false", onclick: toggleLarge }, gettext("Large"));

  const board = createBoard(root, bar, table, {
    say,
    happened,
    badge: () => null,
    progress: (view) => fill(gettext("Deal %(deal)s of %(length)s"), { deal: view.deal, length: Math.max(view.deal, view.length) }),
    chips: [h("span", { class: "kp-chip kp-chip--us" }, `${gettext("You")} `, total)],
    paintScore: (view) => write(total, String(view.score[view.seat])),
    order: (view) => (fittingFirst ? [...view.hand.filter((code) => view.legal.includes(code)), ...view.hand.filter((code) => !view.legal.includes(code))] : view.hand),
    reason,
    unplayable: (view, code) => ({ reason: say.waits(view, code), barred: true }),
    notes: (view, seat) => [fill(gettext("%(points)s p."), { points: view.score[seat] }), view.holder === seat ? gettext("pantti") : null],
    side: (view, seat) => (seat === view.seat ? "us" : "them"),
    spot: (view, seat) => seat,
    count,
    afterCount: ({ totals }) => ({ score: totals }),
    sheet,
    legend,
    paint,
    arrive,
    touched: () => null,
    clear: () => lines.forEach((line) => line.slots.forEach((slot) => slot.replaceChildren())),
    keys: [
      { key: "t", name: "T", words: gettext("take the pantti"), run: () => board.choose(PANTTI) },
      { key: "e", name: "E", words: gettext("stop, after an ace or a king"), run: () => board.choose(STOP) },
      { key: "f", name: "F", words: gettext("the fitting cards first, or by suit"), run: toggleFirst },
    ],
    commands: {
      [gettext("pantti")]: () => board.command(PANTTI),
      [gettext("stop")]: () => board.command(STOP),
      [gettext("table")]: () => board.answer(say.rows)(),
      [gettext("fitting")]: () => board.answer((view) => say.named(view.legal.filter((code) => code in table.words.cards)) || gettext("Nothing fits."))(),
      [gettext("holder")]: () => board.answer(say.pantti)(),
    },
  });
  root.classList.add("kp-board--rows");
  board.build(
    h("div", { class: "kp-felt" }, section("seats", gettext("Players"), board.seatList), section("rows", gettext("Table"), list, panttiText)),
    h("div", { class: "kp-actions" }, section("moves", gettext("Moves"), take, stop, board.go), first, large, ...table.extras),
  );

  function toggleFirst() {
    fittingFirst = !fittingFirst;
    set(first, "aria-pressed", String(fittingFirst));
    board.refresh();
  }

  function toggleLarge() {
    const on = root.classList.toggle("kp-board--large");
    set(large, "aria-pressed", String(on));
  }

  // ---- choosing -------------------------------------------------------------------------------

  function reason(view, code) {
    const refusals = table.words.refusals;
    if (code === PANTTI) {
      return view.extra ? refusals["pantti-extra"] : refusals["must-play"];
    }
    if (code === STOP) {
      return refusals["no-extra"];
    }
    return view.hand.includes(code) ? refusal(table.words, "waits", { card: code, awaited: awaited(view, code) }) : gettext("That card is not in your hand.");
  }

  // ---- painting -------------------------------------------------------------------------------

  function paint(shut) {
    const view = board.view();
    arrange(list, view.rows.map((row) => paintRow(view, row)));
    write(panttiText, say.pantti(view));
    set(panttiText, "hidden", view.result !== null);
    const over = board.onTurn() === null;
    set(take, "hidden", over || view.extra);
    set(stop, "hidden", over || !view.extra);
    set(take, "aria-disabled", (!view.legal.includes(PANTTI) || shut) && "true");
    set(stop, "aria-disabled", (!view.legal.includes(STOP) || shut) && "true");
    take.classList.toggle("kp-armed", board.armed() === PANTTI);
    stop.classList.toggle("kp-armed", board.armed() === STOP);
  }

  function lineOf(suit) {
    if (!lines.has(suit)) {
      const words = h("span", { class: "kp-sr" });
      const slots = new Map(PLACES.map((rank) => [rank, h("span", { class: "kp-row-slot", "data-rank": rank })]));
      const cells = h("span", { class: "kp-row-cells", "aria-hidden": "true" }, ...slots.values());
      lines.set(suit, { element: h("li", { class: "kp-row", "data-suit": suit }, words, cells), words, slots });
    }
    return lines.get(suit);
  }

  function paintRow(view, row) {
    const line = lineOf(row.suit);
    write(line.words, say.row(row));
    const next = row.cards.length === 0 ? ["7"] : [row.low, row.high];
    for (const [rank, slot] of line.slots) {
      const code = rank + row.suit;
      const down = row.closed.some((end) => (end === "low" ? LOW : HIGH).includes(rank));
      const state = row.cards.includes(code) ? "up" : down ? "down" : next.includes(rank) ? "next" : "empty";
      if (slot.dataset.state !== state || slot.dataset.suit !== row.suit) {
        slot.dataset.state = state;
        slot.replaceChildren(...(state === "up" ? [card(code)] : state === "down" ? [back()] : state === "next" ? [h("span", { class: "kp-row-next" }, SHORT(rank) + (row.cards.length ? "" : SIGNS[row.suit]))] : []));
      }
      set(slot, "data-mine", state === "next" && view.legal.includes(code));
      set(slot, "data-last", view.last?.code === code);
    }
    return line.element;
  }

  // ---- score and count --------------------------------------------------------------------------

  function sheet(view, deals) {
    const names = view.hands.map((_count, seat) => say.who(view, seat));
    const rows = deals.map((one) => [one.deal, ...one.points]);
    if (rows.length) {
      rows.push([gettext("Total"), ...view.score]);
    }
    return [gettext("Points by deal"), [gettext("Deal"), ...names], rows];
  }

  function legend(view) {
    return [h("h2", {}, gettext("What a card costs")), h("p", {}, gettext("What is left in a hand: 2 to 10 their number, jack 11, queen 12, king 13, ace 14.")), h("p", {}, say.pantti(view))];
  }

  function count(counted) {
    const { points, totals, winner } = counted.count;
    const rows = points.map((paid, seat) => [say.who(counted, seat), left(counted, seat), say.paid(counted, seat) ?? paid, totals[seat]]);
    const order = rows.map((row, seat) => [seat === winner ? -1 : points[seat], row]).sort(([one], [other]) => one - other);
    return [grid(gettext("What was left"), [gettext("Player"), gettext("Left"), gettext("Points"), gettext("Total")], order.map(([, row]) => row))];
  }

  function left(counted, seat) {
    const hand = counted.left?.[seat].hand ?? null;
    if (hand === null) {
      return "–";
    }
    return hand.length ? h("ul", { class: "kp-left", role: "list" }, ...hand.map((code) => h("li", {}, card(code)))) : gettext("out");
  }

  // ---- showing ----------------------------------------------------------------------------------

  function arrive({ before, events, from }) {
    const drawn = board.paint();
    const view = board.view();
    if (table.motion() && before !== null && !still()) {
      for (const event of events.filter((one) => one.type === "play" && one.code in table.words.cards)) {
        const laid = lines.get(event.code[1]).slots.get(event.code[0]).firstElementChild;
        const start = event.seat === view.seat ? from.hand.get(event.code) : from.seats.get(event.seat);
        if (laid && start) {
          fly(laid, start, { duration: time("play") });
        }
      }
      if (events.some((event) => event.type === "deal")) {
        drawn.forEach((button, index) => fly(button, from.seats.get(view.dealer), { duration: time("draw"), delay: index * time("deal"), flip: true }));
      }
    }
    board.afterwards();
    return Promise.resolve();
  }

  return board;
}
