/* Every public page: the look one prefers, the high-contrast switch, a name remembered. The pages work without it. */

import { followPreferences } from "./preferences.js";

followPreferences();

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
