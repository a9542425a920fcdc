/* A record's page: its summary, the promises about its packs, links to pass it on, and the stage. */

import { asked, copyField, h, onUse, pageData, set, write } from "./dom.js";
import { fill, gettext, ngettext } from "./i18n.js";
import { promises } from "./promises.js";
import { outcome, summaryOf } from "./record-summary.js";
import { canVerify, verify } from "./verify.js";
import { createWatch } from "./watch.js";

const page = pageData("kp-page");
const words = pageData("kp-words");
const byId = (id) => document.getElementById(id);
const root = document.querySelector(".kp");
const WATCH = "#watch";
const TITLES = [byId("kp-told-title"), byId("kp-watch-title")];

let text = null; // the record, as it is sent
let told = null; // what the server says of it
let kept = new Map(); // the frames of deals, by number
let loads = 0;

const watch = createWatch({ words, sprite: page.sprite });

// ---- asking the server --------------------------------------------------------------------------

/** What the server answers to this record and deal; null when it does not, which is told. */
async function ask(deal) {
  const response = await fetch(`${page.frames}?deal=${deal}`, {
    method: "POST",
    credentials: "omit",
    headers: { "Content-Type": "application/json", "Accept-Language": document.documentElement.lang },
    body: text,
  }).catch(() => null);
  if (response?.ok) {
    return response.json();
  }
  const problems = { 413: gettext("This file is too large: a record has 256 kB at most."), 429: gettext("That was a lot at once. Please wait a minute and try again.") };
  problem(response === null ? gettext("No connection. Please try again.") : (problems[response.status] ?? gettext("The server has a fault. Please try again.")));
  return null;
}

async function frames(deal) {
  if (!kept.has(deal)) {
    const answer = await ask(deal);
    if (answer === null) {
      return null;
    }
    kept.set(deal, answer.frames);
  }
  return kept.get(deal);
}

function problem(said, details = null) {
  const box = byId("kp-problem");
  box.replaceChildren(said, ...(details === null ? [] : [" ", h("span", { lang: "en" }, details)]));
  set(box, "hidden", said === "");
}

// ---- a record -----------------------------------------------------------------------------------

async function load(record) {
  const mine = (loads += 1);
  text = record;
  told = null;
  kept = new Map();
  problem("");
  forget();
  offerCheck();
  const answer = await ask(1);
  if (mine !== loads || answer === null) {
    return;
  }
  if (!answer.ok) {
    problem(gettext("This record is not right:"), answer.error);
    return;
  }
  told = answer;
  kept.set(1, answer.frames);
  show();
  follow();
}

function nameOf(seat) {
  const name = told.names?.[seat];
  if (name) {
    return name;
  }
  return told.names ? (seat === 0 ? gettext("Host") : fill(gettext("Guest %(number)s"), { number: seat })) : fill(gettext("Seat %(number)s"), { number: seat + 1 });
}

function show() {
  const deals = fill(ngettext("%(count)s deal", "%(count)s deals", told.deals.length), { count: told.deals.length });
  write(TITLES[0], outcome(told, nameOf));
  write(byId("kp-told-line"), `${told.title} · ${deals}`);
  write(byId("kp-told-rules"), told.rules);
  byId("kp-summary").replaceChildren(...summaryOf(told, { words, sprite: page.sprite, name: nameOf }));
  set(byId("kp-watch-open"), "hidden", !told.board || told.deals.length === 0);
  set(byId("kp-told"), "hidden", false);
}

function forget() {
  set(byId("kp-told"), "hidden", true);
  write(byId("kp-verdict"), "");
  delete byId("kp-verdict").dataset.state;
  set(byId("kp-unseen"), "hidden", true);
  byId("kp-checks").replaceChildren();
}

// ---- was any pack changed? ----------------------------------------------------------------------

/** The deals of the record as far as they can be checked, whatever the server thinks of it. */
function sealed() {
  try {
    const { deals } = JSON.parse(text);
    return Array.isArray(deals) ? deals.map((deal) => (deal !== null && typeof deal === "object" ? deal : {})) : [];
  } catch {
    return [];
  }
}

function offerCheck() {
  set(byId("kp-check"), "hidden", sealed().length === 0);
}

byId("kp-verify").addEventListener("click", async () => {
  const verdict = byId("kp-verdict");
  if (!canVerify()) {
    write(verdict, gettext("Browsers compute this only over https, and this page came over plain http. Download the record and check it with “manage.py replay”, or with any tool that computes SHA-256."));
    return;
  }
  const checks = await verify(sealed(), page.promises ? promises(page.promises) : {});
  const broken = checks.filter((one) => one.kept === false || one.told === false);
  const known = checks.filter((one) => one.kept !== null || one.told !== null);
  verdict.dataset.state = broken.length ? "broken" : known.length ? "kept" : "none";
  write(verdict, sum(checks, known, broken));
  set(byId("kp-unseen"), "hidden", known.length === 0 || checks.some((one) => one.told !== null));
  byId("kp-checks").replaceChildren(...checks.map((one) => h("li", { "data-state": state(one) }, `${fill(gettext("Deal %(deal)s:"), { deal: one.deal })} ${worded(one)}`)));
});

function sum(checks, known, broken) {
  if (known.length === 0) {
    return gettext("This record holds no promise that could be checked.");
  }
  if (broken.length) {
    return fill(ngettext("%(count)s pack is not the one that was promised.", "%(count)s packs are not those that were promised.", broken.length), { count: broken.length });
  }
  const text = known.every((one) => one.told)
    ? ngettext("The pack is the one this browser was promised: nothing was changed.", "All %(count)s packs are those this browser was promised: nothing was changed.", known.length)
    : ngettext("The pack matches its promise.", "%(count)s packs match their promises.", known.length);
  const rest = checks.length - known.length;
  const missing = rest ? ` ${fill(ngettext("For %(count)s deal there is none.", "For %(count)s deals there is none.", rest), { count: rest })}` : "";
  return fill(text, { count: known.length }) + missing;
}

function state({ kept: same, told: mine }) {
  return same === false || mine === false ? "broken" : same === null && mine === null ? "none" : "kept";
}

function worded({ kept: same, told: mine }) {
  if (mine === false) {
    return gettext("not the pack that this browser was promised at the deal.");
  }
  if (same === false) {
    return gettext("the promise in the record is not that of this pack.");
  }
  if (mine) {
    return gettext("the pack that this browser was promised at the deal.");
  }
  return same ? gettext("the pack matches the promise in the record.") : gettext("no promise in the record.");
}

// ---- passing it on ------------------------------------------------------------------------------

for (const radio of document.querySelectorAll("input[name=kp-names]")) {
  radio.addEventListener("change", () => {
    const link = page.links[Number(radio.value)];
    byId("kp-link").value = link.page;
    set(byId("kp-file"), "href", link.file);
    write(byId("kp-copied"), "");
  });
}
byId("kp-copy-link")?.addEventListener("click", () => copyField(byId("kp-link"), byId("kp-copied")));
byId("kp-copy-record")?.addEventListener("click", async () => {
  const plain = document.querySelector("input[name=kp-names][value='1']")?.checked;
  const { names, ...rest } = JSON.parse(text);
  const copied = h("textarea", { class: "kp-sr", tabindex: "-1", "aria-hidden": "true" });
  copied.value = plain || names === undefined ? JSON.stringify(rest) : text;
  byId("kp-copied").after(copied);
  try {
    await navigator.clipboard.writeText(copied.value);
    write(byId("kp-copied"), gettext("Copied."));
  } catch {
    write(byId("kp-copied"), gettext("This browser does not let the page copy: download the record instead.")); // plain http has no clipboard
  }
  copied.remove();
});

// ---- the stage: in place of the page, at an address of its own ----------------------------------

byId("kp-watch-open").addEventListener("click", () => (location.hash = WATCH));
byId("kp-watch-close").addEventListener("click", () => (location.hash = ""));
addEventListener("hashchange", follow);

function stage(open) {
  root.classList.toggle("kp-site", !open);
  root.classList.toggle("kp-table", open);
  scrollTo(0, 0);
}

const onStage = () => root.classList.contains("kp-table");
const wanted = () => location.hash === WATCH && told !== null && Boolean(told.board);

async function follow() {
  if (wanted() === onStage()) {
    return;
  }
  if (onStage()) {
    stage(false);
    watch.close();
    byId("kp-watch-open").focus();
    return;
  }
  const match = told;
  const mount = await asked(boardAt(match.board), { polite: problem, alert: notHad });
  if (mount === null || match !== told) {
    return;
  }
  problem("");
  if (!wanted() || onStage()) {
    return;
  }
  stage(true);
  await watch.open({ told: match, name: nameOf, you: page.you ?? null, mount, frames });
}

const boards = new Map(); // a game's board by the address of its module

function boardAt(address) {
  if (!boards.has(address)) {
    boards.set(address, onUse(() => import(address), ({ mount }) => mount));
  }
  return boards.get(address);
}

/** The board could not be had: the page stays as it is, and the next press asks again. */
function notHad(said) {
  history.replaceState(null, "", location.pathname + location.search);
  problem(said);
  byId("kp-problem").scrollIntoView({ block: "nearest" });
}

// ---- any file -----------------------------------------------------------------------------------

const field = byId("kp-file-field");
const which = byId("kp-which");

/** The texts of a file's records: it is one, or has one on each line. */
function texts(content) {
  const lines = content.split("\n").map((line) => line.trim()).filter(Boolean);
  if (lines.length > 1 && lines.every((line) => line.startsWith("{") && line.endsWith("}"))) {
    return lines;
  }
  return [content];
}

async function take(file) {
  if (!file) {
    return;
  }
  write(byId("kp-file-name"), file.name);
  if (file.size > 40 * page.limit) {
    forget();
    problem(gettext("This file is too large: a record has 256 kB at most."));
    return;
  }
  const found = texts(await file.text());
  set(byId("kp-many"), "hidden", found.length === 1);
  which.replaceChildren(...found.map((_one, index) => h("option", { value: index }, fill(gettext("Match %(number)s"), { number: index + 1 }))));
  which.onchange = () => load(found[Number(which.value)]);
  await load(found[0]);
  if (told !== null) {
    TITLES[0].focus();
  }
}

if (field !== null) {
  const zone = byId("kp-drop");
  field.addEventListener("change", () => take(field.files[0]));
  addEventListener("dragover", (event) => {
    event.preventDefault();
    zone.classList.add("kp-drop--over");
  });
  addEventListener("dragleave", (event) => event.relatedTarget === null && zone.classList.remove("kp-drop--over"));
  addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("kp-drop--over");
    take(event.dataTransfer.files[0]);
  });
}

if (page.record) {
  load(page.record);
}
