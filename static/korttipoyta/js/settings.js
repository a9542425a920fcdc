/* The settings of a table's page: a dialog whose fields are preferences, applied as they are chosen. */

import { VALUES, followPreferences, forgetPreferences, prefer, preference } from "./preferences.js";

/**
 * Bind the dialog `#kp-settings` and the buttons `[data-settings]` that open it. `changed(name)` is told
 * of every choice; `onlyContrast` as in `followPreferences`. Returns `{open()}`.
 */
export function createSettings({ changed, onlyContrast = false }) {
  const box = document.getElementById("kp-settings");
  const fields = [...box.querySelectorAll("[data-preference]")];
  followPreferences({ onlyContrast });

  function fill() {
    for (const field of fields) {
      field.checked = preference(field.dataset.preference) === field.value;
    }
  }

  /** A check box stands for one of two values, a radio button for its own. */
  function choose(field) {
    const name = field.dataset.preference;
    prefer(name, field.checked ? field.value : VALUES[name].find((value) => value !== field.value));
    changed(name);
  }

  function open() {
    fill();
    box.showModal();
    box.scrollTop = 0;
  }

  for (const field of fields) {
    field.addEventListener("change", () => choose(field));
  }
  document.getElementById("kp-settings-reset").addEventListener("click", () => {
    forgetPreferences();
    fill();
    Object.keys(VALUES).forEach(changed);
  });
  document.getElementById("kp-settings-close").addEventListener("click", () => box.close());
  for (const button of document.querySelectorAll("[data-settings]")) {
    button.addEventListener("click", () => {
      button.closest("dialog")?.close();
      open();
    });
  }
  fill();
  return { open };
}
