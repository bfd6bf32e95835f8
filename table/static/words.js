// The words of pages in English, German and Dutch: texts come in English, known words and phrases are replaced.

export const LANGUAGES = { en: "English", de: "Deutsch", nl: "Nederlands" };

/** The language chosen before, else the browser's, else English. */
export function language() {
  const wanted = localStorage.getItem("language") ?? navigator.language.slice(0, 2);
  return wanted in LANGUAGES ? wanted : "en";
}

export function chooseLanguage(name) {
  localStorage.setItem("language", name);
  location.reload();
}

/** The names that the German deck has for cards. */
const GERMAN = {
  en: { diamonds: "bells", spades: "leaves", clubs: "acorns", jack: "unter", queen: "ober" },
  de: { diamonds: "Schellen", spades: "Grün", clubs: "Eichel", jack: "Unter", queen: "Ober" },
  nl: { diamonds: "bellen", hearts: "harten", spades: "bladeren", clubs: "eikels", jack: "onder", queen: "boven" },
};
const SUITS = { "♦": "diamonds", "♥": "hearts", "♠": "spades", "♣": "clubs" };
const LETTERS = { en: "JQK", de: "BDK", nl: "BVH" };

const own = language() === "en" ? {} : await (await fetch(`/static/words/${language()}.json`)).json();
const decks = { french: dictionary(own), german: dictionary({ ...own, ...GERMAN[language()] }) };

/** Words with the expression that finds them in a text, the longest first. */
function dictionary(words) {
  const escaped = Object.keys(words).sort((a, b) => b.length - a.length).map((each) => each.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return { words, phrases: escaped.length ? new RegExp(`(?<![\\p{L}-])(?:${escaped.join("|")})(?![\\p{L}-])`, "gu") : null };
}

export function isGermanDeck() {
  return localStorage.getItem("deck") === "german";
}

/** A text in the language of the page; names and numbers stay. Cards such as `♠J` get the letters of the deck. */
export function translate(text) {
  if (!text) return text;
  const isGerman = isGermanDeck();
  const { words, phrases } = isGerman ? decks.german : decks.french;
  const said = phrases ? words[text] ?? text.replace(phrases, (found) => words[found]) : text;
  const letters = isGerman ? "UOK" : LETTERS[language()];
  const named = said.replace(/([♦♥♠♣])([JQK])(?!\p{L})/gu, (_, suit, rank) => suit + letters["JQK".indexOf(rank)]);
  if (!isGerman) return named;
  const suits = named.replace(/[♦♥♠♣] (?=\p{L})/gu, "");
  return suits.replace(/[♦♥♠♣](?=\S)/gu, (suit) => `${words[SUITS[suit]] ?? SUITS[suit]} `);
}

/** A whole sentence in the language of the page, or as it is. */
export function translateSentence(text) {
  return own[text] ?? text;
}

/** Translates the words that a page is written with; `say` gives those of a text. */
export function translatePage(say = translate) {
  document.documentElement.lang = language();
  document.title = say(document.title);
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const words = walker.currentNode.data.trim();
    if (words) walker.currentNode.data = walker.currentNode.data.replace(words, () => say(words));
  }
  for (const name of ["aria-label", "placeholder"]) {
    for (const found of document.querySelectorAll(`[${name}]`)) found.setAttribute(name, say(found.getAttribute(name)));
  }
}
