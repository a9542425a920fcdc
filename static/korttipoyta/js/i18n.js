/* Words of the page, from Django's JavaScript catalogue (a classic script before the modules). */

const catalogue = globalThis.django;

export const gettext = (text) => catalogue.gettext(text);
export const pgettext = (context, text) => catalogue.pgettext(context, text);
export const ngettext = (one, many, count) => catalogue.ngettext(one, many, count);

/** Why something was refused: the sentence of its reason, with the cards of its facts by name. */
export function refusal(words, reason, facts = {}) {
  const named = Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, words.cards[value] ?? value]));
  return fill(words.refusals[reason] ?? words.refusals.fault, { ...named, ranks: words.rankPlurals[facts.rank] });
}

/** `text` with its `%(name)s` filled in. */
export function fill(text, values) {
  return text.replace(/%\((\w+)\)s/g, (whole, name) => (name in values ? String(values[name]) : whole));
}
