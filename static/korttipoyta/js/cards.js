// The playing card, in the same structure as templates/korttipoyta/card.html.

const SVG = "http://www.w3.org/2000/svg";

export const RANKS = "A23456789TJQK";
export const SUITS = "CDHS";

const COURTS = "JQK";

/** "TH" or "T" -> "10". */
export function rankText(code) {
  return code[0] === "T" ? "10" : code[0];
}

function drawing(part, address) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", part);
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("focusable", "false");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", address);
  svg.append(use);
  return svg;
}

/**
 * A card face up. `name` is what it is called ("ten of hearts"), `badge` what it is worth or null,
 * `sprite` the address of cards.svg.
 */
export function face(code, {name, tag = "span", badge = null, sprite}) {
  const rank = code[0];
  const suit = code[1];
  if (code.length !== 2 || !RANKS.includes(rank) || !SUITS.includes(suit)) {
    throw new RangeError(`not a card: ${code}`);
  }
  const card = document.createElement(tag);
  card.className = `kp-card kp-card--${suit}`;
  if (badge !== null) {
    card.classList.add("kp-card--points");
  }
  card.dataset.code = code;
  if (tag === "button") {
    card.type = "button";
  } else {
    card.setAttribute("role", "img");
  }
  card.setAttribute("aria-label", name);
  card.append(
    drawing("kp-card-rank", `${sprite}#rank-${rank}`),
    drawing("kp-card-suit", `${sprite}#suit-${suit}`),
  );
  if (COURTS.includes(rank)) {
    card.append(drawing("kp-card-court", `${sprite}#court-${rank}`));
  }
  card.append(
    drawing("kp-card-big", `${sprite}#rank-${rank}`),
    drawing("kp-card-corner", `${sprite}#suit-${suit}`),
  );
  if (badge !== null) {
    const points = document.createElement("span");
    points.className = "kp-card-badge";
    points.setAttribute("aria-hidden", "true");
    points.textContent = String(badge);
    card.append(points);
  }
  return card;
}

/** A card face down: the same for every card. */
export function back({tag = "span"} = {}) {
  const card = document.createElement(tag);
  card.className = "kp-card kp-card--back";
  card.setAttribute("aria-hidden", "true");
  return card;
}
