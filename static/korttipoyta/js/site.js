/* Every public page: the high-contrast switch, a name remembered. The pages work without it. */

import { followContrast } from "./preferences.js";

followContrast();

/* The name one plays under, kept on this device only. */
const NAME = "korttipoyta.name";
for (const field of document.querySelectorAll("[data-remember=name]")) {
  try {
    field.value ||= localStorage.getItem(NAME) ?? "";
    field.form.addEventListener("submit", () => localStorage.setItem(NAME, field.value));
  } catch {
    // storage may be forbidden; the field then starts empty
  }
}
