/* What a Ristiseiska board says, as sentences: from views to words, and nothing else. */

import { fill, gettext, ngettext } from "./i18n.js";

export const PANTTI = "pantti";
export const STOP = "stop";
export const LOW = ["6", "5", "4", "3", "2", "A"];
export const HIGH = ["8", "9", "T", "J", "Q", "K"];

/** The card that a card of one's hand waits for. */
export function awaited(view, code) {
  return code[0] === "7" ? "7C" : view.waits[code] + code[1];
}

/** All cards that lie in a suit, also those of a finished end, which are face down. */
export function laid(row) {
  const down = row.closed.flatMap((end) => (end === "low" ? LOW : HIGH));
  return [...row.cards, ...down.map((rank) => rank + row.suit)];
}

/**
 * What happened between two views of one seat: events in order, for speech and motion. Exact when
 * one view follows the other; of more the last play, and the cards that came to lie before it.
 */
export function happened(before, view) {
  const fresh = before === null || before.deal !== view.deal || (before.result !== null && view.result === null);
  const events = [];
  if (fresh) {
    events.push({ type: "deal" });
  }
  const known = new Set(fresh ? [] : before.rows.flatMap(laid));
  const cards = fresh && before === null ? [] : view.rows.flatMap(laid).filter((card) => !known.has(card) && card !== view.last?.code);
  events.push(...cards.map((card) => ({ type: "laid", card })));
  if (view.last !== null && (fresh || JSON.stringify(before.last) !== JSON.stringify(view.last))) {
    events.push({ type: "play", ...view.last });
  }
  if (view.count !== null && (fresh || before.count === null)) {
    events.push({ type: "count" });
  }
  return events;
}

/** Sentences of one table: `words` by code, `name(seat)` for everybody but the reader. */
export function sentences({ words, name }) {
  const cards = words.cards;
  const suits = { C: gettext("Clubs"), D: gettext("Diamonds"), H: gettext("Hearts"), S: gettext("Spades") };

  function who(view, seat) {
    return seat === view.seat ? gettext("You") : name(seat);
  }

  function play(view, { seat, code }) {
    const mine = seat === view.seat;
    if (code === PANTTI) {
      return mine ? gettext("You take the pantti.") : fill(gettext("%(name)s takes the pantti."), { name: name(seat) });
    }
    if (code === STOP) {
      return mine ? gettext("You stop.") : fill(gettext("%(name)s stops."), { name: name(seat) });
    }
    return fill(gettext("%(name)s: %(card)s."), { name: who(view, seat), card: cards[code] });
  }

  /** A suit as it lies: "Clubs: six to nine. Low end waits for the five, high end for the ten." */
  function row({ suit, cards: faceUp, low, high, closed }) {
    const order = (card) => [...LOW].reverse().concat("7", HIGH).indexOf(card[0]);
    const lying = [...faceUp].sort((one, other) => order(one) - order(other));
    if (lying.length === 0) {
      return fill(gettext("%(suit)s: nothing yet; waits for the seven."), { suit: suits[suit] });
    }
    const ranks = words.ranks;
    const span = lying.length === 1 ? gettext("%(suit)s: %(first)s.") : gettext("%(suit)s: %(first)s to %(last)s.");
    const lies = fill(span, { suit: suits[suit], first: ranks[lying[0][0]], last: ranks[lying.at(-1)[0]] });
    const next = { low: ranks[low], high: ranks[high] };
    if (low !== null && high !== null) {
      return `${lies} ${fill(gettext("Low end waits for the %(low)s, high end for the %(high)s."), next)}`;
    }
    const ends = [
      closed.includes("low") ? gettext("Low end finished.") : low && fill(gettext("Low end waits for the %(low)s."), next),
      closed.includes("high") ? gettext("High end finished.") : high && fill(gettext("High end waits for the %(high)s."), next),
    ];
    return [lies, ...ends].filter(Boolean).join(" ");
  }

  function rows(view) {
    return view.rows.map(row).join(" ");
  }

  /** Who has the pantti, and what it costs. */
  function pantti(view) {
    const values = { points: view.pantti };
    if (view.holder === null) {
      return fill(gettext("Nobody has the pantti. It costs %(points)s points."), values);
    }
    return view.holder === view.seat
      ? fill(gettext("You have the pantti: %(points)s points, if you still have it when somebody goes out."), values)
      : fill(gettext("%(name)s has the pantti: %(points)s points."), { ...values, name: name(view.holder) });
  }

  /** What is awaited and from whom, and why: two sentences. */
  function status(view) {
    if (view.result) {
      return [outcome(view), reason(view) ?? gettext("The match is over.")];
    }
    if (view.turn === null) {
      return [gettext("The deal is over."), deal(view)];
    }
    const last = view.last ? play(view, view.last) : gettext("The seven of clubs begins.");
    if (view.turn !== view.seat) {
      const text = view.extra ? gettext("%(name)s may play one more card, or stop.") : gettext("%(name)s to play.");
      return [fill(text, { name: name(view.turn) }), last];
    }
    if (view.extra) {
      return [gettext("Your turn: one more card, or stop."), fits(view)];
    }
    if (view.legal[0] === PANTTI) {
      return [gettext("Your turn: nothing fits."), gettext("Take the pantti.")];
    }
    return [gettext("Your turn."), `${last} ${fits(view)}`];
  }

  function fits(view) {
    const count = view.legal.filter((code) => code in cards).length;
    return fill(ngettext("%(count)s of your cards fits.", "%(count)s of your cards fit.", count), { count });
  }

  function prompt(view) {
    return status(view)[0];
  }

  /** How the deal ended. */
  function deal(view) {
    const { winner, points } = view.count;
    return winner === view.seat
      ? gettext("You went out: no points for you.")
      : fill(gettext("%(name)s went out. You pay %(points)s."), { name: name(winner), points: points[view.seat] });
  }

  function reason(view) {
    const { reason: why, seat } = view.result;
    if (why === "left") {
      return seat === view.seat ? gettext("You left the table.") : fill(gettext("%(name)s left the table."), { name: name(seat) });
    }
    if (why === "tie") {
      return gettext("The lowest total is shared.");
    }
    return why === "closed" ? gettext("The table was closed by a moderator.") : null;
  }

  /** How the match ended. */
  function outcome(view) {
    const { result } = view;
    if (result.outcome === "draw") {
      return gettext("The match is a draw.");
    }
    const points = result.score[result.winner];
    return result.winner === view.seat
      ? fill(gettext("You have won the match with %(points)s points!"), { points })
      : fill(gettext("%(name)s has won the match with %(points)s points."), { name: name(result.winner), points });
  }

  /** What each seat had left and pays, for a screen reader. */
  function count(view) {
    return view.count.points.map((points, seat) => fill(gettext("%(name)s: %(points)s, in all %(total)s."), { name: who(view, seat), points: paid(view, seat) ?? points, total: view.count.totals[seat] })).join(" ");
  }

  /** A payment with the pantti apart, "10 + 21"; null when the hands are not known any more. */
  function paid(view, seat) {
    const left = view.left?.[seat];
    if (!left) {
      return null;
    }
    return left.pantti ? `${left.cards} + ${left.pantti}` : String(left.cards);
  }

  function score(view) {
    const totals = view.score.map((total, seat) => fill(gettext("%(name)s %(total)s"), { name: who(view, seat), total })).join(", ");
    const tie = view.tie === "extra-deal" ? gettext("A shared lowest total means one more deal.") : gettext("A shared lowest total is a draw.");
    const text = ngettext("Points: %(totals)s. The lowest total after %(deals)s deal wins.", "Points: %(totals)s. The lowest total after %(deals)s deals wins.", view.length);
    return `${fill(text, { totals, deals: view.length })} ${tie}`;
  }

  function held(view, seat) {
    const text = fill(gettext("Cards in hand: %(count)s."), { count: view.hands[seat] });
    return view.holder === seat ? `${text} ${gettext("Has the pantti.")}` : text;
  }

  function named(codes) {
    return codes.map((code) => cards[code]).join(", ");
  }

  /** Why a card does not fit yet. */
  function waits(view, code) {
    return fill(gettext("waits for the %(card)s"), { card: cards[awaited(view, code)] });
  }

  function event(view, one) {
    switch (one.type) {
      case "deal":
        return fill(gettext("Deal %(deal)s. %(name)s dealt."), { deal: view.deal, name: who(view, view.dealer) });
      case "laid":
        return fill(gettext("Laid meanwhile: %(card)s."), { card: cards[one.card] });
      case "play":
        return play(view, one);
      default:
        return null; // the count is a dialog's own text
    }
  }

  return { who, held, named, status, prompt, row, rows, pantti, deal, outcome, count, paid, score, waits, event, after: () => "" };
}
