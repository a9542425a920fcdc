/* The board of Third: the trick on the felt, and nothing else that every board does not have. */

import { createBoard, grid, section } from "../korttipoyta/js/board.js";
import { face } from "../korttipoyta/js/cards.js";
import { arrange, h, write } from "../korttipoyta/js/dom.js";
import { fill, gettext, refusal } from "../korttipoyta/js/i18n.js";

function happened(before, view) {
  if (before === null || before.deal !== view.deal || (before.result !== null && view.result === null)) {
    return [{ type: "deal" }];
  }
  const shown = before.trick.map((one) => one.card);
  const plays = view.trick.length > 0 && shown.every((card) => view.trick.some((one) => one.card === card)) ? view.trick : [...view.last, ...view.trick];
  return plays.filter((one) => !shown.includes(one.card)).map((one) => ({ type: "play", ...one }));
}

function sentences({ words, name }) {
  const who = (view, seat) => (seat === view.seat ? gettext("You") : name(seat));
  const score = (view) => fill(gettext("Tricks: %(all)s. Wanted: %(goal)s."), { goal: view.goal, all: view.score.map((one, seat) => `${who(view, seat)} ${one}`).join(", ") });
  const outcome = ({ result, seat }) => (result.outcome === "draw" ? gettext("The match is a draw.") : result.winner === seat ? gettext("You have won the match!") : fill(gettext("%(name)s has won the match."), { name: name(result.winner) }));
  const status = (view) => {
    if (view.result) {
      return [outcome(view), gettext("The match is over.")];
    }
    if (view.turn === null) {
      return [gettext("The deal is over."), score(view)];
    }
    return [view.turn === view.seat ? gettext("Your turn.") : fill(gettext("%(name)s to play."), { name: name(view.turn) }), score(view)];
  };
  const count = (view) => view.count.points.map((one, seat) => `${who(view, seat)}: ${one}.`).join(" ");
  return {
    who,
    score,
    outcome,
    status,
    count,
    deal: count,
    after: () => "",
    prompt: (view) => status(view)[0],
    held: (view, seat) => fill(gettext("Cards in hand: %(count)s."), { count: view.hands[seat] }),
    named: (codes) => codes.map((code) => words.cards[code]).join(", "),
    event: (view, one) => (one.type === "deal" ? fill(gettext("Deal %(deal)s."), { deal: view.deal }) : fill(gettext("%(name)s: %(card)s."), { name: who(view, one.seat), card: words.cards[one.card] })),
  };
}

/** Draw the board into `root` and the score into `bar`; `table` and what it answers as in `board.js`. */
export function mount(root, bar, table) {
  const say = sentences(table);
  const card = (code) => face(code, { name: table.words.cards[code], sprite: table.sprite });
  const total = h("span", { class: "kp-chip-number" });
  const trick = h("ol", { class: "kp-left kp-trick-of-third", role: "list" });
  const led = (view) => view.trick[0]?.card;

  const board = createBoard(root, bar, table, {
    say,
    happened,
    badge: () => null,
    progress: (view) => fill(gettext("Deal %(deal)s"), { deal: view.deal }),
    chips: [total],
    paintScore: (view) => write(total, view.score.join("–")),
    reason: (view, code) => (view.hand.includes(code) ? refusal(table.words, "follow", { led: led(view) }) : gettext("That card is not in your hand.")),
    unplayable: (view) => ({ reason: refusal(table.words, "follow", { led: led(view) }), barred: true }),
    notes: (view, seat) => [fill(gettext("%(count)s taken"), { count: view.taken[seat] })],
    side: (view, seat) => (seat === view.seat ? "us" : "them"),
    spot: (view, seat) => seat,
    count: (view) => [grid(gettext("Tricks"), [gettext("Player"), gettext("Tricks"), gettext("Total")], view.count.points.map((one, seat) => [say.who(view, seat), one, view.count.totals[seat]]))],
    afterCount: ({ totals }) => ({ score: totals }),
    sheet: (view, deals) => [gettext("Tricks by deal"), [gettext("Deal"), ...view.hands.map((_count, seat) => say.who(view, seat))], deals.map((one) => [one.deal, ...one.points])],
    legend: () => [],
    paint: () => arrange(trick, board.view().trick.map((one) => h("li", {}, card(one.card)))),
    arrive() {
      board.paint();
      board.afterwards();
      return Promise.resolve();
    },
    touched: () => null,
    clear: () => trick.replaceChildren(),
    keys: [],
    commands: { [gettext("trick")]: () => board.answer((view) => say.named(view.trick.map((one) => one.card)) || gettext("Nothing lies."))() },
  });
  root.classList.add("kp-board--rows");
  board.build(
    h("div", { class: "kp-felt" }, section("seats", gettext("Players"), board.seatList), section("trick", gettext("Trick"), trick)),
    h("div", { class: "kp-actions" }, board.go, ...table.extras),
  );
  return board;
}
