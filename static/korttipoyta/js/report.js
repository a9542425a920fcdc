/* Reporting a line or a person to the moderators. */

import { dialog, h, set, write } from "./dom.js";
import { fill, gettext } from "./i18n.js";

/**
 * The dialog "Report". `table`: `{page, words, name(seat), speak}`. Returns `{open(seat, line)}`; `line` is `{n, name, text}`, or null when it is about the person.
 */
export function createReport(parent, table) {
  const about = h("p", { class: "kp-report-about" });
  const seat = h("input", { type: "hidden", name: "seat" });
  const number = h("input", { type: "hidden", name: "line" });
  const reason = h("select", { class: "kp-input", name: "reason", id: "kp-report-reason" });
  const words = h("input", { class: "kp-input", type: "text", name: "words", id: "kp-report-words", maxlength: table.page.lineLength, autocomplete: "off" });
  const problem = h("p", { class: "kp-chat-problem", role: "alert" });
  const send = h("button", { class: "kp-button kp-button--now", type: "submit" }, gettext("Send the report"));
  const cancel = h("button", { class: "kp-button", type: "button", onclick: () => box.close() }, gettext("Cancel"));
  for (const [value, label] of Object.entries(table.page.reasons)) {
    reason.append(h("option", { value }, label));
  }
  const form = h(
    "form",
    { class: "kp-report", method: "post", action: table.page.report, onsubmit: post },
    h("input", { type: "hidden", name: "csrfmiddlewaretoken", value: table.page.csrf }),
    seat,
    number,
    about,
    h("label", { for: reason.id }, gettext("What is wrong?")),
    reason,
    h("label", { for: words.id }, gettext("In your own words, if you like")),
    words,
    h("p", { class: "kp-quiet" }, gettext("The moderators also get the lines before and after. Nobody at the table is told.")),
    problem,
    h("div", { class: "kp-dialog-buttons" }, cancel, send),
  );
  const thanks = h("p", { role: "status" });
  const done = h("div", { class: "kp-dialog-buttons", hidden: true }, h("button", { class: "kp-button kp-button--now", type: "button", onclick: () => box.close() }, gettext("Back to the table")));
  const box = dialog(gettext("Report to the moderators"), form, thanks, done);
  parent.append(box);

  function open(index, line) {
    const name = line?.name ?? table.name(index);
    about.replaceChildren(
      ...(line ? [fill(gettext("A line by %(name)s:"), { name }), " ", h("bdi", {}, line.text)] : [fill(gettext("About %(name)s"), { name })]),
    );
    set(seat, "value", index);
    set(number, "value", line?.n ?? "");
    reason.selectedIndex = 0;
    words.value = "";
    write(problem, "");
    set(send, "disabled", false);
    show(false);
    box.showModal();
  }

  function show(sent) {
    set(form, "hidden", sent);
    set(done, "hidden", !sent);
    write(thanks, sent ? gettext("Thank you. The moderators will look at it.") : "");
  }

  async function post(event) {
    event.preventDefault();
    set(send, "disabled", true);
    let refused = "fault";
    try {
      const answer = await fetch(form.action, { method: "POST", body: new FormData(form), headers: { Accept: "application/json" } });
      refused = (await answer.json()).refused;
    } catch {
      refused = "offline";
    }
    set(send, "disabled", false);
    if (refused === null) {
      show(true);
      done.firstElementChild.focus();
    } else {
      write(problem, refused === "offline" ? gettext("It could not be sent. Try again when the connection is back.") : (table.words.refusals[refused] ?? table.words.refusals.fault));
    }
  }

  return { open };
}
