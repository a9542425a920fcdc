/* Choices about the look. Only the high-contrast switch is kept on the device. */

const KEY = "korttipoyta.contrast";
const root = () => document.querySelector(".kp");

function remembered() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // storage may be forbidden; the switch then lasts as long as the page
  }
}

/** Whether high contrast is on: as chosen here before, else as the system asks. */
export function contrast() {
  const chosen = remembered();
  return chosen === null ? matchMedia("(prefers-contrast: more)").matches : chosen === "on";
}

export function setContrast(on) {
  try {
    localStorage.setItem(KEY, on ? "on" : "off");
  } catch {
    // as above
  }
  root().classList.toggle("kp-contrast", on);
}

/** Put the choice on the page and let every `[data-contrast]` button switch it. */
export function followContrast() {
  root().classList.toggle("kp-contrast", contrast());
  for (const button of document.querySelectorAll("[data-contrast]")) {
    const show = () => button.setAttribute("aria-pressed", String(root().classList.contains("kp-contrast")));
    button.hidden = false;
    button.addEventListener("click", () => {
      setContrast(!root().classList.contains("kp-contrast"));
      show();
    });
    show();
  }
}
