/* The voice call: a connection to every other page in it, found and mended by "perfect negotiation".
   Of two pages the one at the higher seat is the polite one: the other makes the first offer, and when
   both make one later the polite one gives way. A connection that never worked is made anew, in another
   round; what belongs to an earlier round is dropped. So that it can be told apart, what is said of a
   connection begins with its round. It shows nothing; the sound of the others plays in audio elements
   that it puts into `parent`. */

const BATCH = 100; // candidates that come so close together travel together
const FRESH = 4000; // sound measured so long ago still counts
const SOON = 15000; // a connection that takes longer has not been found
const MEND = [8000, 12000]; // after how long without sound another way is looked for: impolite, polite
const HOPELESS = 20000; // a connection without sound for so long is made anew
const YOUNG = 3000; // and one made so lately is not
const KEPT = 60000; // how long a line that works is kept though the server does not name its page

/**
 * `on`: `{signal(seat, id, kind, text), changed()}`. Returns what is told below. A peer's `state` is
 * "connecting", "connected" (its sound has been measured), "blocked" (the browser holds it back),
 * "lost" (it was there) or "unreachable".
 */
export function createCall(me, parent, on) {
  const peers = new Map(); // by seat
  let configuration = { iceServers: [] };
  let track = null;
  let muted = false;
  let speaker = "";
  let hushed = () => false;
  let ended = false;

  // ---- connections ----------------------------------------------------------------------------

  /** A new connection. Of a polite one the round is not known before the first offer. */
  function open(seat, id, round = me > seat ? 0 : 1) {
    const former = peers.get(seat);
    close(seat);
    const pc = new RTCPeerConnection(configuration);
    const audio = document.createElement("audio");
    audio.autoplay = true;
    audio.muted = hushed(seat);
    parent.append(audio);
    const now = performance.now();
    const peer = { seat, id, pc, audio, round, polite: me > seat, making: false, ignoring: false, early: [], ways: [], timer: null, work: Promise.resolve(), since: now, begunAt: now, heardAt: null, bytes: 0, mendedAt: now, missingSince: null, blocked: false, level: 0, theirs: "", told: null, state: "connecting" };
    if (former?.id === id) {
      Object.assign(peer, { since: former.since, theirs: former.theirs, state: former.state, missingSince: former.missingSince, begunAt: now });
    }
    peers.set(seat, peer);
    aim(peer);
    pc.addTrack(track, new MediaStream([track]));
    pc.onnegotiationneeded = () => peer.round > 0 && describe(peer);
    pc.onicecandidate = ({ candidate }) => candidate?.candidate && collect(peer, candidate.candidate);
    pc.oniceconnectionstatechange = () => pc.iceConnectionState === "failed" && lives(peer) && mend(peer);
    pc.ontrack = (event) => {
      audio.srcObject = event.streams[0] ?? new MediaStream([event.track]);
      play(peer);
    };
    on.changed();
    return peer;
  }

  function close(seat) {
    const peer = peers.get(seat);
    if (peer) {
      peers.delete(seat);
      clearTimeout(peer.timer);
      peer.pc.close();
      peer.audio.srcObject = null;
      peer.audio.remove();
      on.changed();
    }
  }

  const lives = (peer) => peers.get(peer.seat) === peer;

  function send(peer, kind, text) {
    if (lives(peer)) {
      on.signal(peer.seat, peer.id, kind, text);
    }
  }

  async function describe(peer) {
    try {
      peer.making = true;
      await peer.pc.setLocalDescription();
      sendDescription(peer);
    } catch {
      // closed meanwhile, or overtaken by the other's offer: what comes next mends it
    } finally {
      peer.making = false;
    }
  }

  function sendDescription(peer) {
    const { type, sdp } = peer.pc.localDescription;
    send(peer, type, `${peer.round}\n${sdp}`);
  }

  function collect(peer, way) {
    peer.ways.push(way);
    peer.timer ??= setTimeout(() => {
      peer.timer = null;
      send(peer, "candidates", [peer.round, ...peer.ways.splice(0)].join("\n"));
    }, BATCH);
  }

  async function described(peer, type, sdp) {
    const { pc } = peer;
    const collision = type === "offer" && (peer.making || pc.signalingState !== "stable");
    peer.ignoring = !peer.polite && collision;
    if (peer.ignoring || (type === "answer" && pc.signalingState !== "have-local-offer")) {
      return;
    }
    await pc.setRemoteDescription({ type, sdp });
    for (const [round, way] of peer.early.splice(0)) {
      if (round === peer.round) {
        await add(peer, way);
      }
    }
    if (type === "offer") {
      await pc.setLocalDescription();
      sendDescription(peer);
    }
  }

  async function add(peer, way) {
    // A way of an offer that was ignored, or of before a restart, is none: the browser says so.
    await peer.pc.addIceCandidate({ candidate: way, sdpMLineIndex: 0 }).catch(() => null);
  }

  /** What another page in the call says; of one not yet known the server has made sure. */
  function hear({ from, id, kind, text }) {
    if (ended) {
      return;
    }
    let peer = peers.get(from);
    if (kind === "bye") {
      if (peer?.id === id) {
        close(from);
      }
      return;
    }
    if (peer?.id !== id) {
      peer = open(from, id);
    }
    if (kind === "state") {
      peer.theirs = text;
      if (text.includes("anew") && !peer.polite && performance.now() - peer.begunAt > YOUNG) {
        anew(peer);
      }
      on.changed();
      return;
    }
    const cut = text.indexOf("\n");
    const round = Number(text.slice(0, cut));
    if (kind === "offer" && peer.polite && round > peer.round) {
      peer = peer.round === 0 ? peer : open(from, id, round);
      peer.round = round;
    }
    peer.work = peer.work.then(() => act(peer, kind, round, text.slice(cut + 1))).catch(() => null);
  }

  async function act(peer, kind, round, text) {
    if (!lives(peer) || round < peer.round) {
      return;
    }
    if (kind === "candidates") {
      for (const way of text.split("\n")) {
        if (peer.pc.remoteDescription && round === peer.round) {
          await add(peer, way);
        } else {
          peer.early.push([round, way]);
        }
      }
    } else if (round === peer.round) {
      await described(peer, kind, text);
    }
  }

  /** Make a connection anew. The polite page can only ask for it: the other counts the rounds. */
  function anew(peer) {
    if (peer.polite) {
      send(peer, "state", "deaf,anew");
      peer.told = null;
    } else {
      open(peer.seat, peer.id, peer.round + 1);
    }
  }

  /** Look for another way; an offer that was not answered is made again. */
  function mend(peer) {
    const now = performance.now();
    peer.mendedAt = now;
    if (peer.heardAt === null || now - peer.heardAt > HOPELESS) {
      anew(peer);
    } else if (peer.pc.signalingState === "have-local-offer") {
      sendDescription(peer);
    } else {
      peer.pc.restartIce();
    }
  }

  // ---- sound ----------------------------------------------------------------------------------

  async function play(peer) {
    try {
      await peer.audio.play();
      peer.blocked = false;
    } catch (error) {
      peer.blocked ||= error.name === "NotAllowedError"; // else it was closed meanwhile
    }
    look(peer);
  }

  async function aim(peer) {
    if (peer.audio.setSinkId && peer.audio.sinkId !== speaker) {
      await peer.audio.setSinkId(speaker).catch(() => null); // it has gone: the usual one plays
    }
  }

  function look(peer) {
    const now = performance.now();
    const before = peer.state;
    const fresh = peer.heardAt !== null && now - peer.heardAt < FRESH;
    if (fresh) {
      peer.state = peer.blocked ? "blocked" : "connected";
    } else if (now - (peer.heardAt ?? peer.since) < SOON) {
      peer.state = peer.heardAt === null ? "connecting" : "lost";
    } else {
      peer.state = "unreachable";
    }
    if (!fresh && now - Math.max(peer.mendedAt, peer.heardAt ?? 0) > MEND[Number(peer.polite)]) {
      mend(peer);
    }
    if (peer.state !== before) {
      on.changed();
    }
    const told = [muted ? "muted" : null, peer.state === "connected" ? null : "deaf"].filter(Boolean).join(",");
    if (told !== peer.told && peer.pc.remoteDescription) {
      peer.told = told;
      send(peer, "state", told);
    }
  }

  /** Measure what has come since; to be called about once a second. */
  async function measure() {
    for (const peer of [...peers.values()]) {
      const report = await peer.pc.getStats().catch(() => []);
      let bytes = 0;
      for (const one of report.values?.() ?? []) {
        if (one.type === "inbound-rtp" && one.kind === "audio") {
          bytes += one.bytesReceived;
          peer.level = one.audioLevel ?? 0;
        }
      }
      if (bytes > peer.bytes) {
        peer.heardAt = performance.now();
      }
      peer.bytes = bytes;
      if (!lives(peer)) {
        continue;
      }
      const working = peer.state === "connected" || peer.state === "blocked";
      const missing = peer.missingSince === null ? 0 : performance.now() - peer.missingSince;
      if (missing > KEPT || (missing > FRESH && !working)) {
        close(peer.seat);
      } else {
        look(peer);
      }
    }
  }

  /** How loud a peer is now, from 0 to 1. */
  function loudness(peer) {
    const [source] = peer.pc.getReceivers()[0]?.getSynchronizationSources?.() ?? [];
    return source?.audioLevel ?? peer.level;
  }

  return {
    hear,
    measure,
    peers: () => [...peers.values()].map((peer) => ({ seat: peer.seat, state: peer.state, muted: peer.theirs.includes("muted"), deaf: peer.theirs.includes("deaf"), level: loudness(peer) })),
    /** The servers to use, from now on and whenever another way is looked for. */
    configure({ ice, relay }) {
      configuration = { iceServers: ice, iceTransportPolicy: relay ? "relay" : "all", bundlePolicy: "max-bundle" };
      for (const { pc } of peers.values()) {
        pc.setConfiguration(configuration);
      }
    },
    /** Who is in the call by the server's word: of each seat but mine what its page is called. */
    members(named) {
      for (const [seat, id] of named) {
        if (peers.get(seat)?.id !== id) {
          open(seat, id);
        }
      }
      for (const peer of peers.values()) {
        peer.missingSince = named.has(peer.seat) ? null : (peer.missingSince ?? performance.now());
      }
    },
    drop: close,
    /** The socket is back: what was said meanwhile may be lost. */
    again() {
      for (const peer of peers.values()) {
        peer.told = null;
        if (peer.pc.signalingState === "have-local-offer") {
          sendDescription(peer);
        }
      }
    },
    mend: (seat) => peers.has(seat) && mend(peers.get(seat)),
    mendAll: () => [...peers.values()].forEach(mend),
    play: () => Promise.all([...peers.values()].map(play)),
    async use(next) {
      track = next;
      await Promise.all([...peers.values()].map(({ pc }) => pc.getSenders()[0]?.replaceTrack(next)));
    },
    mute(on_) {
      muted = on_;
      [...peers.values()].forEach(look);
    },
    hush(test) {
      hushed = test;
      for (const peer of peers.values()) {
        peer.audio.muted = hushed(peer.seat);
      }
    },
    speak(device) {
      speaker = device;
      [...peers.values()].forEach(aim);
    },
    end(farewell) {
      for (const peer of [...peers.values()]) {
        if (farewell) {
          send(peer, "bye", "");
        }
        close(peer.seat);
      }
      ended = true;
    },
  };
}
