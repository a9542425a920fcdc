/* What was promised of each pack, as this tab was told when the cards were dealt: kept until it is closed. */

const key = (match) => `korttipoyta.promises.${match}`;

/** The commitments this tab has been told in a match, by deal. */
export function promises(match) {
  try {
    return JSON.parse(sessionStorage.getItem(key(match)) ?? "{}");
  } catch {
    return {}; // storage may be forbidden
  }
}

/** Keep a deal's commitment. The first stands: what is told later of the same deal must equal it. */
export function keepPromise(match, deal, commitment) {
  const known = promises(match);
  if (!(deal in known)) {
    try {
      sessionStorage.setItem(key(match), JSON.stringify({ ...known, [deal]: commitment }));
    } catch {
      // as above
    }
  }
}
