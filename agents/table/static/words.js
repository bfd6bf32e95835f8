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

const words = language() === "en" ? {} : await (await fetch(`/static/words/${language()}.json`)).json();
const escaped = Object.keys(words).sort((a, b) => b.length - a.length).map((each) => each.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
const phrases = escaped.length ? new RegExp(`(?<![\\p{L}-])(?:${escaped.join("|")})(?![\\p{L}-])`, "gu") : null;

const LETTERS = { en: "JQK", de: "BDK", nl: "BVH" };

/** A text in the language of the page; names and numbers stay. Cards such as `♠J` get the letters of the deck. */
export function translate(text) {
  if (!text) return text;
  const said = phrases ? words[text] ?? text.replace(phrases, (found) => words[found]) : text;
  const letters = localStorage.getItem("deck") === "german" ? "UOK" : LETTERS[language()];
  return said.replace(/([♦♥♠♣])([JQK])(?!\p{L})/gu, (_, suit, rank) => suit + letters["JQK".indexOf(rank)]);
}

/** Translates the texts that a page was written with. */
export function translatePage(root = document.body) {
  document.documentElement.lang = language();
  document.title = translate(document.title);
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const text = node.textContent.trim();
    if (text && !node.parentElement.closest("script")) node.textContent = node.textContent.replace(text, translate(text));
  }
  for (const element of root.querySelectorAll("[aria-label], [placeholder], [title]"))
    for (const name of ["aria-label", "placeholder", "title"])
      if (element.hasAttribute(name)) element.setAttribute(name, translate(element.getAttribute(name)));
}
