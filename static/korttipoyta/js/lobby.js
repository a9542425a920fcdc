/* The table before the first deal: who sits where, and the host's invites. */

import { arrange, copyField, dialog, h, set, write } from "./dom.js";
import { fill, gettext, ngettext, pgettext } from "./i18n.js";

/** Since when somebody is away, in words. `since` is ISO 8601, or null for never here. */
export function awayWords(since) {
  const minutes = since === null ? null : Math.floor((Date.now() - Date.parse(since)) / 60000);
  if (minutes === null || minutes < 1) {
    return gettext("away");
  }
  if (minutes < 60) {
    return fill(ngettext("away for %(count)s minute", "away for %(count)s minutes", minutes), { count: minutes });
  }
  const hours = Math.floor(minutes / 60);
  return fill(ngettext("away for %(count)s hour", "away for %(count)s hours", hours), { count: hours });
}

/** The address of a seat's invite; its secret part comes with the snapshot. */
export function inviteAddress(page, index, secret) {
  return new URL(page.seats[index].invite.replace("SIGNATURE", secret), location.href).href;
}

/**
 * Draw the lobby into `root`. `table`: `{page, side(seat), name(snapshot, seat), absence(seat), speak}`,
 * `page` holding the addresses. Returns `{show(snapshot), focus()}`. A seat's row is kept as long as its invite
 * is the same, so that a link being copied is not pulled from under the finger; the focus stays with
 * a row that is made anew.
 */
export function createLobby(root, table) {
  const title = h("h2", { class: "kp-lobby-title", tabindex: "-1" });
  const words = h("p", { class: "kp-lobby-words" });
  const list = h("ol", { class: "kp-lobby-seats", role: "list" });
  const rows = new Map();
  root.append(title, words, ...(table.page.rules ? [h("p", { class: "kp-lobby-words" }, table.page.rules)] : []), list);

  function show(snapshot) {
    const missing = snapshot.seats.filter((seat) => !seat.taken).length;
    const host = Boolean(snapshot.invites);
    write(title, missing === 0 ? gettext("Everybody is here.") : gettext("Waiting for your friends"));
    write(
      words,
      host
        ? gettext("Send each link to one friend. The cards are dealt when the last seat is claimed.")
        : gettext("The host has the links. The cards are dealt when the last seat is claimed."),
    );
    arrange(
      list,
      snapshot.seats.map((seat, index) => row(snapshot, seat, index)),
    );
  }

  function row(snapshot, seat, index) {
    const secret = snapshot.invites?.[index] ?? null;
    const key = JSON.stringify([seat, secret, Boolean(snapshot.invites), table.absence(index)]);
    const old = rows.get(index);
    if (old?.key === key) {
      return old.element;
    }
    const element = make(snapshot, seat, index, secret);
    const focused = old?.element.contains(document.activeElement);
    old?.element.replaceWith(element);
    if (focused) {
      (element.querySelector("button") ?? element.querySelector(".kp-lobby-who")).focus();
    }
    rows.set(index, { key, element });
    return element;
  }

  function make(snapshot, seat, index, secret) {
    const mine = index === snapshot.you;
    const role = index === 0 ? gettext("Host") : fill(gettext("Guest %(number)s"), { number: index });
    const inside = index === 0 ? pgettext("after a name", "host") : fill(pgettext("after a name", "guest %(number)s"), { number: index });
    const partner = table.page.sides === 2 && !mine && index % 2 === snapshot.you % 2 ? gettext("your partner") : null;
    const notes = [mine ? gettext("you") : null, partner, seat.name && seat.taken ? inside : null, table.side(index), seat.taken ? table.absence(index) : pgettext("a seat", "empty")].filter(Boolean).join(" · ");
    const parts = [];
    if (secret !== null) {
      parts.push(invite(seat, index, secret, role));
    } else if (snapshot.invites && !mine) {
      parts.push(form(seat, index, gettext("Free this seat"), table.name(snapshot, index), ask));
    }
    return h(
      "li",
      { class: `kp-lobby-seat${seat.taken ? " kp-lobby-seat--taken" : ""}`, "data-side": table.page.sides ? (index % 2 ? "them" : "us") : null },
      h("p", { class: "kp-lobby-who", tabindex: "-1" }, table.page.sides ? h("span", { class: `kp-mark kp-mark--${index % 2 ? "them" : "us"}` }) : null, h("bdi", { class: "kp-lobby-name" }, seat.taken ? table.name(snapshot, index) : role), h("span", { class: "kp-lobby-notes" }, notes)),
      ...parts,
    );
  }

  function invite(seat, index, secret, role) {
    const address = inviteAddress(table.page, index, secret);
    const field = h("input", { class: "kp-input", type: "text", readonly: true, value: address, "aria-label": fill(gettext("Link for %(seat)s"), { seat: role }), onfocus: () => field.select() });
    const copied = h("span", { class: "kp-lobby-copied", role: "status" });
    const copy = h("button", { class: "kp-button kp-button--now", type: "button", onclick: () => copyField(field, copied) }, h("span", {}, gettext("Copy")), h("span", { class: "kp-sr" }, ` (${role})`));

    const share = h("button", { class: "kp-button", type: "button", hidden: !navigator.share, onclick: () => navigator.share({ title: document.title, url: address }).catch(() => null) }, gettext("Share"), h("span", { class: "kp-sr" }, ` (${role})`));
    const picture = h("img", { class: "kp-qr", alt: fill(gettext("QR code of the link for %(seat)s"), { seat: role }), width: "180", height: "180", loading: "lazy" });
    const code = h("details", { class: "kp-lobby-qr", ontoggle: () => set(picture, "src", `${table.page.seats[index].qr}?${seat.turnover}`) }, h("summary", { class: "kp-button" }, gettext("QR code"), h("span", { class: "kp-sr" }, ` (${role})`)), picture);
    return h("div", { class: "kp-lobby-invite" }, field, h("div", { class: "kp-lobby-buttons" }, copy, share, code, form(seat, index, gettext("New link"), role, renew)), copied);
  }

  /** What is sent keeps the page where it is: the next snapshot brings the new link. */
  async function post(made) {
    const answer = await fetch(made.action, { method: "POST", body: new FormData(made) }).catch(() => null);
    if (!answer?.ok) {
      table.speak.alert(answer ? gettext("The table has changed meanwhile. Look, and do it again if you still want to.") : gettext("No connection. Try again when it is back."));
    }
    return answer?.ok ?? false;
  }

  async function renew(event) {
    event.preventDefault();
    if (await post(event.target)) {
      table.speak.polite(gettext("There is a new link; the old one is worthless now."));
    }
  }

  const askedTitle = h("p");
  const askBox = dialog(
    gettext("Free this seat?"),
    askedTitle,
    h(
      "div",
      { class: "kp-dialog-buttons" },
      h("button", { class: "kp-button kp-button--now", type: "button", onclick: () => askBox.close() }, gettext("No")),
      h("button", { class: "kp-button", type: "button", onclick: () => askBox.close("free") }, gettext("Free it")),
    ),
  );
  root.append(askBox);

  function ask(event) {
    event.preventDefault();
    const made = event.target;
    write(askedTitle, fill(gettext("%(name)s loses the seat, and you get a new link for it."), { name: made.dataset.name }));
    askBox.returnValue = "";
    askBox.addEventListener("close", () => askBox.returnValue === "free" && post(made), { once: true });
    askBox.showModal();
  }

  function form(seat, index, label, role, onsubmit) {
    return h(
      "form",
      { class: "kp-lobby-form", method: "post", action: table.page.seats[index].renew, "data-name": role, onsubmit },
      h("input", { type: "hidden", name: "csrfmiddlewaretoken", value: table.page.csrf }),
      h("input", { type: "hidden", name: "turnover", value: seat.turnover }),
      h("input", { type: "hidden", name: "taken", value: seat.taken ? "1" : "" }),
      h("button", { class: "kp-button", type: "submit" }, label, h("span", { class: "kp-sr" }, ` (${role})`)),
    );
  }

  return { show, focus: () => title.focus() };
}
