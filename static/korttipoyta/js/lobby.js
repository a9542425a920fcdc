/* The table before the first deal: who sits where, and the host's invites. */

import { arrange, h, set, write } from "./dom.js";
import { fill, gettext } from "./i18n.js";

/**
 * Draw the lobby into `root`. `table`: `{page, sides, name(snapshot, seat), speak}`, `page` holding
 * the addresses. Returns `{show(snapshot)}`. A seat's row is kept as long as its invite is the same,
 * so that a link being copied is not pulled from under the finger.
 */
export function createLobby(root, table) {
  const title = h("h2", { class: "kp-lobby-title" });
  const words = h("p", { class: "kp-lobby-words" });
  const list = h("ol", { class: "kp-lobby-seats", role: "list" });
  const rows = new Map();
  root.append(title, words, list);

  function show(snapshot) {
    const missing = snapshot.seats.filter((seat) => !seat.taken).length;
    const host = snapshot.you === 0;
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
    const key = JSON.stringify([seat, secret]);
    if (rows.get(index)?.key !== key) {
      rows.set(index, { key, element: make(snapshot, seat, index, secret) });
    }
    return rows.get(index).element;
  }

  function make(snapshot, seat, index, secret) {
    const mine = index === snapshot.you;
    const name = seat.taken ? table.name(snapshot, index) : gettext("Empty");
    const role = index === 0 ? gettext("Host") : fill(gettext("Guest %(number)s"), { number: index });
    const side = table.sides ? (index % 2 ? gettext("side two") : gettext("side one")) : null;
    const notes = [mine ? gettext("you") : null, seat.name && seat.taken ? role : null, side].filter(Boolean).join(" · ");
    const parts = [];
    if (secret !== null) {
      parts.push(invite(index, secret, role));
    } else if (snapshot.you === 0 && !mine) {
      parts.push(form(index, gettext("Free this seat"), role));
    }
    return h(
      "li",
      { class: `kp-lobby-seat${seat.taken ? " kp-lobby-seat--taken" : ""}`, "data-side": index % 2 ? "them" : "us" },
      h("p", { class: "kp-lobby-who" }, h("span", { class: `kp-mark kp-mark--${index % 2 ? "them" : "us"}` }), h("bdi", { class: "kp-lobby-name" }, seat.taken ? name : `${role}: ${name}`), h("span", { class: "kp-lobby-notes" }, notes)),
      ...parts,
    );
  }

  function invite(index, secret, role) {
    const address = new URL(table.page.seats[index].invite.replace("SIGNATURE", secret), location.href).href;
    const field = h("input", { class: "kp-input", type: "text", readonly: true, value: address, "aria-label": fill(gettext("Link for %(seat)s"), { seat: role }), onfocus: () => field.select() });
    const copied = h("span", { class: "kp-lobby-copied", role: "status" });
    const copy = h("button", { class: "kp-button kp-button--now", type: "button", onclick: put }, h("span", {}, gettext("Copy")), h("span", { class: "kp-sr" }, ` (${role})`));

    async function put() {
      try {
        await navigator.clipboard.writeText(address);
        write(copied, gettext("Copied."));
      } catch {
        field.select(); // plain http has no clipboard
        write(copied, gettext("The link is marked: copy it with your keyboard or a long press."));
      }
    }

    const share = h("button", { class: "kp-button", type: "button", hidden: !navigator.share, onclick: () => navigator.share({ title: document.title, url: address }).catch(() => null) }, gettext("Share"), h("span", { class: "kp-sr" }, ` (${role})`));
    const picture = h("img", { class: "kp-qr", alt: fill(gettext("QR code of the link for %(seat)s"), { seat: role }), width: "180", height: "180", loading: "lazy" });
    const code = h("details", { class: "kp-lobby-qr", ontoggle: () => set(picture, "src", `${table.page.seats[index].qr}?${encodeURIComponent(secret.slice(0, 6))}`) }, h("summary", { class: "kp-button" }, gettext("QR code"), h("span", { class: "kp-sr" }, ` (${role})`)), picture);
    return h("div", { class: "kp-lobby-invite" }, field, h("div", { class: "kp-lobby-buttons" }, copy, share, code, form(index, gettext("New link"), role)), copied);
  }

  function form(index, label, role) {
    return h(
      "form",
      { class: "kp-lobby-form", method: "post", action: table.page.seats[index].renew },
      h("input", { type: "hidden", name: "csrfmiddlewaretoken", value: table.page.csrf }),
      h("button", { class: "kp-button", type: "submit" }, label, h("span", { class: "kp-sr" }, ` (${role})`)),
    );
  }

  return { show };
}
