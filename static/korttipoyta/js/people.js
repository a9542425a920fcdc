/* The people at a table: who is here, my name, my seat elsewhere, muting, a seat that is lost. */

import { copyField, dialog, h, set, write } from "./dom.js";
import { fill, gettext, ngettext } from "./i18n.js";
import { awayWords, inviteAddress } from "./lobby.js";

/**
 * The dialog "People". `table`: `{page, words, snapshot(), here(), name(seat), side(seat), muted(seat),
 * mute(seat, on), report(seat), send(message)}`. Returns `{open(), refresh(), refused(of, text)}`.
 */
export function createPeople(parent, table) {
  const list = h("ul", { class: "kp-people", role: "list" });
  const name = h("input", { class: "kp-input", id: "kp-my-name", type: "text", maxlength: table.page.nameLength, autocomplete: "nickname", spellcheck: "false" });
  const problem = h("p", { class: "kp-chat-problem", role: "alert" });
  const rename = h(
    "form",
    { class: "kp-people-name", onsubmit: takeName },
    h("label", { for: name.id }, gettext("My name")),
    name,
    h("button", { class: "kp-button", type: "submit" }, gettext("Change")),
  );
  const pause = h("button", { class: "kp-button", type: "button", "aria-pressed": "false", onclick: () => table.send({ type: "pause", on: pause.getAttribute("aria-pressed") !== "true" }) }, gettext("I am back in a minute"));
  const picture = h("img", { class: "kp-qr", alt: gettext("QR code of my return link"), width: "180", height: "180", loading: "lazy" });
  const address = h("input", { class: "kp-input", type: "text", readonly: true, value: table.page.comeBack, "aria-label": gettext("My return link"), onfocus: () => address.select() });
  const copied = h("span", { class: "kp-lobby-copied", role: "status" });
  const elsewhere = h(
    "details",
    { class: "kp-people-return", ontoggle: showWayBack },
    h("summary", { class: "kp-button" }, gettext("My seat on another device")),
    h("p", {}, gettext("Open this link where you want to go on: your seat moves there, and this page stops playing. Keep it to yourself: whoever has it gets your cards.")),
    address,
    h("p", { class: "kp-lobby-buttons" }, h("button", { class: "kp-button", type: "button", onclick: () => copyField(address, copied) }, gettext("Copy my return link")), copied),
    picture,
  );
  const box = dialog(
    gettext("People at the table"),
    list,
    rename,
    problem,
    h("p", { class: "kp-menu-row" }, pause),
    elsewhere,
    h("div", { class: "kp-dialog-buttons" }, h("button", { class: "kp-button kp-button--now", type: "button", onclick: () => box.close() }, gettext("Back to the table"))),
  );
  parent.append(box);

  function showWayBack() {
    set(picture, "src", table.page.comeBackCode);
    elsewhere.scrollIntoView({ block: "start" });
  }

  function takeName(event) {
    event.preventDefault();
    write(problem, "");
    table.send({ type: "rename", name: name.value });
  }

  function refresh() {
    const snapshot = table.snapshot();
    if (!box.open || snapshot === null) {
      return;
    }
    const focused = document.activeElement?.dataset.key;
    list.replaceChildren(...snapshot.seats.map((seat, index) => person(snapshot, seat, index)));
    const again = [...list.querySelectorAll("[data-key]")].find((one) => one.dataset.key === focused);
    again?.focus();
    set(pause, "aria-pressed", String(Boolean(table.here()?.[snapshot.you]?.pause)));
  }

  function person(snapshot, seat, index) {
    const notes = [index === snapshot.you ? gettext("you") : null, table.side(index), seat.taken ? presence(index, snapshot) : null].filter(Boolean);
    const parts = [h("p", { class: "kp-people-who" }, h("bdi", { class: "kp-people-called" }, table.name(index)), h("span", { class: "kp-lobby-notes" }, notes.join(" · ")))];
    if (seat.taken && index !== snapshot.you) {
      const muted = table.muted(index);
      parts.push(h("button", { class: "kp-button", type: "button", "aria-pressed": String(muted), "data-key": `mute ${index}`, onclick: () => table.mute(index, !muted) }, gettext("Mute for me"), h("span", { class: "kp-sr" }, ` (${table.name(index)})`)));
      parts.push(table.report(index));
    }
    const lost = lostSeat(snapshot, seat, index);
    const secret = snapshot.status === "playing" ? snapshot.invites?.[index] : null;
    return h("li", { class: "kp-people-person" }, ...parts, ...(lost ? [lost] : []), ...(secret ? [newInvite(index, secret)] : []));
  }

  /** The keeper of the invites sends a seat's new link on. */
  function newInvite(index, secret) {
    const field = h("input", { class: "kp-input", type: "text", readonly: true, value: inviteAddress(table.page, index, secret), "aria-label": fill(gettext("Link for %(seat)s"), { seat: fill(gettext("Guest %(number)s"), { number: index }) }), onfocus: () => field.select() });
    const done = h("span", { class: "kp-lobby-copied", role: "status" });
    return h("div", { class: "kp-people-lost" }, field, h("p", { class: "kp-lobby-buttons" }, h("button", { class: "kp-button", type: "button", "data-key": `copy ${index}`, onclick: () => copyField(field, done) }, gettext("Copy")), done));
  }

  function presence(index, snapshot) {
    const state = table.here()?.[index];
    if (index === snapshot.you || !state) {
      return null;
    }
    return [state.pause ? gettext("back in a minute") : null, state.here ? gettext("here") : awayWords(state.since)].filter(Boolean).join(" · ");
  }

  /** During a match: a seat that is away may be given a new invite, if the others all want it. */
  function lostSeat(snapshot, seat, index) {
    const away = table.here()?.[index]?.here === false;
    if (snapshot.status !== "playing" || snapshot.seats.length < 3 || index === snapshot.you || !seat.taken || !away) {
      return null;
    }
    const to = `reissue:${index}`;
    const mine = snapshot.seats[snapshot.you].agrees === to;
    const others = snapshot.seats.map((_seat, one) => one).filter((one) => one !== index && snapshot.seats[one].taken);
    const agreed = others.filter((one) => snapshot.seats[one].agrees === to);
    const words = agreed.length
      ? fill(gettext("For a new invite: %(names)s. Everybody else who is here must agree."), { names: agreed.map(table.name).join(", ") })
      : gettext("If this person cannot come back, all others who are here can agree on a new invite. The seat and its cards then go to whoever opens it.");
    return h(
      "div",
      { class: "kp-people-lost" },
      h("p", { class: "kp-quiet" }, words),
      h("button", { class: "kp-button", type: "button", "aria-pressed": String(mine), "data-key": `lost ${index}`, onclick: () => table.send({ type: "agree", to: mine ? "" : to }) }, gettext("I agree to a new invite"), h("span", { class: "kp-sr" }, ` (${table.name(index)})`)),
    );
  }

  return {
    open() {
      write(problem, "");
      box.showModal();
      name.value = table.snapshot()?.seats[table.snapshot().you].name ?? "";
      refresh();
    },
    refresh,
    refused(text) {
      write(problem, text);
      return box.open;
    },
  };
}
