// What each person chooses for himself: language, deck and colours.

import { LANGUAGES, chooseLanguage, language, translate } from "./words.js";

const CHOICES = [
  ["deck", "Cards", { french: "French suits", german: "German suits" }],
  ["colours", "Colours", { four: "four colours", two: "two colours" }],
];

/** Fills an element with the settings; `changed` is called after the cards look otherwise. */
export function showSettings(root, changed = () => {}) {
  root.replaceChildren(
    choice("language", "Language", LANGUAGES, language(), chooseLanguage),
    ...CHOICES.map(([name, label, values]) =>
      choice(name, label, values, localStorage.getItem(name) ?? Object.keys(values)[0], (value) => {
        localStorage.setItem(name, value);
        changed();
      })),
  );
}

function choice(name, label, values, chosen, onChange) {
  const select = document.createElement("select");
  select.id = `setting-${name}`;
  for (const [value, text] of Object.entries(values)) {
    const option = new Option(name === "language" ? text : translate(text), value);
    option.selected = value === chosen;
    select.append(option);
  }
  select.addEventListener("change", () => onChange(select.value));
  const element = document.createElement("label");
  element.append(`${translate(label)} `, select);
  return element;
}
