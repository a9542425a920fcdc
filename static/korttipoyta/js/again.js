/* After the match: how it ended, the earlier ones at this table, and another one with the same seats. */

import { arrange, h, set, write } from "./dom.js";
import { fill, gettext, ngettext } from "./i18n.js";

/**
 * Draw it into `root`. `table`: `{page, name(seat), here(), outcome(outcome, you) -> words,
 * send(message)}`. Returns `{show(snapshot)}`; it hides itself while a match is played.
 */
export function createAgain(root, table) {
  const words = h("p", { class: "kp-again-words" });
  const record = h("a", { class: "kp-button" }, gettext("Record of the match"));
  const earlier = h("ol", { class: "kp-again-earlier" });
  const past = h("details", { class: "kp-again-past", hidden: true }, h("summary", {}, gettext("Earlier matches at this table")), earlier);
  const yes = h("button", { class: "kp-button kp-button--now", type: "button", onclick: () => table.send({ type: "agree", to: yes.getAttribute("aria-pressed") === "true" ? "" : "again" }) });
  const votes = h("p", { class: "kp-again-votes" });
  const away = h("div", { class: "kp-again-away" });
  const fresh = h("a", { class: "kp-button", href: table.page.fresh }, gettext("New table"));
  root.append(h("h2", { class: "kp-sr" }, gettext("After the match")), words, h("div", { class: "kp-again-buttons" }, yes, record, fresh), votes, away, past);

  function show(snapshot) {
    const over = snapshot !== null && snapshot.status === "over" && snapshot.outcome.outcome !== "closed";
    set(root, "hidden", !over);
    if (!over) {
      return;
    }
    write(words, table.outcome(snapshot.outcome, snapshot.you));
    const held = snapshot.seats.map((_seat, index) => index).filter((index) => snapshot.seats[index].taken);
    const agreed = held.filter((index) => snapshot.seats[index].agrees === "again");
    const mine = agreed.includes(snapshot.you);
    set(yes, "aria-pressed", String(mine));
    set(yes, "hidden", snapshot.outcome.reason === "closed"); // by a moderator, for good
    write(yes, gettext("Again with the same seats"));
    set(record, "hidden", !snapshot.commitment);
    set(record, "href", recordOf(snapshot.sitting));
    write(votes, agreed.length ? votesWords(agreed, held) : "");
    arrange(away, mine ? held.filter((index) => !agreed.includes(index) && table.here()?.[index]?.here === false).map((index) => giveAway(snapshot, index)) : []);
    const before = snapshot.earlier ?? [];
    set(past, "hidden", before.length === 0);
    arrange(earlier, before.map((one, index) => h("li", {}, table.outcome(one, snapshot.you), " ", h("a", { href: recordOf(index + 1) }, gettext("Record")))));
  }

  function recordOf(sitting) {
    return table.page.record.replace(/\b0\/(?=\?|$)/, `${sitting}/`);
  }

  function votesWords(agreed, held) {
    const missing = held.filter((index) => !agreed.includes(index));
    const said = fill(ngettext("%(names)s says yes.", "%(names)s say yes.", agreed.length), { names: agreed.map(table.name).join(", ") });
    return missing.length ? `${said} ${fill(gettext("Still to say yes: %(names)s."), { names: missing.map(table.name).join(", ") })}` : said;
  }

  function giveAway(snapshot, index) {
    return h(
      "form",
      { method: "post", action: table.page.seats[index].renew },
      h("input", { type: "hidden", name: "csrfmiddlewaretoken", value: table.page.csrf }),
      h("input", { type: "hidden", name: "turnover", value: snapshot.seats[index].turnover }),
      h("input", { type: "hidden", name: "taken", value: "1" }),
      h("button", { class: "kp-button", type: "submit" }, fill(gettext("%(name)s is away: give the seat a new invite"), { name: table.name(index) })),
    );
  }

  return { show };
}
