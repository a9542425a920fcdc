/* A socket that comes back, and opens before the rest of the page's modules are there. Of the page it reads
   where the socket is, and touches nothing. */

const DEADLINE = 8000; // an answer later than this means that nobody is there
const PING = 10000;
const SOON = [300, 1000]; // while somebody looks there is no back-off, only some chance
const HIDDEN = [60000, 90000];
const FLOOD = 4429;
const FINAL = new Set([4401, 4403, 4404, 4409, 4423]);
const UNCLAIMED = 20000; // a page without its other modules is nobody at the table

let early = openEarly();

/**
 * The page's first socket: on a slow network it is open, and the snapshot here, when the board is. What it
 * hears is kept for `keepSocket`, which takes it over. Null where the page is not there yet.
 */
function openEarly() {
  const page = document.getElementById("kp-page");
  if (page === null) {
    return null;
  }
  const socket = new WebSocket(absolute(JSON.parse(page.textContent).socket));
  const heard = [];
  socket.onmessage = socket.onclose = (event) => heard.push(event);
  const unclaimed = setTimeout(() => {
    early = null;
    socket.close();
  }, UNCLAIMED);
  return { socket, heard, unclaimed };
}

/** The first socket for who keeps one now, null if there is none; what it has heard follows at once. */
function takeEarly() {
  if (early === null) {
    return null;
  }
  const { socket, heard, unclaimed } = early;
  early = null;
  clearTimeout(unclaimed);
  // Not now: who takes it listens from the end of this turn on.
  heard.forEach((event) => queueMicrotask(() => socket[`on${event.type}`](event)));
  return socket;
}

function absolute(path) {
  return new URL(path, location.href.replace(/^http/, "ws")).href;
}

/**
 * Keep a socket open to `path()`, a path of this site; the first is the page's own. `on`: `{message(data, first), state(name), gone(code, reason)}`;
 * states are "connecting", "open", "offline"; `first` marks the first message of its kind after a
 * connect; `gone` comes once, for a close that is for good. Returns `{send(message), state()}`;
 * `send` answers whether there was an open socket to send by; `send(message, false)` is for what the
 * server does not answer.
 */
export function keepSocket(path, on) {
  let socket = null;
  let state = "connecting";
  let timer = null;
  let pinging = null;
  let deadline = null;
  let reason = null;
  let wait = null;
  let over = false;
  let fresh = true;

  function become(name) {
    if (state !== name) {
      state = name;
      on.state(name);
    }
  }

  function open() {
    clearTimeout(timer);
    drop();
    if (over) {
      return;
    }
    fresh = true;
    wait = null;
    reason = null;
    const mine = takeEarly() ?? new WebSocket(absolute(path()));
    socket = mine;
    deadline = setTimeout(replace, DEADLINE);
    mine.onmessage = (event) => mine === socket && hear(event.data);
    mine.onclose = (event) => mine === socket && closed(event.code);
  }

  function hear(text) {
    clearTimeout(deadline);
    deadline = null;
    let data;
    try {
      data = JSON.parse(text);
    } catch {
      return; // not ours: a proxy's words
    }
    if (data.type === "closing") {
      reason = data.reason;
      return;
    }
    if (data.type === "bye") {
      wait = data.after * 1000;
      return;
    }
    become("open");
    schedulePing();
    const first = fresh && data.type === "snapshot";
    fresh &&= !first;
    on.message(data, first);
  }

  function closed(code) {
    drop();
    if (FINAL.has(code)) {
      over = true;
      on.gone(code, reason);
      return;
    }
    become("offline");
    const patient = document.hidden || code === FLOOD || reason === "reload";
    timer = setTimeout(open, wait ?? between(...(patient ? HIDDEN : SOON)));
  }

  /** Whatever the socket says of itself: nothing has come for too long, so another one is tried. */
  function replace() {
    become("offline");
    drop();
    if (document.hidden) {
      timer = setTimeout(open, between(...HIDDEN));
    } else {
      open();
    }
  }

  function drop() {
    clearTimeout(deadline);
    clearTimeout(pinging);
    deadline = null;
    const old = socket;
    socket = null;
    if (old && old.readyState <= WebSocket.OPEN) {
      old.close();
    }
  }

  function schedulePing() {
    clearTimeout(pinging);
    pinging = setTimeout(ping, PING);
  }

  function ping() {
    if (socket?.readyState !== WebSocket.OPEN) {
      return;
    }
    socket.send('{"type":"ping"}');
    deadline ??= setTimeout(replace, DEADLINE);
    schedulePing();
  }

  /** Somebody looks, or the network is back: find out at once whether the socket lives. */
  function wake() {
    if (over || document.hidden) {
      return;
    }
    if (socket?.readyState === WebSocket.OPEN) {
      ping();
    } else if (socket === null && wait === null) {
      open();
    }
  }

  document.addEventListener("visibilitychange", wake);
  addEventListener("pageshow", wake);
  addEventListener("online", wake);
  addEventListener("offline", () => !over && become("offline"));
  open();

  return {
    send(message, answered = true) {
      if (socket?.readyState !== WebSocket.OPEN || state !== "open") {
        return false;
      }
      socket.send(JSON.stringify(message));
      if (answered) {
        deadline ??= setTimeout(replace, DEADLINE);
      }
      return true;
    },
    state: () => state,
  };
}

function between(low, high) {
  return low + Math.random() * (high - low);
}
