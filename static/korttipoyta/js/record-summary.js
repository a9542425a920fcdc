/* A match in a few numbers: who won, the points by deal as a small chart with its table, what was remarkable. */

import { grid } from "./board.js";
import { face } from "./cards.js";
import { h } from "./dom.js";
import { fill, gettext, ngettext } from "./i18n.js";

/** "Aino and Sara", in the reader's language. */
export function listed(names) {
  return new Intl.ListFormat(document.documentElement.lang, { type: "conjunction" }).format(names);
}

/** Those who play for themselves: the sides, each by its people, or the seats. */
export function parties(told, name) {
  const seats = Array.from({ length: told.seats }, (_nothing, seat) => seat);
  return told.sides ? Array.from({ length: told.sides }, (_nothing, side) => listed(seats.filter((seat) => seat % told.sides === side).map(name))) : seats.map(name);
}

/** How the match ended, in a sentence. */
export function outcome(told, name) {
  const { result } = told;
  if (result === null) {
    return gettext("A match that was not finished");
  }
  if (result.outcome === "draw") {
    return { left: gettext("A draw: somebody left the table"), closed: gettext("A draw: the table was closed"), tie: gettext("A draw: the lowest total is shared") }[result.reason] ?? gettext("A draw");
  }
  const score = told.sides ? [result.score[result.winner], ...result.score.filter((_points, side) => side !== result.winner)].join("–") : result.score[result.winner];
  const many = told.sides && told.seats > told.sides ? 2 : 1;
  const text = told.sides ? ngettext("%(who)s won, %(score)s", "%(who)s won, %(score)s", many) : gettext("%(who)s won with %(score)s points");
  return fill(text, { who: parties(told, name)[result.winner], score });
}

/** The elements of the summary. `table`: `{words, sprite, name(seat)}`. */
export function summaryOf(told, table) {
  const { summary } = told;
  const who = parties(told, table.name);
  if (summary.points.length === 0) {
    const none = told.deals.every((count) => count.unfinished);
    return [none ? h("p", { class: "kp-quiet" }, gettext("No deal was played to its end.")) : null, facts(told, table)].filter(Boolean);
  }
  return [chart(told, who), table_(told, who), facts(told, table)].filter(Boolean);
}

// ---- the chart ----------------------------------------------------------------------------------

function chart(told, who) {
  const { points } = told.summary;
  const whole = points[0][0] + points[0][1];
  const shared = told.sides === 2 && whole > 0 && points.every(([one, two]) => one + two === whole);
  const top = shared ? whole : Math.max(1, ...points.flat());
  const columns = points.map((paid, deal) =>
    h("div", { class: "kp-chart-deal" }, h("span", { class: "kp-chart-bars" }, ...paid.map((value, party) => bar(value, party, top, shared))), h("span", { class: "kp-chart-number" }, String(deal + 1))),
  );
  const legend = h("ul", { class: "kp-chart-legend", role: "list" }, ...who.map((name, party) => h("li", {}, h("span", { class: "kp-chart-mark", "data-party": party, "aria-hidden": "true" }), h("bdi", {}, name))));
  const picture = h("div", { class: `kp-chart ${shared ? "kp-chart--shared" : "kp-chart--each"}`, role: "img", "aria-label": gettext("Points by deal, as in the table that follows") }, ...columns);
  const words = told.sides ? gettext("Card points by deal") : gettext("Points paid by deal: fewer are better");
  return h("figure", { class: "kp-figure" }, h("figcaption", {}, h("h3", {}, words)), legend, h("div", { class: "kp-chart-scroll", role: "region", tabindex: "0", "aria-label": words }, picture));
}

function bar(value, party, top, shared) {
  const none = value === 0 || (shared && value / top < 0.1); // too low for its number, which the table has
  const one = h("span", { class: "kp-chart-bar", "data-party": party, "data-none": none }, h("span", { class: "kp-chart-value" }, String(value)));
  one.style.setProperty("--part", value / top);
  return one;
}

function table_(told, who) {
  const { points, scores } = told.summary;
  const rows = points.map((paid, deal) => [deal + 1, ...paid, scores[deal].join("–")]);
  const head = [gettext("Deal"), ...who, told.sides ? gettext("Score") : gettext("Totals")];
  return h("details", { class: "kp-details" }, h("summary", {}, gettext("The same as a table")), h("div", { class: "kp-numbers-scroll", role: "region", tabindex: "0", "aria-label": gettext("Points by deal") }, grid(gettext("Points by deal"), head, rows)));
}

// ---- what was remarkable ------------------------------------------------------------------------

function facts(told, table) {
  const list = [...tricks(told, table), ...rows(told, table)];
  return list.length ? h("dl", { class: "kp-marks" }, ...list.map(([title, ...said]) => h("div", { class: "kp-mark-box" }, h("dt", {}, title), h("dd", {}, ...said)))) : null;
}

function bySeat(counts, name) {
  return h("ul", { class: "kp-mark-list", role: "list" }, ...counts.map((count, seat) => h("li", {}, h("bdi", {}, name(seat)), " ", h("span", {}, String(count)))));
}

function tricks({ summary }, { words, sprite, name }) {
  if (!("dark" in summary)) {
    return [];
  }
  const { richest, dark, bans, bit } = summary;
  const found = [];
  if (richest !== null) {
    const cards = richest.cards.map((code) => face(code, { name: words.cards[code], sprite }));
    const text = ngettext("%(points)s point for %(name)s, in trick %(trick)s of deal %(deal)s.", "%(points)s points for %(name)s, in trick %(trick)s of deal %(deal)s.", richest.points);
    found.push([gettext("The richest trick"), h("span", { class: "kp-mark-cards" }, ...cards), h("span", {}, fill(text, { ...richest, name: name(richest.seat) }))]);
  }
  const all = dark.reduce((sum, one) => sum + one, 0);
  found.push([gettext("In the dark"), h("strong", { class: "kp-mark-number" }, String(all)), h("span", {}, ngettext("play from the stock", "plays from the stock", all)), bySeat(dark, name)]);
  const times = bans ? fill(ngettext("A rank was barred once; the ban bit when the leader held such a card: %(bit)s.", "A rank was barred %(bans)s times; the ban bit when the leader held such a card: %(bit)s.", bans), { bans, bit }) : gettext("No rank was ever led three times running.");
  found.push([gettext("The ban"), h("strong", { class: "kp-mark-number" }, String(bit)), h("span", {}, times)]);
  return found;
}

function rows({ summary }, { name }) {
  if (!("panttis" in summary)) {
    return [];
  }
  const { out, panttis, extras, dearest } = summary;
  const found = [
    [gettext("Deals won, by going out"), bySeat(out, name)],
    [gettext("The pantti, taken so often"), bySeat(panttis, name)],
    [gettext("One more card, after an ace or a king"), bySeat(extras, name)],
  ];
  if (dearest !== null) {
    found.push([gettext("The dearest deal"), h("strong", { class: "kp-mark-number" }, String(dearest.points)), h("span", {}, fill(gettext("Paid by %(name)s, in deal %(deal)s."), { ...dearest, name: name(dearest.seat) }))]);
  }
  return found;
}
