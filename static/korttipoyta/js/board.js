/* What the boards of all games share: turn, hand, choosing a play, players, score and count. */

import { back, face, place } from "./cards.js";
import { arrange, dialog, h, set, write } from "./dom.js";
import { gettext } from "./i18n.js";

const DOUBLE_TAP = 300;

let ids = 0; // a record shows several boards on one page

/** A part of the board under a heading that screen readers find. */
export function section(key, title, ...content) {
  const heading = h("h2", { class: "kp-sr", id: `kp-h-${key}-${(ids += 1)}` }, title);
  return h("section", { class: `kp-part kp-part--${key}`, "aria-labelledby": heading.id }, heading, ...content);
}

/** A table of numbers; the first of each row is its heading. The last `sums` rows are in bold. */
export function grid(caption, head, rows, sums = 0) {
  return h(
    "table",
    { class: "kp-grid" },
    h("caption", { class: "kp-sr" }, caption),
    h("thead", {}, h("tr", {}, ...head.map((text) => h("th", { scope: "col" }, text)))),
    h("tbody", {}, ...rows.map(([first, ...rest], index) => h("tr", { class: index >= rows.length - sums ? "kp-sum" : null }, h("th", { scope: "row" }, first), ...rest.map((text) => h("td", {}, text instanceof Node ? text : String(text)))))),
  );
}

/** Backs of cards in `parent`, as many as `count`. */
export function backs(parent, count) {
  const cards = [...parent.children].slice(0, count);
  while (cards.length < count) {
    cards.push(back());
  }
  arrange(parent, cards);
}

/**
 * Your hand: a toolbar of native buttons with one tab stop, updated without ever losing focus.
 * `choose(code)` is called for every press, also of a card that may not be played (the board answers
 * why). Returns `{element, show, focus, go, button}`.
 */
function createHand(table, label, choose) {
  const buttons = new Map();
  let cards = [];
  let current = null;

  const element = h("div", {
    class: "kp-hand",
    role: "toolbar",
    "aria-label": label,
    onkeydown: move,
    onfocusin: (event) => stop(event.target.dataset.code ?? current),
  });

  function move(event) {
    const at = cards.indexOf(current);
    const last = cards.length - 1;
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey || last < 0) {
      return;
    }
    event.preventDefault();
    const code = cards[(to + cards.length) % cards.length];
    stop(code);
    buttons.get(code).focus();
  }

  /** Make `code` the one tab stop. */
  function stop(code) {
    current = code;
    for (const [one, button] of buttons) {
      set(button, "tabindex", one === code ? "0" : "-1");
    }
  }

  function make(code) {
    const button = face(code, {
      name: table.words.cards[code],
      tag: "button",
      badge: table.badge(code),
      sprite: table.sprite,
    });
    button.type = "button";
    button.addEventListener("click", () => choose(code));
    return button;
  }

  return {
    element,

    /**
     * Show these cards. `why(code)`: null for a card that may be played now; otherwise
     * `{reason, barred}`, `reason` being the words to add to the card's name.
     * Returns the buttons that were not there before.
     */
    show(next, why) {
      const focused = document.activeElement;
      const lost = buttons.get(current) === focused && !next.includes(current);
      const at = cards.indexOf(current);
      const drawn = next.filter((code) => !cards.includes(code));
      for (const code of cards.filter((one) => !next.includes(one))) {
        buttons.delete(code);
      }
      for (const code of drawn) {
        buttons.set(code, make(code));
      }
      if (!next.includes(current)) {
        // The neighbour that slid into its place; a card just drawn never takes the focus.
        const kept = next.filter((code) => !drawn.includes(code));
        current = kept[Math.min(Math.max(at, 0), kept.length - 1)] ?? next[0] ?? null;
      }
      cards = [...next];
      element.style.setProperty("--n", cards.length);
      element.style.setProperty("--half", Math.ceil(cards.length / 2));
      set(element, "data-many", cards.length > 12);
      arrange(element, cards.map((code) => buttons.get(code)));
      for (const code of cards) {
        const button = buttons.get(code);
        const no = why(code);
        const name = table.words.cards[code];
        set(button, "aria-disabled", no !== null && "true");
        set(button, "aria-label", no?.reason ? `${name}, ${no.reason}` : name);
        button.classList.toggle("kp-card--barred", no?.barred === true);
      }
      stop(current);
      if (lost && current !== null) {
        buttons.get(current).focus();
      }
      return drawn.map((code) => buttons.get(code));
    },

    /** Put the focus on the hand. */
    focus() {
      buttons.get(current)?.focus();
    },

    /** Put the focus on the card at this place, counted from 1. */
    go(number) {
      buttons.get(cards[number - 1])?.focus();
    },

    button: (code) => buttons.get(code),
  };
}

/**
 * Make a board's frame in `root` and `bar`. `table` is what the page offers every board:
 * `{words, sprite, name(seat), speak, sound(...names), motion(), twice(), note(), play(code), proceed(), again,
 * extras, countClosed(deal), absence(seat), busy(), rules, rulesShort, handName}`: whether things take their time, whether a
 * card wants a second tap, what the reader should know besides (null for nothing), whether `proceed`
 * also opens a new match, whether somebody is away (in words, or null), whether a play is under way,
 * the options it is played under in one line, and (`rulesShort`) in a shorter one, what the hand is called if not "Your hand".
 *
 * `game` is what a game adds: `say` (its sentences: `who, held, named, status, prompt, score, deal,
 * count, after, outcome, event`), `happened(before, view)`, `badge(code)`, `progress(view)`, `chips` and `paintScore(view)`,
 * `reason(view, code)` (why its rules do not allow a play), `unplayable(view, code)` (what to add to a
 * card's name then, and whether it is `barred`), `notes(view, seat)`, `side(view, seat)`, `spot(view,
 * seat)`, `order(view)` (the hand, if not as the view has it), `count(counted)` (the rows of a finished deal),
 * `afterCount(count)` (what of it belongs to the score), `sheet(view, deals)` and `legend(view)`,
 * `paint(shut)`, `arrive(change)` (show what has changed; a promise for when the eye has seen it), `places()`
 * (where its own things lie, for what moves), `touched()` (a play is made: end what still lies), `clear()`,
 * `escape()` (let go of what is open), `keys`, `commands`.
 */
export function createBoard(root, bar, table, game) {
  const { say } = game;
  let view = null;
  let armed = null;
  let refused = null;
  let sent = false;
  let openAt = 0;
  let deals = [];
  let counted = null;
  let closedDeal = 0;
  let prompted = ""; // what was last said of the reader's turn

  set(root, "tabindex", "-1");

  // The bar: where the match stands.
  const progress = h("span", { class: "kp-progress" });
  // Its name is what it shows, which is what people say to a computer that listens; the sentence describes it.
  const scoreText = h("p", { id: `kp-score-text-${(ids += 1)}` });
  const scoreButton = h(
    "button",
    { class: "kp-score", type: "button", "aria-describedby": scoreText.id, onclick: () => openScore() },
    h("span", { class: "kp-sr" }, `${gettext("Score")}:`),
    ...game.chips.flatMap((chip) => [" ", chip]),
  );
  // Where there is no room for the match sheet, what is played is told in short.
  const rulesShort = table.rulesShort ? h("p", { class: "kp-rules-short" }, h("span", { class: "kp-sr" }, gettext("Rules:")), " ", table.rulesShort) : null;
  bar.append(section("score", gettext("Score"), progress, scoreButton, rulesShort));

  // Whose turn it is.
  const status = h("p", { class: "kp-status-what" });
  const why = h("p", { class: "kp-status-why" });
  const turn = section("turn", gettext("Turn"), status, why);

  // The players, the hand, the way on.
  const handName = table.handName ?? gettext("Your hand");
  const seats = new Map();
  const seatList = h("ul", { class: "kp-seats", role: "list" });
  const hand = createHand({ ...table, badge: game.badge }, handName, choose);
  const go = h("button", { class: "kp-button kp-button--now", type: "button", hidden: true, onclick: () => openCount() });
  const sheetBox = h("aside", { class: "kp-sheet", "aria-label": gettext("Match sheet") });

  // The count of a deal.
  const countTitle = h("p", { class: "kp-count-title" });
  const countTable = h("div", { class: "kp-count" });
  const countMore = h("p", { class: "kp-count-more" });
  const proceed = h("button", { class: "kp-button kp-button--now", type: "button", onclick: () => leaveCount(true) });
  const look = h("button", { class: "kp-button", type: "button", onclick: () => leaveCount(false) }, gettext("Look at the table"));
  const countText = h("p", { hidden: true }); // the table below, as sentences
  const countBox = dialog(gettext("The count"), countTitle, countText, countTable, countMore, h("div", { class: "kp-dialog-buttons" }, proceed, look));
  countBox.classList.add("kp-dialog--count");
  countBox.addEventListener("close", () => {
    closedDeal = counted?.deal ?? closedDeal;
    table.countClosed?.(closedDeal);
    (go.hidden ? hand : go).focus();
  });

  // The score.
  const scoreTable = h("div");
  const scoreBox = dialog(
    gettext("Score"),
    scoreText,
    scoreTable,
    h("div", { class: "kp-dialog-buttons" }, h("button", { class: "kp-button", type: "button", onclick: () => scoreBox.close() }, gettext("Close"))),
  );

  /** Put the frame's parts and the game's own, `felt` and `actions`, on the page. */
  function build(felt, actions) {
    root.append(turn, felt, section("hand", handName, hand.element), actions, sheetBox, countBox, scoreBox);
  }

  // ---- choosing -------------------------------------------------------------------------------

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
      refused = null;
      sent = true;
      openAt = performance.now() + DOUBLE_TAP;
      table.speak.forget(prompted);
      game.touched();
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
    if (armed === code) {
      return;
    }
    armed = code;
    refused = null;
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
    return view.legal.includes(code) ? null : game.reason(view, code);
  }

  function refuse(text) {
    sent = false;
    refused = text;
    refresh();
    table.speak.alert(text);
  }

  // ---- painting -------------------------------------------------------------------------------

  /** The seat whose play is awaited; nobody's when the deal or the match is over. */
  function onTurn() {
    return view.result ? null : view.turn;
  }

  /** Paint the view; the buttons of cards that are new in the hand. */
  function paint() {
    const shut = closed();
    const hadFocus = root.contains(document.activeElement);
    write(progress, game.progress(view));
    game.paintScore(view);

    const [what, reason] = say.status(view);
    write(status, what);
    write(why, refused ?? (armed === null ? (table.note() ?? reason) : gettext("Once more to play it.")));
    turn.classList.toggle("kp-part--refused", refused !== null);
    root.classList.toggle("kp-board--mine", onTurn() === view.seat);

    paintSeats();
    game.paint(shut);
    set(go, "hidden", onTurn() !== null || counted === null);
    write(go, counted?.result ? gettext("Show the result") : view.result ? gettext("Show the last count") : gettext("Show the count"));
    paintSheet();
    const drawn = hand.show(game.order?.(view) ?? view.hand, (code) => handReason(code, shut));
    const has = document.activeElement;
    if (hadFocus && !(root.contains(has) && has.checkVisibility())) {
      (view.hand.length ? hand : go).focus(); // its button has gone, as "Show the count" does with the next deal
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
      paint();
    }
  }

  function handReason(code, shut) {
    if (onTurn() !== view.seat || shut) {
      return { reason: "", barred: false };
    }
    return view.legal.includes(code) ? null : game.unplayable(view, code);
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

  /** Write what there is to note of a seat, `[kind, text]` each: a narrow screen gives each a line of its own. */
  function note(parent, notes) {
    if (parent.textContent !== notes.map(([, text]) => text).join(" · ")) {
      parent.replaceChildren(...notes.map(([kind, text], index) => h("span", { "data-note": kind }, index ? h("span", { class: "kp-seat-dot" }, " · ") : null, text)));
    }
  }

  function paintSeats() {
    const all = view.hands.length;
    const order = Array.from({ length: all }, (_nothing, step) => (view.seat + step) % all);
    arrange(
      seatList,
      order.map((seat) => {
        const parts = seatOf(seat);
        const absence = table.absence?.(seat) ?? null;
        const notes = [
          ...game.notes(view, seat).map((text) => ["game", text]),
          ["dealer", view.dealer === seat && gettext("dealer")],
          ["turn", onTurn() === seat && gettext("to play")],
          ["absence", absence],
        ];
        set(parts.element, "data-absent", absence !== null);
        set(parts.element, "data-seat", seat);
        set(parts.element, "data-area", `seat-${game.spot(view, seat)}`);
        set(parts.element, "data-side", game.side(view, seat));
        set(parts.element, "data-turn", onTurn() === seat);
        set(parts.element, "data-dealer", view.dealer === seat);
        write(parts.name, say.who(view, seat));
        note(parts.note, notes.filter(([, text]) => text));
        backs(parts.cards, view.hands[seat]);
        set(parts.cards, "data-count", view.hands[seat]);
        write(parts.count, say.held(view, seat));
        return parts.element;
      }),
    );
  }

  // ---- score and count --------------------------------------------------------------------------

  function paintSheet() {
    const [caption, head, rows] = game.sheet(view, deals);
    const filled = () => (rows.length ? grid(caption, head, rows) : h("p", { class: "kp-quiet" }, gettext("No deal has been counted yet.")));
    write(scoreText, say.score(view));
    scoreTable.replaceChildren(filled(), ...rules());
    sheetBox.replaceChildren(h("h2", {}, gettext("Match sheet")), filled(), ...game.legend(view), ...rules());
  }

  /** The options this table plays under. */
  function rules() {
    return table.rules ? [h("p", { class: "kp-rules-line" }, table.rules)] : [];
  }

  function openScore() {
    scoreBox.showModal();
  }

  function openCount() {
    if (counted === null || countBox.open) {
      return;
    }
    paintCount();
    countBox.showModal();
    (proceed.hidden ? look : proceed).focus({ preventScroll: true });
  }

  function paintCount() {
    write(countBox.querySelector("h2"), counted.result ? gettext("The result") : gettext("The count"));
    write(countTitle, counted.result ? say.outcome(counted) : say.deal(counted));
    write(countText, say.count(counted));
    write(countMore, counted.result ? say.deal(counted) : (say.after(counted)));
    set(countMore, "hidden", countMore.textContent === "");
    countTable.replaceChildren(...game.count(counted));
    paintCountButtons();
  }

  /** What goes on from the count: nothing but the table, once somebody has dealt the next deal. */
  function paintCountButtons() {
    const dealt = view.turn !== null || view.deal !== counted.deal;
    write(proceed, dealt ? gettext("To the table") : view.result ? gettext("Play again") : gettext("Next deal"));
    set(proceed, "hidden", !dealt && view.result !== null && !table.again);
    set(look, "hidden", dealt);
  }

  function leaveCount(on) {
    closedDeal = counted?.deal ?? closedDeal; // at once: a dialog tells that it is closed only later
    countBox.close();
    if (on && onTurn() === null && (view.result === null || table.again) && view.deal === counted.deal) {
      table.proceed();
    }
  }

  /** The count comes when all has been seen, and never on top of another dialog. */
  function afterwards() {
    if (counted === null || counted.deal <= closedDeal || countBox.open) {
      return;
    }
    if (document.querySelector("dialog[open]")) {
      document.addEventListener("close", afterwards, { capture: true, once: true });
    } else {
      openCount();
      table.speak.flush(); // into the dialog: what led to it is heard in it
    }
  }

  // ---- showing ----------------------------------------------------------------------------------

  /** Where cards lie now, for what will move from there. A card that was drawn and is not painted yet lies nowhere. */
  function places() {
    const lying = (view?.hand ?? []).filter((code) => hand.button(code));
    return {
      hand: new Map(lying.map((code) => [code, place(hand.button(code))])),
      seats: new Map([...seats].map(([seat, parts]) => [seat, place(parts.cards.lastElementChild ?? parts.cards)])),
    };
  }

  function show(next, past = null) {
    const before = view;
    const events = game.happened(before, next);
    const from = { ...places(), ...game.places?.() };
    view = next;
    armed = null;
    refused = null;
    sent = table.busy?.() ?? false;
    if (onTurn() !== view.seat) {
      table.speak.forget(prompted);
    }
    for (const event of events) {
      const text = say.event(view, event);
      if (text !== null) {
        table.speak.polite(text, topic(event));
      }
    }
    if (past !== null) {
      deals = past.deals.map((one, index) => ({ deal: index + 1, ...one }));
      closedDeal = Math.max(closedDeal, past.closed);
    } else if (view.count !== null && !deals.some((one) => one.deal === view.deal)) {
      deals.push({ deal: view.deal, ...view.count });
    }
    const last = view.count ?? past?.count ?? null;
    const number = deals.at(-1)?.deal ?? view.deal;
    if (view.count !== null || (last !== null && counted?.deal !== number)) {
      counted = { ...view, deal: number, count: last, ...game.afterCount(last), result: view.count ? view.result : null };
    } else if (past?.count) {
      counted = { ...counted, count: last, ...game.afterCount(last) }; // somebody has conceded since
    }
    if (countBox.open) {
      paintCount();
    }
    const mine = onTurn() === view.seat && (before === null || before.turn !== view.turn || events.length > 0);
    if (mine) {
      table.speak.forget(prompted);
      prompted = say.prompt(view);
      table.speak.polite(prompted, "turn");
    }
    table.sound?.(...sounds(before, events), ...(mine ? ["turn"] : []));
    return game.arrive({ before, events, from });
  }

  /** What the words for an event are about, as `announce.js` has it. */
  function topic(event) {
    const mine = event.seat === view.seat;
    return event.type === "play" && mine ? "own" : event.type === "draw" ? "turn" : "play";
  }

  /** The one sound for what has happened, if there is one. */
  function sounds(before, events) {
    const types = new Set(events.map((event) => event.type));
    if (before === null) {
      return []; // a page that is opened has heard nothing
    }
    if (view.result && !before.result) {
      return ["end"];
    }
    return ["trick", "play"].filter((type) => types.has(type)).slice(0, 1);
  }

  /** Forget everything: what is shown next is another match. */
  function reset() {
    game.clear();
    view = null;
    armed = null;
    sent = false;
    deals = [];
    counted = null;
    closedDeal = 0;
  }

  function escape() {
    game.escape?.();
    arm(null);
    hand.focus();
  }

  const answer = (text) => () => (view === null ? null : text(view));

  return {
    // for the game
    build,
    hand,
    seatList,
    go,
    choose,
    command,
    arm,
    armed: () => armed,
    view: () => view,
    onTurn,
    paint,
    places,
    afterwards,
    answer,

    // for the page
    show,
    refresh,
    refuse,
    reset,
    focus: hand.focus,
    play: command,
    outcome: (result, seat) => say.outcome({ result, score: result.score, seat }),
    keys: [
      { key: "1–9", name: "1–9", words: gettext("go to that card of your hand"), run: hand.go },
      ...game.keys,
      { key: "s", name: "S", words: gettext("the score"), run: () => openScore() },
      { key: "Escape", name: gettext("Esc"), words: gettext("back to your hand"), run: escape },
    ],
    commands: {
      ...game.commands,
      [gettext("hand")]: answer((now) => say.named(now.hand)),
      [gettext("score")]: answer(say.score),
      [gettext("turn")]: answer((now) => say.status(now).join(" ")),
    },
  };
}
