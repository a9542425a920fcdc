// A boardgame.io server that does what the site does for a play: take a card from a hand, draw one,
// and send each of the four seats the state without the secrets of the others.
//
// node server.js PORT MATCHES STORE FOLDER: the matches are named 0, 1, 2 …; STORE is memory, flat
// (its own FlatFile) or sqlite (below).

const { Server, FlatFile } = require("boardgame.io/server");
const { PlayerView } = require("boardgame.io/core");
const { InitializeGame, Sync } = require("boardgame.io/internal");

const [port, matches, store, folder] = process.argv.slice(2);
const SEATS = 4;
const HAND = 6;
const PACK = [..."SHDC"].flatMap((suit) => [..."23456789TJQKA"].map((rank) => rank + suit));

function deal(pack) {
  const players = {};
  for (let seat = 0; seat < SEATS; seat++) {
    players[seat] = { hand: pack.slice(seat * HAND, (seat + 1) * HAND) };
  }
  return { players, secret: { stock: pack.slice(SEATS * HAND) }, trick: [], last: [] };
}

const game = {
  name: "cards",
  minPlayers: SEATS,
  maxPlayers: SEATS,
  disableUndo: true,
  playerView: PlayerView.STRIP_SECRETS,
  setup: ({ random }) => ({ ...deal(random.Shuffle(PACK)), deals: 1 }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    play: {
      client: false,
      move: ({ G, playerID, random }, card) => {
        const hand = G.players[playerID].hand;
        const at = hand.indexOf(card);
        if (at < 0) return "INVALID_MOVE";
        hand.splice(at, 1);
        G.trick.push({ seat: Number(playerID), card });
        if (G.secret.stock.length) hand.push(G.secret.stock.shift());
        if (G.trick.length === SEATS) {
          G.last = G.trick;
          G.trick = [];
        }
        if (Object.values(G.players).every((player) => !player.hand.length)) {
          Object.assign(G, deal(random.Shuffle(PACK)), { deals: G.deals + 1 });
        }
      },
    },
  },
};

// The state and the log's new entries in one commit, as durable as the site's own.
class Sqlite extends Sync {
  connect() {
    this.db = new (require("better-sqlite3"))(`${folder}/matches.sqlite3`);
    this.db.pragma("journal_mode = WAL");
    this.db.pragma("synchronous = FULL");
    this.db.exec("CREATE TABLE match (id TEXT PRIMARY KEY, state TEXT) WITHOUT ROWID");
    this.db.exec("CREATE TABLE log (id TEXT, entry TEXT)");
    const put = this.db.prepare("INSERT OR REPLACE INTO match VALUES (?, ?)");
    const note = this.db.prepare("INSERT INTO log VALUES (?, ?)");
    this.get = this.db.prepare("SELECT state FROM match WHERE id = ?").pluck();
    this.entries = this.db.prepare("SELECT entry FROM log WHERE id = ? ORDER BY rowid").pluck();
    this.write = this.db.transaction((id, state, log) => {
      put.run(id, JSON.stringify(state));
      for (const entry of log) note.run(id, JSON.stringify(entry));
    });
    this.initial = new Map();
    this.metadata = new Map(); // of a play only the time would change: that commit is spared
  }
  createMatch(id, { initialState, metadata }) {
    this.initial.set(id, initialState);
    this.setState(id, initialState);
    this.setMetadata(id, metadata);
  }
  setState(id, state, deltalog = []) {
    this.write(id, state, deltalog);
  }
  setMetadata(id, metadata) {
    this.metadata.set(id, metadata);
  }
  fetch(id, wanted) {
    const found = {};
    if (wanted.state) found.state = JSON.parse(this.get.get(id));
    if (wanted.metadata) found.metadata = this.metadata.get(id);
    if (wanted.log) found.log = this.entries.all(id).map((entry) => JSON.parse(entry));
    if (wanted.initialState) found.initialState = this.initial.get(id);
    return found;
  }
  listMatches() {
    return [...this.initial.keys()];
  }
  wipe() {}
}

async function main() {
  const stores = { flat: () => new FlatFile({ dir: folder }), sqlite: () => new Sqlite() };
  const db = stores[store]?.();
  const server = Server({ games: [game], origins: ["*"], ...(db ? { db } : {}) });
  await server.db.connect();
  server.db.connect = () => {};
  for (let match = 0; match < Number(matches); match++) {
    const players = Object.fromEntries([...Array(SEATS).keys()].map((id) => [id, { id }]));
    const metadata = { gameName: game.name, unlisted: false, players, createdAt: 0, updatedAt: 0 };
    await server.db.createMatch(String(match), {
      initialState: InitializeGame({ game, numPlayers: SEATS }),
      metadata,
    });
  }
  await server.run({ port: Number(port), lobbyConfig: { uuid: () => "" } });
}

main();
