/* Words of the page, from Django's JavaScript catalogue (a classic script before the modules). */

const catalogue = globalThis.django;

export const gettext = (text) => catalogue.gettext(text);
export const pgettext = (context, text) => catalogue.pgettext(context, text);
export const ngettext = (one, many, count) => catalogue.ngettext(one, many, count);

/** `text` with its `%(name)s` filled in. */
export function fill(text, values) {
  return text.replace(/%\((\w+)\)s/g, (whole, name) => (name in values ? String(values[name]) : whole));
}
