/* What a Ristikontra board says, as sentences: from views to words, and nothing else. */

import { fill, gettext, ngettext } from "./i18n.js";

const VALUES = { A: 11, T: 10, K: 4, Q: 3, J: 2 };
const COUNTED = ["A", "T", "K", "Q", "J"];

/** What each rank counts at this table; house rules may have other values. */
export const valuesOf = (view) => view.values ?? VALUES;
export const cardPoints = (view, code) => valuesOf(view)[code[0]] ?? 0;
/** Whether the score is card points added up, rather than game points. */
export const addsUp = (view) => (view.goal ?? 7) > 7;
export const partner = (seat) => (seat + 2) % 4;
export const side = (seat) => seat % 2;

const ours = (view) => side(view.seat);
const theirs = (view) => 1 - ours(view);
const trickPoints = (view, plays) => plays.reduce((sum, play) => sum + cardPoints(view, play.card), 0);
const upper = (text) => text.charAt(0).toLocaleUpperCase() + text.slice(1);

/** The number of the trick in progress, or of the last one when the deal is over. */
export function trickNumber(view) {
  const done = (view.piles[0] + view.piles[1]) / 4;
  return view.turn === null ? done : done + 1;
}

/**
 * What happened between two views of one seat: events in order, for speech and motion. Exact when
 * one view follows the other; the newest things only when some were missed.
 */
export function happened(before, view) {
  const fresh = before === null || before.deal !== view.deal || before.result !== null && view.result === null;
  const events = [];
  if (fresh) {
    events.push({ type: "deal" });
  }
  const done = (view.piles[0] + view.piles[1]) / 4;
  const known = fresh ? done : (before.piles[0] + before.piles[1]) / 4;
  const drawn = fresh ? [] : view.hand.filter((code) => !before.hand.includes(code));
  const plays = (list) =>
    list.flatMap((play) => [
      { type: "play", ...play },
      ...(play.seat === view.seat ? drawn.splice(0).map((card) => ({ type: "draw", card })) : []),
    ]);
  if (done > known) {
    const missed = done - known === 1 ? view.last.slice(before.trick.length) : [];
    events.push(...plays(missed), { type: "trick", seat: view.taker, plays: view.last });
    events.push(...plays(view.trick));
  } else {
    events.push(...plays(view.trick.slice(fresh ? 0 : before.trick.length)));
  }
  if (view.barred !== null && (fresh || before.barred !== view.barred)) {
    events.push({ type: "ban" });
  }
  if (view.count !== null && (fresh || before.count === null)) {
    events.push({ type: "count" });
  }
  return events;
}

/** Sentences of one table: `words` by code, `name(seat)` for everybody but the reader. */
export function sentences({ words, name }) {
  const cards = words.cards;

  function who(view, seat) {
    return seat === view.seat ? gettext("You") : name(seat);
  }

  function play(view, { seat, card, dark }) {
    const values = { name: who(view, seat), card: cards[card] };
    return fill(dark ? gettext("%(name)s, from the stock: %(card)s.") : gettext("%(name)s: %(card)s."), values);
  }

  function taken(view, seat) {
    if (seat === view.seat) {
      return gettext("You take the trick.");
    }
    return seat === partner(view.seat)
      ? fill(gettext("%(name)s and you take the trick."), { name: name(seat) })
      : fill(gettext("%(name)s takes the trick."), { name: name(seat) });
  }

  function took(view) {
    return view.taker === view.seat
      ? gettext("You took the last trick.")
      : fill(gettext("%(name)s took the last trick."), { name: name(view.taker) });
  }

  /** Who is winning the trick, and how much lies in it. */
  function wins(view, count = 0) {
    const mine = view.winning === view.seat;
    const values = { count, name: mine ? "" : name(view.winning) };
    if (count === 0) {
      return mine ? gettext("You are winning.") : fill(gettext("%(name)s is winning."), values);
    }
    const text = mine
      ? ngettext("You are winning: %(count)s point in the trick.", "You are winning: %(count)s points in the trick.", count)
      : ngettext("%(name)s is winning: %(count)s point in the trick.", "%(name)s is winning: %(count)s points in the trick.", count);
    return fill(text, values);
  }

  function ban(view) {
    return fill(gettext("%(ranks)s may not be led now: the last three tricks were led with them."), {
      ranks: upper(words.rankPlurals[view.barred]),
    });
  }

  /** The line that says what is awaited and from whom, and the one that says why. */
  function status(view) {
    if (view.result) {
      return [outcome(view), reason(view) ?? gettext("The match is over.")];
    }
    if (view.turn === null) {
      return [deal(view), gettext("The deal has been counted.")];
    }
    const mine = view.turn === view.seat;
    if (view.trick.length === 0) {
      return [
        mine ? gettext("Your turn: you lead.") : fill(gettext("%(name)s leads."), { name: name(view.turn) }),
        view.barred ? ban(view) : view.last.length === 0 ? gettext("The first trick of the deal.") : took(view),
      ];
    }
    const led = fill(gettext("Led: %(rank)s."), { rank: words.ranks[view.trick[0].card[0]] });
    const turn = mine ? gettext("Your turn.") : fill(gettext("%(name)s to play."), { name: name(view.turn) });
    return [`${turn} ${led}`, wins(view, trickPoints(view, view.trick))];
  }

  /** What the one on turn is told: the status, less what has just been said of the last trick. */
  function prompt(view) {
    const [what, why] = status(view);
    return view.trick.length === 0 && !view.barred ? what : `${what} ${why}`;
  }

  /** One side's pile in words: "1 ace, 2 tens, 0 kings …". */
  function pile(counts) {
    const phrases = {
      A: (n) => ngettext("%(count)s ace", "%(count)s aces", n),
      T: (n) => ngettext("%(count)s ten", "%(count)s tens", n),
      K: (n) => ngettext("%(count)s king", "%(count)s kings", n),
      Q: (n) => ngettext("%(count)s queen", "%(count)s queens", n),
      J: (n) => ngettext("%(count)s jack", "%(count)s jacks", n),
    };
    return COUNTED.map((rank) => fill(phrases[rank](counts[rank]), { count: counts[rank] })).join(", ");
  }

  /** Who won the deal, and what for. */
  function deal(view) {
    const { points, awarded, held } = view.count;
    if (!awarded) {
      const values = { us: points[ours(view)], them: points[theirs(view)] };
      return [fill(gettext("Card points of this deal: you %(us)s, they %(them)s."), values), ...explained(view)].join(" ");
    }
    if (points[0] === points[1]) {
      return fill(
        ngettext(
          "%(half)s–%(half)s: nobody scores, and %(count)s game point is held for the next winner.",
          "%(half)s–%(half)s: nobody scores, and %(count)s game points are held for the next winner.",
          held,
        ),
        { half: points[0], count: held },
      );
    }
    if (view.options?.sweep === "wipe" && view.count.tricks.includes(13)) {
      const wiped = points[ours(view)] ? gettext("All thirteen tricks for your side: the others drop to zero.") : gettext("All thirteen tricks for the other side: you drop to zero.");
      const paid = awarded[0] + awarded[1];
      return paid ? `${wiped} ${fill(ngettext("%(count)s game point that was held is paid.", "%(count)s game points that were held are paid.", paid), { count: paid })}` : wiped;
    }
    const won = awarded[ours(view)] > 0;
    const count = awarded[won ? ours(view) : theirs(view)];
    const text = won
      ? ngettext("Your side wins the deal: %(count)s game point.", "Your side wins the deal: %(count)s game points.", count)
      : ngettext(
          "The other side wins the deal: %(count)s game point.",
          "The other side wins the deal: %(count)s game points.",
          count,
        );
    return fill(text, { count });
  }

  /** Why a match ended before its end; null when it was played out. */
  function reason(view) {
    const { reason: why, seat } = view.result;
    if (why === "left") {
      return seat === view.seat ? gettext("You left the table.") : fill(gettext("%(name)s left the table."), { name: name(seat) });
    }
    return why === "closed" ? gettext("The table was closed by a moderator.") : null;
  }

  /** How the match ended. */
  function outcome(view) {
    if (view.result.outcome === "draw") {
      return gettext("The match is a draw.");
    }
    const { score } = view.result.score ? view.result : view;
    const values = { us: score[ours(view)], them: score[theirs(view)] };
    return view.result.winner === ours(view)
      ? fill(gettext("You have won the match, %(us)s to %(them)s!"), values)
      : fill(gettext("You have lost the match, %(us)s to %(them)s."), values);
  }

  /** The cards of a list, named. */
  function named(codes) {
    return codes.map((code) => cards[code]).join(", ");
  }

  /** What lies on the table, in words. */
  function trick(view) {
    if (view.trick.length === 0) {
      return gettext("No card has been played to this trick.");
    }
    return `${view.trick.map((one) => play(view, one)).join(" ")} ${wins(view)}`;
  }

  /** The last trick and whose it was, in words. */
  function last(view) {
    if (view.last.length === 0) {
      return gettext("No trick has been taken in this deal yet.");
    }
    return `${view.last.map((one) => play(view, one)).join(" ")} ${taken(view, view.taker)}`;
  }

  function stock(view) {
    return fill(ngettext("%(count)s card in the stock.", "%(count)s cards in the stock.", view.stock), { count: view.stock });
  }

  function piles(view) {
    return fill(gettext("Cards in our pile: %(us)s. In their pile: %(them)s."), {
      us: view.piles[ours(view)],
      them: view.piles[theirs(view)],
    });
  }

  /** The count of a deal as one text, less its title. */
  function count(view) {
    const lines = [ours(view), theirs(view)].map((one, index) => {
      const points = view.count.points[one];
      const text =
        index === 0
          ? ngettext("Your pile: %(count)s card point. %(pile)s.", "Your pile: %(count)s card points. %(pile)s.", points)
          : ngettext("Their pile: %(count)s card point. %(pile)s.", "Their pile: %(count)s card points. %(pile)s.", points);
      return fill(text, { count: points, pile: pile(view.count.counts[one]) });
    });
    return [view.result ? deal(view) : null, ...lines, score(view)].filter(Boolean).join(" ");
  }

  function score(view) {
    const text = fill(gettext("Score: you %(us)s, they %(them)s."), {
      us: view.score[ours(view)],
      them: view.score[theirs(view)],
    });
    if (addsUp(view)) {
      return `${text} ${fill(gettext("The match goes to %(goal)s."), { goal: view.goal })}`;
    }
    const held = ngettext("%(count)s game point is held.", "%(count)s game points are held.", view.held);
    return view.held ? `${text} ${fill(held, { count: view.held })}` : text;
  }

  /** What to say of one event; null for what needs no words. */
  function event(view, one) {
    switch (one.type) {
      case "deal":
        return fill(gettext("Deal %(deal)s. %(name)s dealt."), { deal: view.deal, name: who(view, view.dealer) });
      case "play":
        return play(view, one);
      case "trick":
        return taken(view, one.seat);
      case "draw":
        return view.turn === null ? null : fill(gettext("You drew: %(card)s."), { card: cards[one.card] });
      case "ban":
        return view.turn === view.seat ? null : ban(view); // the leader hears it with the turn
      default:
        return null; // the count is a dialog's own text
    }
  }

  /** How many cards somebody holds. */
  function held(view, seat) {
    const cards = fill(gettext("Cards in hand: %(count)s."), { count: view.hands[seat] });
    return side(seat) === ours(view) ? cards : `${gettext("Opponent.")} ${cards}`;
  }

  /** What there is to say after a count besides it: points that are held. */
  function after(view) {
    return view.held ? score(view) : "";
  }

  /** How Cleaning counted each side, step by step; nothing in other games. */
  function explained(view) {
    if (!view.explained) {
      return [];
    }
    return [ours(view), theirs(view)].flatMap((which) => {
      const { dirtied, cleaned, dropped } = view.explained[which];
      const mine = which === ours(view);
      const steps = [];
      if (dirtied !== null) {
        steps.push(fill(mine ? gettext("Your side got dirty in trick %(trick)s.") : gettext("The other side got dirty in trick %(trick)s."), { trick: dirtied }));
      }
      if (dirtied !== null && cleaned === null) {
        steps.push(mine ? gettext("Your side was not cleaned and earns nothing.") : gettext("The other side was not cleaned and earns nothing."));
      } else if (dirtied !== null) {
        steps.push(fill(mine ? gettext("Your side was cleaned in trick %(trick)s.") : gettext("The other side was cleaned in trick %(trick)s."), { trick: cleaned }));
      }
      if (dropped) {
        steps.push(mine ? gettext("Your side has ten points or fewer in its pile: its score drops to zero.") : gettext("The other side has ten points or fewer in its pile: its score drops to zero."));
      }
      return steps;
    });
  }

  /** Whether a side is dirty, in Cleaning; null in other games and for a clean side without a mark. */
  function dirt(view, which) {
    return view.dirty ? (view.dirty[which] ? gettext("dirty") : gettext("clean")) : null;
  }

  return { explained, dirt, who, held, after, taken, ban, status, prompt, deal, outcome, count, score, named, trick, last, stock, piles, event };
}
