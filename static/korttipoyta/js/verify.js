/* Whether the packs of a record are those that were promised, computed in this browser. */

/** Browsers compute on https and on the machine itself; over plain http they have nothing to do it with. */
export function canVerify() {
  return globalThis.crypto?.subtle !== undefined;
}

/** The commitment of a pack: as docs/record.md says. */
export async function commitment(salt, pack) {
  const bytes = new TextEncoder().encode(`korttipoyta/1|${salt}|${pack}`);
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * What there is to say of each deal of a record, in order: `{deal, kept, told}`. `kept`: whether its pack
 * has the record's commitment, null when the record has none or no salt; `told`: whether it has the one
 * this browser was told at the deal (`promised`, by deal), null when it was told none. A deal that was
 * promised and is not in the record is told as broken, after the others.
 */
export async function verify(deals, promised) {
  const left = Object.keys(promised).map(Number).filter((deal) => deal > deals.length);
  const found = await Promise.all(
    deals.map(async ({ pack, salt, commitment: sealed }, index) => {
      const deal = index + 1;
      const own = promised[deal];
      const computed = salt ? await commitment(salt, pack) : null;
      return {
        deal,
        kept: computed && sealed ? computed === sealed : null,
        told: own ? computed === own : null,
      };
    }),
  );
  return [...found, ...left.map((deal) => ({ deal, kept: null, told: false }))];
}
