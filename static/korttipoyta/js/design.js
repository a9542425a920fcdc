/* The page of the design: the site's own modules, given things to show. Nothing is sent or played. */

import { createAgain } from "./again.js";
import { TIMES } from "./cards.js";
import { createChat } from "./chat.js";
import { createSettings } from "./controls.js";
import { h, pageData, set } from "./dom.js";
import { gettext } from "./i18n.js";
import { createLobby } from "./lobby.js";
import { prefer, preference } from "./preferences.js";

const page = pageData("kp-page");
const words = pageData("kp-words");
const one = (selector) => document.querySelector(selector);
const NAMES = ["Aino", "Toni", "Sara", "Väinämöinen"];
const silent = { polite: () => null, alert: () => null, flush: () => null, forget: () => null };

// ---- looks: for this page only, so that a look at the design changes nothing elsewhere ------------

createSettings({ changed: looks, onlyContrast: true });
one("#kp-settings").show();

for (const button of document.querySelectorAll("[data-look]")) {
  const [name, value] = button.dataset.look.split(" ");
  const usual = preference(name);
  button.addEventListener("click", () => {
    prefer(name, preference(name) === value ? usual : value);
    looks();
  });
}

function looks() {
  for (const button of document.querySelectorAll("[data-look]")) {
    const [name, value] = button.dataset.look.split(" ");
    set(button, "aria-pressed", String(preference(name) === value));
  }
}
looks();

// ---- tokens, as the styles have them -----------------------------------------------------------------

const sheet = [...document.styleSheets].find((style) => /\/base\.[^/]*css/.test(style.href));
const tokens = [...[...sheet.cssRules].find((rule) => rule.selectorText === ".kp").style].filter((name) => name.startsWith("--"));

function paintTokens() {
  for (const list of document.querySelectorAll("[data-tokens]")) {
    const styles = getComputedStyle(list);
    const colours = tokens.filter((name) => CSS.supports("color", styles.getPropertyValue(name)));
    list.replaceChildren(
      ...colours.map((name) => {
        const swatch = h("span", { class: "kp-design-swatch" });
        swatch.style.background = `var(${name})`;
        return h("li", {}, swatch, h("code", {}, name), ` ${styles.getPropertyValue(name)}`);
      }),
    );
  }
  one("[data-type]").replaceChildren(
    ...tokens
      .filter((name) => name.startsWith("--text-"))
      .map((name) => {
        const line = h("li", {}, `${name}: hearts, 1234567890`);
        line.style.fontSize = `var(${name})`;
        return line;
      }),
  );
  one("[data-space]").replaceChildren(
    ...["--gap", "--radius", "--rem"].map((name) => {
      const bar = h("span", { class: "kp-design-space-bar" });
      bar.style.width = `var(${name})`;
      return h("li", {}, bar, h("code", {}, name));
    }),
  );
  one("[data-motion]").replaceChildren(...Object.entries(TIMES).map(([name, long]) => h("li", {}, h("code", {}, name), ` ${long} ms`)));
}
paintTokens();
new MutationObserver(paintTokens).observe(one(".kp"), { attributes: true, attributeFilter: ["class"] });

// ---- boards --------------------------------------------------------------------------------------------

for (const root of document.querySelectorAll("[data-board]")) {
  const { board: address, view } = page.boards[Number(root.dataset.board)];
  const { mount } = await import(address);
  const bar = root.closest(".kp-table").querySelector(".kp-bar-score");
  const board = mount(root, bar, {
    words,
    sprite: page.sprite,
    name: (seat) => NAMES[seat],
    speak: silent,
    motion: () => false,
    twice: () => preference("twice") === "on",
    note: () => null,
    play: () => board.refuse("Nothing is played here."),
    proceed: () => board.refuse("Nothing is dealt here."),
    again: false,
    rules: "",
    extras: [h("button", { class: "kp-button", type: "button" }, gettext("Chat"))],
    absence: (seat) => (seat === 3 ? gettext("away") : null),
  });
  board.show(view, { deals: view.count ? [view.count] : [], count: view.count, closed: Infinity });
}

// ---- a shared table's other parts ------------------------------------------------------------------------

const table = {
  page: { rules: "", sides: 2, csrf: "", fresh: "#", record: "#0/", seats: NAMES.map(() => ({ invite: "#SIGNATURE", code: "data:,", renew: "#" })) },
  side: (seat) => (seat % 2 ? gettext("side two") : gettext("side one")),
  absence: () => null,
  speak: silent,
  send: () => null,
};
const seat = (index, taken, more = {}) => ({ name: NAMES[index], taken, turnover: 0, person: 0, agrees: "", ...more });
createLobby(one("[data-lobby]"), { ...table, name: (snapshot, index) => snapshot.seats[index].name }).show({
  status: "waiting",
  you: 0,
  invites: [null, null, "SECRET", "SECRET"],
  seats: [seat(0, true), seat(1, true), seat(2, false), seat(3, false)],
});
createAgain(one("[data-again]"), { ...table, name: (index) => NAMES[index], here: () => NAMES.map((_name, index) => ({ here: index !== 3 })), outcome: () => "You have won the match, 7 to 4!" }).show({
  status: "over",
  you: 0,
  sitting: 2,
  commitment: "0",
  outcome: { outcome: "won" },
  earlier: [{ outcome: "won" }],
  seats: NAMES.map((_name, index) => seat(index, true, { agrees: index < 2 ? "again" : "" })),
});
const chat = createChat(one("[data-chat]"), h("button", {}), {
  ...table,
  name: (_seat, name) => name,
  you: () => 0,
  muted: (line) => line.seat === 2,
  length: 300,
  back: () => null,
  report: () => h("button", { class: "kp-report-button", type: "button" }, gettext("Report")),
});
const line = (n, index, text, more = {}) => ({ n, id: `${n}`, seat: index, name: NAMES[index], text, at: "2026-01-06T18:30:00Z", person: 0, ...more });
chat.hear({ said: 5, lines: [line(1, 3, "", { kind: "taken", facts: {} }), line(2, 0, "Good evening!"), line(3, 1, "Hello. A line that is rather long, so that it wraps at least once on every screen."), line(4, 2, "Muted"), line(5, 3, "", { hidden: true })] }, true);
