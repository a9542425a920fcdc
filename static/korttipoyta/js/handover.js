/* A page's match over a change of language, which loads the page anew: kept while that takes, no longer. */

const KEY = "korttipoyta.handover";
const FORM = ".kp-languages";

/** Where this is, in whatever language. */
function address() {
  const asked = new URLSearchParams(location.search);
  asked.delete("language");
  return `${location.pathname}?${asked}`;
}

/** What `handOver` has left for the page at this address; null when it has left nothing. */
export function takeOver() {
  try {
    const left = JSON.parse(sessionStorage.getItem(KEY));
    sessionStorage.removeItem(KEY);
    return left?.address === address() ? left.match : null;
  } catch {
    return null; // storage may be forbidden
  }
}

/**
 * When the reader changes the language the next page gets what `match()` answers, and `done()` is
 * called once that is sure.
 */
export function handOver(match, done) {
  document.querySelector(FORM)?.addEventListener("submit", () => {
    const kept = match();
    try {
      sessionStorage.setItem(KEY, JSON.stringify({ address: address(), match: kept }));
      done();
    } catch {
      // as above: the browser then asks whether the match may go
    }
  });
}
