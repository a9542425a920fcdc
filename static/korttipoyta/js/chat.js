/* The chat of a table: lines once and in order, whatever the connection does. */

import { arrange, h, set, write } from "./dom.js";
import { fill, gettext, ngettext } from "./i18n.js";

const RESEND = 4000; // a line unanswered so long is sent again, which is harmless: it has a name
const NOTICES = {
  taken: gettext("%(name)s has sat down."),
  conceded: gettext("%(name)s's side owns up to signalling and loses two game points."),
  closed: gettext("A moderator has closed this table. %(words)s"),
  muted: gettext("A moderator has muted %(name)s."),
  unmuted: gettext("%(name)s may write again."),
  renamed: gettext("A moderator has renamed a seat: %(name)s."),
  reissued: gettext("The seat of %(name)s was given up. %(keeper)s has the new link for it."),
  reissuedByMe: gettext("The seat of %(name)s was given up. You have the new link for it: menu, “People and my seat”."),
};

/**
 * Draw the chat into `root`; `button` opens it where it is folded. `table`: `{name(seat, name), now(seat),
 * side(seat), you(), speak, send(message), muted(line), length, notices, report, back()}`; `notices` adds words for
 * lines that tell what happened, `report` makes the button that reports a line. Returns `{hear(message, fresh), refused(id, text), said(),
 * refresh(), resend(), open()}`.
 */
export function createChat(root, button, table) {
  const lines = new Map(); // by number
  const unsent = new Map(); // by what this page calls them
  const notices = { ...NOTICES, ...table.notices };
  const gaps = new Set(); // numbers of lines before which some were missed
  let heard = 0;
  let unread = 0;
  let open = false;

  const empty = h("p", { class: "kp-quiet kp-chat-empty" }, gettext("Everybody at the table reads everything. Nothing has been said yet."));
  const list = h("ol", { role: "list" });
  const log = h("div", { class: "kp-chat-lines", role: "log", "aria-live": "off", "aria-label": gettext("What has been said"), tabindex: "0" }, list);
  const field = h("input", { class: "kp-input kp-chat-field", type: "text", maxlength: table.length, autocomplete: "off", enterkeyhint: "send", id: "kp-chat-field" });
  const send = h("button", { class: "kp-button kp-button--now", type: "submit" }, gettext("Send"));
  const problem = h("p", { class: "kp-chat-problem", hidden: true });
  const aloud = h("input", { type: "checkbox", checked: true, autocomplete: "off" });
  const close = h("button", { class: "kp-button kp-chat-close", type: "button", onclick: () => fold(false) }, gettext("Close the chat"));
  const form = h(
    "form",
    { class: "kp-chat-form", onsubmit: say },
    h("label", { class: "kp-sr", for: field.id }, gettext("Write to everybody at the table")),
    field,
    send,
  );
  root.append(
    h("div", { class: "kp-chat-head" }, h("h2", { id: "kp-chat-title", class: "kp-chat-title", tabindex: "-1" }, gettext("Chat")), close),
    empty,
    log,
    problem,
    form,
    h("label", { class: "kp-chat-aloud" }, aloud, ` ${gettext("Screen reader speaks new lines")}`),
  );
  root.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      if (open) {
        fold(false);
      } else {
        table.back();
      }
    }
  });
  button.addEventListener("click", () => fold(!open));
  label();

  /** Whether the lines can be seen: beside the table on a wide screen, else when opened. */
  function seen() {
    return !document.hidden && root.checkVisibility() && document.querySelector("dialog[open]") === null;
  }

  function fold(wanted) {
    open = wanted;
    root.classList.toggle("kp-chat--open", open);
    set(button, "aria-expanded", String(open));
    if (open) {
      read();
      log.scrollTop = log.scrollHeight;
      field.focus();
    } else {
      button.focus();
    }
  }

  function read() {
    unread = 0;
    label();
  }

  function label() {
    button.replaceChildren(gettext("Chat"), ...(unread ? [h("span", { class: "kp-badge" }, String(unread))] : []));
    set(button, "aria-label", unread ? `${gettext("Chat")}, ${fill(ngettext("%(count)s new line", "%(count)s new lines", unread), { count: unread })}` : null);
  }

  // ---- saying ---------------------------------------------------------------------------------

  function say(event) {
    event.preventDefault();
    const text = field.value.trim();
    if (text === "") {
      return;
    }
    const id = `${Date.now().toString(36)}.${Math.random().toString(36).slice(2, 12)}`;
    unsent.set(id, { text, timer: null });
    field.value = "";
    complain(null);
    post(id);
    paint();
    log.scrollTop = log.scrollHeight;
  }

  function post(id) {
    const line = unsent.get(id);
    if (line) {
      clearTimeout(line.timer);
      table.send({ type: "say", id, text: line.text });
      line.timer = setTimeout(() => post(id), RESEND);
    }
  }

  function settle(id) {
    clearTimeout(unsent.get(id)?.timer);
    unsent.delete(id);
  }

  /** The server did not take a line: its text comes back to be mended, and the reason is told. */
  function refused(id, text) {
    const line = unsent.get(id);
    if (line) {
      settle(id);
      field.value = field.value ? `${line.text} ${field.value}` : line.text;
      paint();
    }
    complain(text);
  }

  function complain(text) {
    set(problem, "hidden", text === null);
    write(problem, text ?? "");
    if (text !== null) {
      log.scrollTop = log.scrollHeight;
      table.speak.alert(text);
    }
  }

  // ---- hearing --------------------------------------------------------------------------------

  /** The lines the server has sent; `fresh` when they are the first after the page was loaded. */
  function hear(message, fresh) {
    if (message.missed) {
      gaps.add(message.lines[0].n);
    }
    const below = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
    for (const line of message.lines) {
      const known = lines.has(line.n);
      lines.set(line.n, line);
      settle(line.id);
      if (!known && !line.hidden && !fresh && (line.kind || (line.seat !== table.you() && !table.muted(line)))) {
        announce(line);
      }
    }
    heard = Math.max(heard, message.said);
    paint();
    if (below || fresh) {
      log.scrollTop = log.scrollHeight;
    }
  }

  function announce(line) {
    if (!seen()) {
      unread += 1;
      label();
    }
    if (aloud.checked) {
      table.speak.polite(line.kind ? notice(line) : fill(gettext("%(name)s says: %(text)s"), { name: table.name(line.seat, line.name), text: line.text }));
    }
  }

  function notice(line) {
    const mine = line.kind === "reissued" && line.facts.keeper === table.you();
    const keeper = line.kind === "reissued" ? table.now(line.facts.keeper ?? 0) : null;
    return fill(notices[mine ? "reissuedByMe" : line.kind] ?? "", { ...line.facts, keeper, name: table.name(line.seat, line.name) });
  }

  // ---- painting -------------------------------------------------------------------------------

  function paint() {
    const old = new Map([...list.children].map((item) => [item.dataset.line, item]));
    const shown = [...lines.values()].sort((one, other) => one.n - other.n);
    const items = shown.flatMap((line) => {
      const key = `${line.n}/${line.hidden ?? ""}/${table.muted(line)}/${line.name}`;
      return [...(gaps.has(line.n) ? [old.get(`gap ${line.n}`) ?? gap(line)] : []), old.get(key) ?? item(key, line)];
    });
    for (const [id, line] of unsent) {
      items.push(old.get(id) ?? h("li", { class: "kp-chat-line kp-chat-line--unsent", "data-line": id }, h("span", { class: "kp-chat-who" }, gettext("Sending")), h("bdi", { class: "kp-chat-text" }, line.text)));
    }
    arrange(list, items);
    set(empty, "hidden", items.length > 0);
  }

  function gap(line) {
    return h("li", { class: "kp-chat-line kp-chat-line--notice", "data-line": `gap ${line.n}` }, gettext("More was said before this than is shown here."));
  }

  function item(key, line) {
    const props = { class: "kp-chat-line", "data-line": key };
    if (line.hidden) {
      return h("li", props, h("span", { class: "kp-quiet" }, gettext("A moderator has hidden this line.")));
    }
    if (line.kind) {
      return h("li", { ...props, class: "kp-chat-line kp-chat-line--notice" }, notice(line));
    }
    if (table.muted(line)) {
      return h("li", props, h("span", { class: "kp-quiet" }, fill(gettext("A line by %(name)s, whom you have muted."), { name: table.name(line.seat, line.name) })));
    }
    const side = table.side(line.seat);
    const who = h("span", { class: "kp-chat-who" }, h("bdi", { class: "kp-chat-name" }, table.name(line.seat, line.name)));
    if (side) {
      who.append(" ", h("span", { class: `kp-chat-side kp-chat-side--${line.seat % 2 ? "two" : "one"}` }, side));
    }
    const time = new Date(line.at);
    who.append(" ", h("time", { class: "kp-chat-time", datetime: line.at }, time.toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit" })));
    if (table.report && line.seat !== table.you()) {
      who.append(" ", table.report(line.seat, { ...line, name: table.name(line.seat, line.name) }));
    }
    return h("li", props, who, h("bdi", { class: "kp-chat-text" }, line.text));
  }

  document.addEventListener("visibilitychange", () => seen() && read());
  addEventListener("resize", () => seen() && read());

  return {
    hear,
    refused,
    refresh: paint,
    said: () => heard,
    resend: () => [...unsent.keys()].forEach(post),
    open: () => (root.checkVisibility() ? field.focus() : fold(true)),
  };
}
