/* Talking at the table: joining and leaving the call, the panel, the microphone's own button, the
   rings on the seats. The connections are `call.js`, the microphone `microphone.js`. */

import { createCall } from "./call.js";
import { arrange, dialog, h, set, write } from "./dom.js";
import { fill, gettext } from "./i18n.js";
import { createSound, devices, openMicrophone, permission, possible } from "./microphone.js";
import { icon, memory } from "./voice-button.js";

const MICROPHONE = "M12 3a3 3 0 0 0-3 3v5a3 3 0 0 0 6 0V6a3 3 0 0 0-3-3zM6 11a6 6 0 0 0 12 0M12 17v4";
const STRUCK = "M4 4l16 16";
const LEVELS = 100; // how often levels are shown
const SPEAKS = 0.015; // how loud somebody is who speaks
const PAUSE = 500; // and how long a pause between two words may be
const ANSWER = 5000; // joining unanswered so long is asked for again
const TWICE = 300; // a key held down is one press

/**
 * The call of one page; `button` opens its panel. `table`: `{page, root, board, speak, keysOn(),
 * snapshot(), here(), name(seat), muted(seat), mute(seat, on), send(message), refusals}`, `root` being
 * where dialogs belong, `board` where seats are marked with `data-seat`. Returns what
 * `voice-button.js` calls.
 */
export function createVoice(button, table) {
  const kept = memory(table.page.code);
  const choice = { muted: false, push: false, relay: false, listening: false, microphone: "", speaker: "", hushed: [], ...kept.read() };
  const relay = table.page.voice.relay;
  const me = () => table.snapshot().you;

  let phase = "out"; // then "asking" for the microphone, "joining" the call, "in" it
  let attempt = 0; // what belongs to an earlier one is given up
  let id = "";
  let call = null;
  let sound = null;
  let track = null;
  let deaf = false; // without a microphone of one's own: listening, or it has gone
  let talking = false;
  let named = false; // whether the server has named this page since it joined
  let problem = null;
  let ticking = null;
  let showing = null;
  let asked = 0;
  let toggledAt = 0;
  let refresher = null;
  let waiting = false; // to come back, once the table is known
  const spokeAt = new Map();
  let callers = new Set();
  const seenAt = new Map();

  // ---- the panel ------------------------------------------------------------------------------

  const trouble = h("p", { class: "kp-voice-problem", role: "status" });
  const ways = h("p", { class: "kp-menu-row" });
  const present = h("p", { class: "kp-voice-present" });
  const hide = h("input", { type: "checkbox", autocomplete: "off", checked: choice.relay, onchange: () => keep({ relay: hide.checked }) });
  const quiet = h("input", { type: "checkbox", autocomplete: "off", checked: choice.muted, onchange: () => keep({ muted: quiet.checked }) });
  const joinButton = h("button", { class: "kp-button kp-button--now kp-button--big", type: "button", onclick: () => join() }, gettext("Join voice"));
  const listenButton = h("button", { class: "kp-button", type: "button", onclick: () => join({ listening: true }) }, gettext("Only listen"));
  const cancelButton = h("button", { class: "kp-button", type: "button", hidden: true, onclick: () => leave() }, gettext("Do not join"));
  const before = h(
    "div",
    { class: "kp-voice-before" },
    h("p", {}, gettext("Talk with the others at this table. Your browser asks for the microphone when you press “Join voice”, and not before.")),
    h("p", { class: "kp-voice-address" }, addressWords()),
    relay === "choice" ? h("p", { class: "kp-voice-check" }, h("label", {}, hide, ` ${gettext("Hide my network address: my voice goes through this site’s relay")}`)) : null,
    h("p", { class: "kp-quiet" }, gettext("Nothing is recorded. The sound is encrypted between the browsers, and this site does not hear it.")),
    h("p", { class: "kp-voice-check" }, h("label", {}, quiet, ` ${gettext("Join with my microphone muted")}`)),
    h("p", { class: "kp-menu-row" }, joinButton, listenButton, cancelButton),
  );

  const list = h("ul", { class: "kp-voice-people", role: "list" });
  const rows = new Map();
  const microphone = h("select", { class: "kp-input", id: "kp-voice-microphone", onchange: () => chooseMicrophone() });
  const speaker = h("select", { class: "kp-input", id: "kp-voice-speaker", onchange: () => chooseSpeaker() });
  const speakerRow = h("p", { class: "kp-field" }, h("label", { for: speaker.id }, gettext("Speaker")), speaker);
  const push = h("input", { type: "checkbox", autocomplete: "off", checked: choice.push, onchange: () => choosePush() });
  const muteButton = h("button", { class: "kp-button", type: "button", "aria-pressed": "false", onclick: () => toggleMute() }, gettext("Mute myself"));
  const talkButton = h("button", { class: "kp-button kp-button--now", type: "button", hidden: true, onclick: () => chooseMicrophone() }, gettext("Talk, too"));
  const leaveButton = h("button", { class: "kp-button", type: "button", onclick: () => leave() }, gettext("Leave the call"));
  const inside = h(
    "div",
    { class: "kp-voice-inside", hidden: true },
    list,
    h("p", { class: "kp-menu-row" }, muteButton, talkButton, leaveButton),
    h("p", { class: "kp-voice-check" }, h("label", {}, push, ` ${gettext("Push to talk: hold the microphone’s button, or H")}`)),
    h("p", { class: "kp-field" }, h("label", { for: microphone.id }, gettext("Microphone")), microphone),
    speakerRow,
  );
  const offText = h("p", {}, gettext("Everybody’s call ends, and voice cannot be switched on again at this table."));
  const off = h(
    "details",
    { class: "kp-voice-off", hidden: true },
    h("summary", {}, gettext("Switch voice off for everybody")),
    offText,
    h("p", { class: "kp-menu-row" }, h("button", { class: "kp-button", type: "button", onclick: () => table.send({ type: "call", do: "off" }) }, gettext("Switch it off for good"))),
  );
  const title = gettext("Voice");
  const box = dialog(title, trouble, ways, present, before, inside, off, h("div", { class: "kp-dialog-buttons" }, h("button", { class: "kp-button", type: "button", onclick: () => box.close() }, gettext("Back to the table"))));
  box.classList.add("kp-voice");
  table.root.append(box);

  function addressWords() {
    if (relay === "only") {
      return gettext("The sound goes through this site’s relay: nobody at the table learns your network address.");
    }
    return gettext("The sound goes straight from browser to browser: the others in the call can learn your network address (IP), and you theirs.");
  }

  // ---- the microphone's button, and a word when something is wrong ----------------------------

  const own = h("span", { class: "kp-sr" });
  const struck = h("span", { class: "kp-voice-struck" }, icon(`${MICROPHONE}${STRUCK}`));
  const open = h("span", { class: "kp-voice-open" }, icon(MICROPHONE));
  const mine = h("button", { class: "kp-icon-button kp-voice-mine", type: "button", hidden: true }, open, struck, own);
  button.before(mine);
  mine.addEventListener("click", () => !choice.push && toggleMute());
  mine.addEventListener("pointerdown", (event) => {
    if (choice.push) {
      mine.setPointerCapture(event.pointerId);
      talk(true);
    }
  });
  for (const end of ["pointerup", "pointercancel", "lostpointercapture", "blur"]) {
    mine.addEventListener(end, () => talk(false));
  }
  mine.addEventListener("contextmenu", (event) => choice.push && event.preventDefault());
  mine.addEventListener("keydown", (event) => choice.push && (event.key === " " || event.key === "Enter") && talk(true));
  document.addEventListener("keyup", (event) => [" ", "Enter", "h", "H"].includes(event.key) && talk(false));
  addEventListener("blur", () => talk(false));

  const noteText = h("p", { class: "kp-voice-note-text" });
  const noteWays = h("span", { class: "kp-voice-note-ways" });
  const note = h("section", { class: "kp-voice-note", "aria-label": gettext("Voice"), hidden: true }, noteText, noteWays);
  document.getElementById("kp-trouble").after(note);

  const retry = () => ({ words: gettext("Try again"), act: () => join({ listening: choice.listening }) });
  const listen = { words: gettext("Only listen"), act: () => join({ listening: true }) };
  const panel = { words: gettext("Open voice"), act: () => openPanel() };

  /** Say what is wrong and what can be done: in the panel, or under the bar while that is closed. */
  function complain(key, text, actions = []) {
    if (problem?.key === key && problem.text === text) {
      return;
    }
    problem = { key, text, actions };
    table.speak.alert(text);
    paintProblem();
  }

  /** It has passed; with a key only if that was it. */
  function calm(key = problem?.key) {
    if (problem !== null && problem.key === key) {
      problem = null;
      paintProblem();
    }
  }

  function paintProblem() {
    const way = ({ words, act }) => h("button", { class: "kp-button", type: "button", onclick: act }, words);
    const actions = problem?.actions ?? [];
    const inPanel = actions.filter((action) => action !== panel);
    const seen = { words: gettext("All right"), act: () => calm() };
    write(trouble, problem?.text ?? "");
    ways.replaceChildren(...(inPanel.length ? inPanel : [seen]).map(way));
    set(ways, "hidden", problem === null);
    write(noteText, problem?.text ?? "");
    noteWays.replaceChildren(...[...actions, seen].map(way));
    set(note, "hidden", problem === null || box.open);
  }

  box.addEventListener("close", paintProblem);

  // ---- joining --------------------------------------------------------------------------------

  async function join({ listening = false } = {}) {
    if (!listening && !possible()) {
      complain("insecure", insecureWords(), [listen]);
      return;
    }
    const turn = begin();
    phase = "asking";
    keep({ listening });
    paint();
    let found = null;
    if (!listening) {
      try {
        found = await openMicrophone(choice.microphone);
      } catch (error) {
        if (turn === attempt) {
          stop();
          complain("microphone", refusalWords(error), [retry(), listen]);
        }
        return;
      }
    }
    if (turn !== attempt) {
      found?.stop(); // left meanwhile: nothing stays live
      return;
    }
    id = Array.from(crypto.getRandomValues(new Uint8Array(12)), (one) => one.toString(16).padStart(2, "0")).join("");
    sound = createSound();
    call = createCall(me(), table.root, { signal, changed: paint });
    take(found);
    call.speak(choice.speaker);
    call.hush(hushed);
    phase = "joining";
    named = false;
    ticking = setInterval(tick, 1000);
    showing = setInterval(paintLevels, LEVELS);
    keep({ in: true });
    listDevices();
    announce();
    paint();
  }

  /** A new attempt: whatever there was before ends. */
  function begin() {
    stop();
    calm();
    return attempt;
  }

  function insecureWords() {
    return gettext("At this address your browser keeps the microphone shut: talking needs https. Ask whoever runs this site for its https address. Here you can listen, and the chat works.");
  }

  function refusalWords({ name }) {
    if (name === "NotAllowedError" || name === "SecurityError") {
      return gettext("Your browser does not let this page use the microphone. Allow it beside the address or in the browser’s settings, then try again.");
    }
    if (name === "NotFoundError" || name === "OverconstrainedError") {
      return gettext("No microphone was found. Plug one in and try again.");
    }
    return gettext("The microphone does not answer: another program may be using it. Close that and try again.");
  }

  /** Ask the server in, or tell it again who this page is. */
  function announce() {
    asked = performance.now();
    table.send({ type: "call", do: "join", id });
  }

  function joined(data) {
    if (data.id !== id || call === null) {
      return;
    }
    call.configure({ ice: data.ice, relay: data.relay || (relay === "choice" && choice.relay) });
    clearTimeout(refresher);
    refresher = setTimeout(announce, data.seconds * 500); // half of the time for which the relay's name is good
    if (phase === "joining") {
      phase = "in";
      table.speak.polite(gettext("You are in the voice call."));
    }
    roster();
    call.again();
    paint();
  }

  function signal(seat, to, kind, text) {
    table.send({ type: "call", do: "signal", to: seat, id: to, kind, text });
  }

  /** Leave: everybody is told, nothing stays live. */
  function leave() {
    if (phase === "out") {
      return;
    }
    stop(true);
    table.send({ type: "call", do: "leave" });
    keep({ in: false });
    table.speak.polite(gettext("You have left the voice call."));
    joinButton.focus();
  }

  /** End this page's part, whatever had been begun. */
  function stop(farewell = false) {
    attempt += 1;
    phase = "out";
    clearInterval(ticking);
    clearInterval(showing);
    clearTimeout(refresher);
    call?.end(farewell);
    track?.stop();
    sound?.close();
    call = sound = track = null;
    deaf = talking = false;
    calm("blocked");
    paintLevels();
    paint();
  }

  // ---- the microphone -------------------------------------------------------------------------

  /** Speak by this track from now on; without one, be silent. */
  function take(next) {
    track?.stop();
    deaf = next === null;
    track = next ?? sound.silent();
    if (next !== null) {
      sound.measure(next);
      next.onended = () => next === track && unplugged();
    }
    hold();
    call.use(track);
  }

  async function chooseMicrophone(fallback = false) {
    const turn = attempt;
    if (!fallback) {
      keep({ microphone: microphone.value });
    }
    let next;
    try {
      next = await openMicrophone(fallback ? "" : choice.microphone);
    } catch (error) {
      if (turn === attempt && phase !== "out") {
        take(null);
        complain("microphone", fallback ? gettext("Your microphone has gone, so nobody hears you. Plug one in, then try again.") : refusalWords(error), [{ words: gettext("Try again"), act: () => chooseMicrophone() }]);
        paint();
      }
      return;
    }
    if (turn !== attempt || phase === "out") {
      next.stop();
      return;
    }
    take(next);
    if (fallback) {
      complain("microphone", fill(gettext("Your microphone has gone. This one is used now: %(name)s."), { name: next.label }), [panel]);
    } else {
      calm("microphone");
    }
    keep({ listening: false });
    listDevices();
    paint();
  }

  function unplugged() {
    chooseMicrophone(true);
  }

  function chooseSpeaker() {
    keep({ speaker: speaker.value });
    call?.speak(choice.speaker);
  }

  function choosePush() {
    keep({ push: push.checked });
    hold();
    paint();
  }

  async function listDevices() {
    const { microphones, speakers } = await devices();
    const fillIn = (select, found, chosen, usual) => {
      select.replaceChildren(h("option", { value: "" }, usual), ...found.filter((one) => one.deviceId !== "default").map((one, index) => h("option", { value: one.deviceId }, one.label || fill(gettext("Device %(number)s"), { number: index + 1 }))));
      select.value = found.some((one) => one.deviceId === chosen) ? chosen : "";
    };
    fillIn(microphone, microphones, choice.microphone, gettext("The usual microphone"));
    fillIn(speaker, speakers, choice.speaker, gettext("The usual speaker"));
    set(speakerRow, "hidden", !("setSinkId" in HTMLMediaElement.prototype) || speakers.length === 0);
  }
  navigator.mediaDevices?.addEventListener("devicechange", () => phase !== "out" && listDevices());

  /** Let the microphone be heard, or not, as chosen. */
  function hold() {
    const heard = choice.push ? talking : !choice.muted;
    if (track !== null) {
      track.enabled = heard;
    }
    call?.mute(deaf || (choice.muted && !choice.push));
  }

  function toggleMute() {
    if (phase === "out" || performance.now() - toggledAt < TWICE) {
      return null;
    }
    toggledAt = performance.now();
    if (choice.push) {
      return gettext("With push-to-talk you are heard only while you hold the button.");
    }
    if (deaf) {
      return gettext("You are only listening.");
    }
    keep({ muted: !choice.muted });
    hold();
    paint();
    const words = choice.muted ? gettext("Your microphone is muted.") : gettext("Your microphone is on.");
    table.speak.polite(words);
    return words;
  }

  function talk(now) {
    if (choice.push && phase !== "out" && talking !== now) {
      talking = now;
      hold();
      paint();
    }
  }

  // ---- the others -----------------------------------------------------------------------------

  const hushed = (seat) => table.muted(seat) || choice.hushed.includes(seat);

  function hush(seat, on) {
    keep({ hushed: on ? [...choice.hushed, seat] : choice.hushed.filter((one) => one !== seat) });
    if (!on && table.muted(seat)) {
      table.mute(seat, false);
    }
    refresh();
  }

  function refresh() {
    call?.hush(hushed);
    paint();
  }

  /** The server has told who is in the call. */
  function roster() {
    const here = table.here();
    if (here === null || table.snapshot() === null) {
      return;
    }
    const inCall = new Map(here.map((seat, index) => [index, seat.call]).filter(([, name]) => name));
    if (phase === "in") {
      const myName = inCall.get(me());
      if (myName === id) {
        named = true;
      } else if (myName && named) {
        stop();
        keep({ in: false });
        complain("elsewhere", gettext("The call goes on in another of your tabs or devices."), [{ words: gettext("Take it back here"), act: () => join({ listening: choice.listening }) }]);
      } else if (performance.now() - asked > ANSWER) {
        announce();
      }
      inCall.delete(me());
      call?.members(inCall);
    }
    count();
    paint();
  }

  /** Say who has come into the call and who has gone; a line that breaks for a moment is neither. */
  function count() {
    const now = performance.now();
    const there = table.here()?.map((seat, index) => (seat.call ? index : null)) ?? [];
    const lines = call?.peers().map((peer) => peer.seat) ?? [];
    for (const seat of new Set([...there, ...lines])) {
      if (seat !== null && seat !== me()) {
        seenAt.set(seat, now);
      }
    }
    const next = new Set([...seenAt.keys()].filter((seat) => now - seenAt.get(seat) < 4000));
    for (const seat of next) {
      if (!callers.has(seat)) {
        table.speak.polite(fill(gettext("%(name)s is in the voice call."), { name: table.name(seat) }));
      }
    }
    for (const seat of callers) {
      if (!next.has(seat)) {
        seenAt.delete(seat);
        table.speak.polite(fill(gettext("%(name)s has left the voice call."), { name: table.name(seat) }));
      }
    }
    callers = next;
  }

  async function tick() {
    if (phase === "joining" && performance.now() - asked > ANSWER) {
      announce();
    }
    await call?.measure();
    if (call === null) {
      return;
    }
    count();
    const peers = call.peers();
    const blocked = peers.some((peer) => peer.state === "blocked");
    if (blocked) {
      complain("blocked", gettext("Your browser holds the voices back until you tap."), [{ words: gettext("Tap to hear"), act: hearAll }]);
    } else {
      calm("blocked");
    }
    const lost = peers.filter((peer) => peer.state === "unreachable");
    if (lost.length > 0 && problem === null) {
      const names = lost.map((peer) => table.name(peer.seat)).join(", ");
      complain(`unreachable ${names}`, fill(gettext("No way is found to %(names)s: you do not hear each other. The others do. It is being tried again; leaving the call and joining again may help."), { names }), [
        { words: gettext("Try again"), act: () => (calm(), lost.forEach((peer) => call?.mend(peer.seat))) },
        ...(relay === "choice" && !choice.relay ? [{ words: gettext("Try through the relay"), act: throughRelay }] : []),
      ]);
    } else if (lost.length === 0 && problem?.key.startsWith("unreachable")) {
      calm();
    }
  }

  function throughRelay() {
    keep({ relay: true });
    hide.checked = true;
    join({ listening: choice.listening });
  }

  async function hearAll() {
    sound?.resume();
    await call?.play();
    tick();
  }
  // Any touch of the page is the tap a browser waits for.
  for (const touch of ["pointerup", "keyup"]) {
    document.addEventListener(touch, () => {
      sound?.resume();
      if (problem?.key === "blocked") {
        hearAll();
      }
    });
  }

  // ---- painting -------------------------------------------------------------------------------

  function paint() {
    const snapshot = table.snapshot();
    if (snapshot === null) {
      return;
    }
    const out = phase === "out" || phase === "asking";
    const secure = possible();
    set(before, "hidden", !out);
    set(inside, "hidden", out);
    set(mine, "hidden", out);
    set(joinButton, "aria-disabled", phase === "asking" || !secure ? "true" : null);
    write(joinButton, phase === "asking" ? gettext("Asking for your microphone …") : gettext("Join voice"));
    if (!secure && problem === null) {
      write(trouble, out ? insecureWords() : "");
    }
    set(listenButton, "hidden", phase === "asking" || !("RTCPeerConnection" in globalThis));
    set(cancelButton, "hidden", phase !== "asking");
    const silent = deaf || (choice.push ? !talking : choice.muted);
    button.classList.toggle("kp-voice-button--in", !out);
    set(struck, "hidden", !silent);
    set(open, "hidden", silent);
    set(mine, "data-talking", choice.push && talking);
    set(mine, "aria-pressed", choice.push || deaf ? null : String(choice.muted));
    write(own, deaf ? gettext("You are only listening") : choice.push ? gettext("Hold to talk") : gettext("Mute myself"));
    set(muteButton, "hidden", choice.push || deaf);
    set(talkButton, "hidden", !deaf || !possible() || problem?.key === "microphone");
    set(muteButton, "aria-pressed", String(choice.muted));
    quiet.checked = choice.muted;
    const others = [...(table.here() ?? [])].map((seat, index) => (seat.call && index !== me() ? table.name(index) : null)).filter(Boolean);
    write(present, !out ? "" : others.length ? fill(gettext("In the call: %(names)s."), { names: others.join(", ") }) : gettext("Nobody is in the call yet."));
    set(off, "hidden", snapshot.seats.findIndex((seat) => seat.taken) !== snapshot.you);
    if (!out) {
      paintList();
    }
    paintSeats();
  }

  function paintList() {
    const peers = call?.peers() ?? [];
    arrange(list, [row(me(), mineWords(), null), ...peers.map((peer) => row(peer.seat, peerWords(peer), peer))]);
    for (const [seat, { element }] of rows) {
      if (!element.isConnected) {
        rows.delete(seat);
      }
    }
  }

  function row(seat, words, peer) {
    if (!rows.has(seat)) {
      const name = h("bdi", { class: "kp-voice-name" });
      const state = h("span", { class: "kp-voice-state" });
      const meter = h("span", { class: "kp-voice-meter", role: "meter", "aria-valuemin": "0", "aria-valuemax": "100" }, h("span", { class: "kp-voice-level" }));
      const hushButton = peer === null ? null : h("button", { class: "kp-button", type: "button", onclick: () => hush(seat, !hushed(seat)) }, gettext("Mute for me"), h("span", { class: "kp-sr" }, ` (${table.name(seat)})`));
      const element = h("li", { class: "kp-voice-person" }, h("p", { class: "kp-voice-who" }, name, state), meter, hushButton);
      rows.set(seat, { element, name, state, meter, hushButton });
    }
    const parts = rows.get(seat);
    write(parts.name, table.name(seat));
    write(parts.state, words);
    set(parts.element, "data-state", peer?.state ?? "connected");
    set(parts.meter, "aria-label", fill(gettext("How loud %(name)s is"), { name: table.name(seat) }));
    if (parts.hushButton !== null) {
      set(parts.hushButton, "aria-pressed", String(hushed(seat)));
    }
    return parts.element;
  }

  function mineWords() {
    const notes = [gettext("you")];
    if (phase === "joining") {
      notes.push(gettext("joining …"));
    } else if (deaf) {
      notes.push(gettext("only listening"));
    } else if (choice.push) {
      notes.push(gettext("push to talk"));
    } else if (choice.muted) {
      notes.push(gettext("muted"));
    }
    return notes.join(" · ");
  }

  function peerWords(peer) {
    const states = {
      connecting: gettext("connecting …"),
      connected: gettext("connected"),
      blocked: gettext("held back until you tap"),
      lost: gettext("the line broke; trying again"),
      unreachable: gettext("cannot be reached; trying again"),
    };
    return [states[peer.state], peer.muted ? gettext("muted") : null, peer.deaf && peer.state === "connected" ? gettext("does not hear you yet") : null, hushed(peer.seat) ? gettext("muted for me") : null].filter(Boolean).join(" · ");
  }

  /** Mark the seats on the board: who is in the call, muted, in trouble. */
  function paintSeats() {
    const marks = new Map((table.here() ?? []).map((seat, index) => [index, seat.call ? "in" : null]));
    for (const peer of call?.peers() ?? []) {
      marks.set(peer.seat, peer.state !== "connected" ? "trouble" : peer.muted || hushed(peer.seat) ? "muted" : "in");
    }
    for (const element of table.board.querySelectorAll("[data-seat]")) {
      set(element, "data-voice", marks.get(Number(element.dataset.seat)) ?? null);
    }
  }

  /** Levels, ten times a second: in the panel while it is open, as rings on the seats and the button. */
  function paintLevels() {
    const now = performance.now();
    const levels = new Map();
    if (phase === "in" && !document.hidden) {
      levels.set(me(), deaf ? 0 : sound.level());
      for (const peer of call.peers()) {
        levels.set(peer.seat, peer.state === "connected" && !hushed(peer.seat) ? peer.level : 0);
      }
    }
    for (const [seat, level] of levels) {
      if (level > SPEAKS) {
        spokeAt.set(seat, now);
      }
    }
    const speaks = (seat) => levels.has(seat) && now - (spokeAt.get(seat) ?? -PAUSE) < PAUSE;
    const shown = (seat) => Math.min(1, Math.sqrt(levels.get(seat) ?? 0) * 1.4);
    for (const element of table.board.querySelectorAll("[data-seat]")) {
      const seat = Number(element.dataset.seat);
      set(element, "data-speaking", speaks(seat));
      element.style.setProperty("--kp-level", shown(seat).toFixed(2));
    }
    set(mine, "data-speaking", phase === "in" && speaks(table.snapshot()?.you));
    mine.style.setProperty("--kp-level", shown(table.snapshot()?.you).toFixed(2));
    if (box.open) {
      for (const [seat, { meter, element }] of rows) {
        meter.style.setProperty("--kp-level", shown(seat).toFixed(2));
        set(meter, "aria-valuenow", String(Math.round(shown(seat) * 10) * 10));
        set(element, "data-speaking", speaks(seat));
      }
    }
  }

  function keep(changes) {
    Object.assign(choice, changes);
    kept.write(changes);
  }

  function openPanel() {
    if (!box.open) {
      box.showModal();
      set(note, "hidden", true);
      paint();
    }
  }

  // A page that is put away must not go on listening; one that is taken out again comes back.
  addEventListener("pagehide", () => phase !== "out" && stop());
  addEventListener("pageshow", (event) => event.persisted && kept.read().in && join({ listening: choice.listening }));
  addEventListener("online", () => call?.mendAll());

  function comeBackNow() {
    if (waiting && table.snapshot() !== null) {
      waiting = false;
      join({ listening: choice.listening });
    }
  }

  paint();

  return {
    open: openPanel,
    toggleMute,
    talk,
    refresh,
    roster,
    /** This tab was in the call before it was loaded anew: go back, if that asks nothing. */
    async comeBack() {
      if (choice.listening || (possible() && (await permission()) === "granted")) {
        waiting = true;
        comeBackNow();
      } else {
        keep({ in: false });
        complain("before", gettext("You were in the voice call."), [{ words: gettext("Join again"), act: () => join() }]);
      }
    },
    show() {
      comeBackNow();
      table.snapshot().seats.forEach((seat, index) => seat.taken || call?.drop(index));
      paint();
    },
    message(data) {
      if (data.do === "joined") {
        joined(data);
      } else if (data.do === "signal" && phase === "in") {
        call.hear(data);
      }
    },
    refused(code) {
      if (phase === "joining" && code !== "too-fast" && code !== "not-in-call") {
        stop();
        complain("refused", fill(table.refusals[code] ?? table.refusals.fault, {}), [retry()]);
      } else if (phase === "out" || code === "not-host") {
        table.speak.alert(fill(table.refusals[code] ?? table.refusals.fault, {}));
      }
    },
    /** The socket's state: voices go on without it, but the server forgets who is in the call. */
    state(name) {
      if (name === "open" && (phase === "joining" || phase === "in")) {
        announce();
      }
    },
    off() {
      const was = phase !== "out";
      stop();
      box.close();
      for (const element of [mine, box]) {
        element.remove();
      }
      complain("off", was ? gettext("Voice has been switched off for good: the call has ended, and your microphone is off.") : gettext("Voice is switched off at this table."));
      paintSeats();
    },
    gone() {
      stop();
      calm();
      mine.remove();
    },
  };
}
