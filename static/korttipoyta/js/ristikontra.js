/* The Ristikontra board: one seat's view as a table to play at. State first, motion after. */

import { back, face } from "./cards.js";
import { arrange, dialog, h, set, write } from "./dom.js";
import { createHand } from "./hand.js";
import { fill, gettext } from "./i18n.js";
import { TIME, fly, place, still, sweep } from "./motion.js";
import { cardPoints, happened, partner, sentences, side, trickNumber } from "./ristikontra-words.js";

const DARK = "dark";
const DOUBLE_TAP = 300;
const PLACES = ["me", "left", "across", "right"];
const RANK_ROWS = ["A", "T", "K", "Q", "J"];

/**
 * Draw the board into `root` and the score into `bar`. `table` is what the page offers it:
 * `{words, sprite, name(seat), speak, motion(), twice(), note(), play(code), proceed(), again,
 * extras, countClosed(deal), absence(seat), busy()}`: whether things take their time, whether a
 * card wants a second tap, what the reader should know besides (null for nothing), whether `proceed`
 * also opens a new match, whether somebody is away (in words, or null), whether a play is under way.
 *
 * Returns `{show(view), refresh(), refuse(text), reset(), focus(), keys, commands, play(code),
 * outcome(result, seat)}`, the last being a match's result as that seat is told it;
 * `show(view, past)` may be told of past deals (`{deals, count, closed}`: their sheet, the last
 * count, and the last deal whose count its owner has closed); else it remembers them. It answers a
 * promise that is kept when the eye has seen it: the finished trick has lain its moment. `play`
 * answers why not, in words, or nothing.
 */
export function mount(root, bar, table) {
  const say = sentences(table);
  const badge = (code) => cardPoints(code) || null;
  const card = (code) => face(code, { name: table.words.cards[code], badge: badge(code), sprite: table.sprite });
  const where = (view, seat) => PLACES[(seat - view.seat + 4) % 4];

  let view = null;
  let hold = null;
  let armed = null;
  let sent = false;
  let openAt = 0;
  let sheet = [];
  let counted = null;
  let closedDeal = 0;

  set(root, "tabindex", "-1");

  // The bar: deal, trick, score.
  const progress = h("span", { class: "kp-progress" });
  const us = scoreChip("us", gettext("We"));
  const them = scoreChip("them", gettext("They"));
  const heldCount = h("span");
  const heldPoints = h("span", { class: "kp-held", hidden: true }, heldCount, h("span", { class: "kp-wide-only" }, ` ${gettext("held")}`));
  const scoreButton = h("button", { class: "kp-score", type: "button", onclick: () => openScore() }, us.chip, them.chip, heldPoints);
  bar.append(section("score", gettext("Score"), progress, scoreButton));

  // Turn.
  const status = h("p", { class: "kp-status-what" });
  const why = h("p", { class: "kp-status-why" });
  const turn = section("turn", gettext("Turn"), status, why);

  // The felt: seats, trick, stock, piles.
  const seats = new Map();
  const seatList = h("ul", { class: "kp-seats kp-felt-grid", role: "list" });
  const trick = h("ol", { class: "kp-trick kp-felt-grid", role: "list" });
  const nothing = h("p", { class: "kp-sr" }, gettext("No card has been played to this trick."));
  const stockCount = h("span", { class: "kp-stock-count" });
  const stock = h("div", { class: "kp-stock", "data-area": "stock", "aria-hidden": "true", onclick: () => (hold ? hold.end() : choose(DARK)) }, back(), stockCount);
  const slots = PLACES.map((one) => h("div", { class: "kp-slot", "data-area": one, "aria-hidden": "true" }));
  const piles = {
    us: pile("us", gettext("Our pile")),
    them: pile("them", gettext("Their pile")),
  };
  const pileList = h("ul", { class: "kp-piles kp-felt-grid", role: "list" }, piles.us.element, piles.them.element);
  const ghosts = h("div", { class: "kp-ghosts", "aria-hidden": "true" });
  const felt = h(
    "div",
    { class: "kp-felt", onclick: touchFelt },
    h("div", { class: "kp-slots kp-felt-grid" }, ...slots, stock),
    section("seats", gettext("Players"), seatList),
    section("trick", gettext("Trick"), nothing, trick),
    section("piles", gettext("Piles"), pileList),
    ghosts,
  );

  // Your hand, and the buttons.
  const hand = createHand({ ...table, badge }, gettext("Your hand"), choose);
  const dark = h("button", { class: "kp-button kp-button--main", type: "button", onclick: () => choose(DARK) }, gettext("Play in the dark"));
  const go = h("button", { class: "kp-button kp-button--now", type: "button", hidden: true, onclick: () => openCount() });
  const stockText = h("p", { class: "kp-sr" });
  const lastButton = h("button", { class: "kp-button", type: "button", "aria-expanded": "false", onclick: () => toggleLast() }, gettext("Last trick"));
  const lastList = h("ol", { class: "kp-last-cards", role: "list" });
  const lastText = h("p", { class: "kp-last-text" });
  const lastPanel = h("div", { class: "kp-last", hidden: true }, lastText, lastList);
  const actions = h(
    "div",
    { class: "kp-actions" },
    section("stock", gettext("Stock"), stockText, dark, go),
    section("last", gettext("Last trick"), lastButton, lastPanel),
    ...table.extras,
  );
  const sheetBox = h("aside", { class: "kp-sheet", "aria-label": gettext("Match sheet") });

  const countTitle = h("p", { class: "kp-count-title", id: "kp-count-title" });
  const countTable = h("div", { class: "kp-count" });
  const countMore = h("p", { class: "kp-count-more" });
  const proceed = h("button", { class: "kp-button kp-button--now", type: "button", onclick: () => leaveCount(true) });
  const look = h("button", { class: "kp-button", type: "button", onclick: () => leaveCount(false) }, gettext("Look at the table"));
  const countText = h("p", { id: "kp-count-text", hidden: true }); // the table below, as sentences
  const countBox = dialog(gettext("The count"), countTitle, countText, countTable, countMore, h("div", { class: "kp-dialog-buttons" }, proceed, look));
  set(countBox, "aria-describedby", `${countTitle.id} ${countText.id}`);
  countBox.addEventListener("close", () => {
    closedDeal = counted?.deal ?? closedDeal;
    table.countClosed?.(closedDeal);
    (go.hidden ? hand : go).focus();
  });
  const scoreTable = h("div");
  const scoreText = h("p");
  const scoreBox = dialog(
    gettext("Score"),
    scoreText,
    scoreTable,
    h("div", { class: "kp-dialog-buttons" }, h("button", { class: "kp-button", type: "button", onclick: () => scoreBox.close() }, gettext("Close"))),
  );

  root.append(turn, felt, section("hand", gettext("Your hand"), hand.element), actions, sheetBox, countBox, scoreBox);

  function section(key, title, ...content) {
    const heading = h("h2", { class: "kp-sr", id: `kp-h-${key}` }, title);
    return h("section", { class: `kp-part kp-part--${key}`, "aria-labelledby": heading.id }, heading, ...content);
  }

  function scoreChip(which, label) {
    const number = h("span", { class: "kp-chip-number" });
    return { chip: h("span", { class: `kp-chip kp-chip--${which}` }, h("span", { class: "kp-mark" }), `${label} `, number), number };
  }

  function pile(which, label) {
    const count = h("span", { class: "kp-pile-count" });
    const stack = h("span", { class: "kp-pile-stack", "aria-hidden": "true" });
    const element = h("li", { class: "kp-pile", "data-area": `pile-${which}` }, stack, h("span", { class: "kp-pile-label" }, h("span", { class: `kp-mark kp-mark--${which}` }), ` ${label} `, count));
    return { element, stack, count };
  }

  function seatOf(seat) {
    if (!seats.has(seat)) {
      const name = h("bdi", { class: "kp-seat-name" });
      const note = h("span", { class: "kp-seat-note" });
      const cards = h("span", { class: "kp-seat-cards", "aria-hidden": "true" });
      const count = h("span", { class: "kp-sr" });
      const element = h("li", { class: "kp-seat" }, h("span", { class: "kp-seat-head" }, name), note, cards, count);
      seats.set(seat, { element, name, note, cards, count });
    }
    return seats.get(seat);
  }

  // ---- choosing -------------------------------------------------------------------------------

  /** A tap on the table itself: the finished trick goes, what was marked or opened is let go. */
  function touchFelt() {
    hold?.end();
    toggleLast(false);
    if (armed !== null) {
      arm(null);
    }
  }

  /** Play by command: the reason in words when it may not be. */
  function command(code) {
    const no = whyNot(code);
    return no === null ? choose(code) : no;
  }

  function choose(code) {
    const no = whyNot(code);
    if (no !== null) {
      armed = null;
      refuse(no);
    } else if (closed()) {
      // The second tap of a double tap, which meant the card before.
    } else if (table.twice() && code !== armed) {
      arm(code);
    } else {
      armed = null;
      sent = true;
      openAt = performance.now() + DOUBLE_TAP;
      hold?.end();
      toggleLast(false);
      refresh();
      table.play(code);
    }
  }

  /** Whether a play is on its way, or only just made: a press now is a double tap's second. */
  function closed() {
    return sent || performance.now() < openAt;
  }

  /** With "tap twice", the first tap only marks the play. */
  function arm(code) {
    armed = code;
    refresh();
    if (code !== null) {
      table.speak.polite(gettext("Once more to play it."));
    }
  }

  /** Why a play may not be made now, in words; null when it may. */
  function whyNot(code) {
    if (view === null) {
      return gettext("The cards have not come yet.");
    }
    if (view.result) {
      return gettext("The match is over.");
    }
    if (view.turn === null) {
      return gettext("The deal is over.");
    }
    if (view.turn !== view.seat) {
      return gettext("It is not your turn.");
    }
    if (view.legal.includes(code)) {
      return null;
    }
    const ranks = table.words.rankPlurals[view.barred];
    if (code === DARK) {
      return view.stock === 0 ? table.words.refusals["stock-empty"] : fill(table.words.refusals["dark-barred"], { ranks });
    }
    return view.hand.includes(code) ? say.ban(view) : gettext("That card is not in your hand.");
  }

  function refuse(text) {
    sent = false;
    refresh();
    table.speak.alert(text);
    write(why, text);
    turn.classList.add("kp-part--refused");
  }

  // ---- painting -------------------------------------------------------------------------------

  function paint(plays, winner) {
    const mine = side(view.seat);
    const shut = closed();
    const hadFocus = root.contains(document.activeElement);
    write(progress, fill(gettext("Deal %(deal)s · trick %(trick)s"), { deal: view.deal, trick: trickNumber(view) }));
    write(us.number, String(view.score[mine]));
    write(them.number, String(view.score[1 - mine]));
    set(heldPoints, "hidden", view.held === 0);
    write(heldCount, `+${view.held}`);
    set(scoreButton, "aria-label", say.score(view));

    const [what, reason] = say.status(view);
    write(status, what);
    write(why, armed === null ? (table.note() ?? reason) : gettext("Once more to play it."));
    turn.classList.remove("kp-part--refused");
    root.classList.toggle("kp-board--mine", onTurn() === view.seat);

    paintSeats();
    paintTrick(plays, winner);

    write(stockCount, view.stock === 0 ? gettext("empty") : String(view.stock));
    stock.classList.toggle("kp-stock--empty", view.stock === 0);
    stock.classList.toggle("kp-stock--open", !view.result && view.legal.includes(DARK));
    write(stockText, say.stock(view));
    const over = onTurn() === null;
    set(dark, "aria-disabled", (!view.legal.includes(DARK) || shut) && "true");
    dark.classList.toggle("kp-armed", armed === DARK);
    set(dark, "hidden", over);
    set(go, "hidden", !over || counted === null);
    write(go, counted?.result ? gettext("Show the result") : view.result ? gettext("Show the last count") : gettext("Show the count"));
    paintPile(piles.us, view.piles[mine]);
    paintPile(piles.them, view.piles[1 - mine]);
    set(lastButton, "aria-disabled", view.last.length === 0 && "true");
    paintLast();
    paintSheet();
    const drawn = hand.show(view.hand, (code) => handReason(code, shut));
    const has = document.activeElement;
    if (hadFocus && !(root.contains(has) && has.checkVisibility())) {
      hand.focus(); // its button has gone, as "Show the count" does with the next deal
    }
    for (const code of view.hand) {
      hand.button(code).classList.toggle("kp-armed", code === armed);
    }
    if (shut && !sent) {
      setTimeout(refresh, Math.max(0, openAt - performance.now()));
    }
    return drawn;
  }

  /** Paint the same view again, because something besides it has changed. */
  function refresh() {
    if (view !== null) {
      paint(hold?.plays ?? view.trick, hold ? hold.taker : view.winning);
    }
  }

  /** The seat whose play is awaited; nobody's when the deal or the match is over. */
  function onTurn() {
    return view.result ? null : view.turn;
  }

  function handReason(code, shut) {
    if (onTurn() !== view.seat || shut) {
      return { reason: "", barred: false };
    }
    return view.legal.includes(code) ? null : { reason: gettext("may not be led now"), barred: true };
  }

  function paintSeats() {
    const order = [1, 2, 3].map((step) => (view.seat + step) % 4);
    arrange(
      seatList,
      [view.seat, ...order].map((seat) => {
        const parts = seatOf(seat);
        const place = where(view, seat);
        const own = side(seat) === side(view.seat);
        const notes = [];
        if (seat === partner(view.seat)) {
          notes.push(gettext("partner"));
        }
        if (view.dealer === seat) {
          notes.push(gettext("dealer"));
        }
        if (onTurn() === seat) {
          notes.push(gettext("to play"));
        }
        const absence = table.absence?.(seat) ?? null;
        if (absence !== null) {
          notes.push(absence);
        }
        set(parts.element, "data-absent", absence !== null);
        set(parts.element, "data-seat", seat);
        set(parts.element, "data-area", `seat-${place}`);
        set(parts.element, "data-side", own ? "us" : "them");
        set(parts.element, "data-turn", onTurn() === seat);
        set(parts.element, "data-dealer", view.dealer === seat);
        write(parts.name, say.who(view, seat));
        write(parts.note, notes.join(" · "));
        const cards = [...parts.cards.children].slice(0, view.hands[seat]);
        while (cards.length < view.hands[seat]) {
          cards.push(back());
        }
        arrange(parts.cards, cards);
        const held = fill(gettext("Cards in hand: %(count)s."), { count: view.hands[seat] });
        write(parts.count, own ? held : `${gettext("Opponent.")} ${held}`);
        return parts.element;
      }),
    );
  }

  function paintTrick(plays, winner) {
    const old = new Map([...trick.children].map((item) => [item.dataset.card, item]));
    set(nothing, "hidden", plays.length > 0);
    arrange(
      trick,
      plays.map((play, index) => {
        const item = old.get(play.card) ?? played(play, index === 0);
        const wins = play.seat === winner;
        set(item, "data-area", where(view, play.seat));
        item.querySelector(".kp-card").classList.toggle("kp-card--winning", wins);
        write(item.querySelector(".kp-wins"), wins ? gettext("winning") : "");
        return item;
      }),
    );
  }

  function played(play, led) {
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

  function paintPile(parts, count) {
    write(parts.count, String(count));
    const backs = [...parts.stack.children].slice(0, Math.min(3, Math.ceil(count / 8)));
    while (backs.length < Math.min(3, Math.ceil(count / 8))) {
      backs.push(back());
    }
    arrange(parts.stack, backs);
  }

  function paintLast() {
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

  function grid(caption, head, rows) {
    return h(
      "table",
      { class: "kp-grid" },
      h("caption", { class: "kp-sr" }, caption),
      h("thead", {}, h("tr", {}, ...head.map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, ...rows.map(([first, ...rest]) => h("tr", {}, h("th", { scope: "row" }, first), ...rest.map((text) => h("td", {}, String(text)))))),
    );
  }

  function paintSheet() {
    const mine = side(view.seat);
    const rows = sheet.map((one) => [one.deal, one.points[mine], one.points[1 - mine], `${one.score[mine]}–${one.score[1 - mine]}`]);
    const head = [gettext("Deal"), gettext("We"), gettext("They"), gettext("Score")];
    const empty = () => h("p", { class: "kp-quiet" }, gettext("No deal has been counted yet."));
    const filled = () => (rows.length ? grid(gettext("Card points by deal"), head, rows) : empty());
    write(scoreText, say.score(view));
    scoreTable.replaceChildren(filled());
    sheetBox.replaceChildren(h("h2", {}, gettext("Match sheet")), filled(), h("h2", {}, gettext("Card points")), values());
  }

  function values() {
    const list = RANK_ROWS.map((rank) => h("li", {}, h("span", { class: "kp-value-rank" }, table.words.ranks[rank]), h("span", {}, String(cardPoints(rank)))));
    return h("ul", { class: "kp-values", role: "list" }, ...list);
  }

  function openScore() {
    scoreBox.showModal();
  }

  function openCount() {
    if (counted === null || countBox.open) {
      return;
    }
    const mine = side(counted.seat);
    const { counts, points, awarded, score } = counted.count;
    const names = { A: gettext("Aces"), T: gettext("Tens"), K: gettext("Kings"), Q: gettext("Queens"), J: gettext("Jacks") };
    const both = (list) => [list[mine], list[1 - mine]];
    const rows = RANK_ROWS.map((rank) => [names[rank], ...both(counts).map((one) => one[rank])]);
    rows.push([gettext("Card points"), ...both(points)], [gettext("Game points"), ...both(awarded).map((won) => (won ? `+${won}` : "0"))], [gettext("Score"), ...both(score)]);
    write(countBox.querySelector("h2"), counted.result ? gettext("The result") : gettext("The count"));
    write(countTitle, counted.result ? say.outcome(counted) : say.deal(counted));
    write(countText, say.count(counted));
    write(countMore, counted.result ? say.deal(counted) : counted.held ? say.score(counted) : "");
    set(countMore, "hidden", countMore.textContent === "");
    countTable.replaceChildren(grid(gettext("What each pile held"), [gettext("Cards"), gettext("We"), gettext("They")], rows));
    paintCountButtons();
    countBox.showModal();
    (proceed.hidden ? look : proceed).focus({ preventScroll: true });
  }

  /** What goes on from the count: nothing but the table, once somebody has dealt the next deal. */
  function paintCountButtons() {
    const dealt = view.turn !== null || view.deal !== counted.deal;
    write(proceed, dealt ? gettext("To the table") : view.result ? gettext("Play again") : gettext("Next deal"));
    set(proceed, "hidden", !dealt && view.result !== null && !table.again);
    set(look, "hidden", dealt);
  }

  function leaveCount(on) {
    countBox.close();
    if (on && onTurn() === null && (view.result === null || table.again) && view.deal === counted.deal) {
      table.proceed();
    }
  }

  // ---- showing ----------------------------------------------------------------------------------

  /** Where things lie now, for what will move from there. */
  function places() {
    return {
      hand: new Map((view?.hand ?? []).map((code) => [code, place(hand.button(code))])),
      stock: place(stock.firstElementChild),
      seats: new Map([...seats].map(([seat, parts]) => [seat, place(parts.cards.lastElementChild ?? parts.cards)])),
    };
  }

  function source(from, event) {
    if (event.dark) {
      return from.stock;
    }
    return event.seat === view.seat ? (from.hand.get(event.card) ?? from.stock) : (from.seats.get(event.seat) ?? from.stock);
  }

  function arrive(from, events) {
    for (const event of events.filter((one) => one.type === "play")) {
      const item = [...trick.children].find((one) => one.dataset.card === event.card);
      if (item) {
        fly(item.querySelector(".kp-card"), source(from, event), { duration: event.dark ? TIME.dark : TIME.play, flip: event.dark });
      }
    }
  }

  function show(next, past = null) {
    const before = view;
    const events = happened(before, next);
    const holds = table.motion() && before !== null;
    const moves = holds && !still();
    const from = places();
    view = next;
    armed = null;
    sent = table.busy?.() ?? false;
    for (const event of events) {
      const text = say.event(view, event);
      if (text !== null && !(event.type === "draw" && view.turn === null)) {
        table.speak.polite(text);
      }
    }
    if (past !== null) {
      sheet = past.deals.map((one, index) => ({ deal: index + 1, ...one }));
      closedDeal = Math.max(closedDeal, past.closed);
    } else if (view.count !== null && !sheet.some((one) => one.deal === view.deal)) {
      sheet.push({ deal: view.deal, ...view.count });
    }
    const last = view.count ?? past?.count ?? null;
    if (last !== null) {
      const { score, held } = last;
      counted = { seat: view.seat, deal: sheet.length ? sheet.at(-1).deal : view.deal, count: last, score, held, result: view.count ? view.result : null };
    }
    if (countBox.open) {
      paintCountButtons();
    }
    if (onTurn() === view.seat && (before === null || before.turn !== view.turn || events.length > 0)) {
      table.speak.polite(say.prompt(view));
    }

    const done = events.find((event) => event.type === "trick");
    if (hold && !done) {
      // A trick still lies for its moment: everything else is shown at once.
      paint(hold.plays, hold.taker);
      hold.later.push(...events);
      return hold.rest;
    }
    hold?.end();
    if (!done || !holds) {
      const drawn = paint(view.trick, view.winning);
      if (moves) {
        arrive(from, events);
        drawn.forEach((button, index) => draw(button, from, events, index));
      }
      afterwards();
      return Promise.resolve();
    }

    const drawn = paint(view.last, view.taker);
    if (moves) {
      arrive(from, events);
      drawn.forEach((button, index) => draw(button, from, events, index));
    }
    hold = holding(done, events.slice(events.indexOf(done) + 1));
    return hold.rest;
  }

  function draw(button, from, events, index) {
    const dealt = events.some((event) => event.type === "deal");
    fly(button, from.stock, { duration: TIME.draw, delay: dealt ? index * TIME.deal : TIME.play, flip: true });
  }

  /** A finished trick lies a moment, or until tapped; then it is swept to its taker's pile. */
  function holding(done, later) {
    let rested;
    const self = { plays: done.plays, taker: done.seat, later, rest: new Promise((keep) => (rested = keep)), end, drop };
    const timer = setTimeout(end, TIME.play + TIME.hold);
    function end() {
      if (hold !== self) {
        return;
      }
      clearTimeout(timer);
      hold = null;
      const target = place((side(self.taker) === side(view.seat) ? piles.us : piles.them).stack);
      const lying = [...trick.children].map((item) => item.querySelector(".kp-card"));
      const spots = lying.map(place);
      const from = places();
      paint(view.trick, view.winning);
      if (!still()) {
        lying.forEach((one, index) => sweep(ghosts, one.cloneNode(true), spots[index], target, { duration: TIME.sweep }));
        arrive(from, self.later);
      }
      afterwards();
      rested();
    }
    function drop() {
      clearTimeout(timer);
      hold = null;
      rested();
    }
    return self;
  }

  /** The count comes when the last trick has gone, and never on top of another dialog. */
  function afterwards() {
    if (counted === null || counted.deal <= closedDeal || countBox.open) {
      return;
    }
    if (document.querySelector("dialog[open]")) {
      document.addEventListener("close", afterwards, { capture: true, once: true });
    } else {
      table.speak.flush();
      openCount();
    }
  }

  /** Forget everything: what is shown next is another match. */
  function reset() {
    hold?.drop();
    view = null;
    armed = null;
    sent = false;
    sheet = [];
    counted = null;
    closedDeal = 0;
    trick.replaceChildren();
    ghosts.replaceChildren();
  }

  function escape() {
    toggleLast(false);
    arm(null);
    hand.focus();
  }

  const answer = (text) => () => (view === null ? null : text(view));

  return {
    show,
    refresh,
    refuse,
    reset,
    focus: hand.focus,
    play: command,
    outcome: (result, seat) => say.outcome({ result, score: result.score, seat }),
    keys: [
      { key: "1–9", name: "1–9", words: gettext("go to that card of your hand"), run: hand.go },
      { key: "d", name: "D", words: gettext("play in the dark"), run: () => choose(DARK) },
      { key: "l", name: "L", words: gettext("the last trick"), run: () => toggleLast() },
      { key: "s", name: "S", words: gettext("the score"), run: () => openScore() },
      { key: "Escape", name: gettext("Esc"), words: gettext("back to your hand"), run: escape },
    ],
    commands: {
      [gettext("dark")]: () => command(DARK),
      [gettext("hand")]: answer((now) => say.named(now.hand)),
      [gettext("trick")]: answer(say.trick),
      [gettext("last")]: answer(say.last),
      [gettext("stock")]: answer(say.stock),
      [gettext("piles")]: answer(say.piles),
      [gettext("score")]: answer(say.score),
      [gettext("turn")]: answer((now) => say.status(now).join(" ")),
    },
  };
}
