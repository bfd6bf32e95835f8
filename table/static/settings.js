// What each person chooses for himself: language, deck, colours and sound.

import { LANGUAGES, chooseLanguage, language, translate } from "./words.js";

const CHOICES = [
  ["deck", translate("Cards"), { french: translate("French suits"), german: translate("German suits") }],
  ["sound", translate("Sound"), { off: translate("off"), on: translate("on") }],
  ["colours", translate("Colours"), { four: translate("four colours"), two: translate("two colours") }],
];

/** Fills an element with the settings; `changed` is called after the cards look otherwise. */
export function showSettings(root, changed = () => {}) {
  root.replaceChildren(
    choice("language", translate("Language"), LANGUAGES, language(), chooseLanguage),
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
    const option = new Option(text, value);
    option.selected = value === chosen;
    select.append(option);
  }
  select.addEventListener("change", () => onChange(select.value));
  const element = document.createElement("label");
  element.append(`${label} `, select);
  return element;
}
