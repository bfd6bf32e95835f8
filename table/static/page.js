// What the pages of games and results share: elements, questions to the server, symbols of cards.

import { language, translate } from "./words.js";

const own = language() === "en" ? { texts: {}, phrases: {} } : await (await fetch(`/static/words/pages.${language()}.json`)).json();
const phrases = Object.keys(own.phrases).sort((a, b) => b.length - a.length).join("|");
const phrase = phrases ? new RegExp(`(?<!\\p{L})(?:${phrases})(?!\\p{L})`, "gu") : null;

/** A text in the reader's language: of these pages, with the phrases of reviews, else of the games. */
export function say(text) {
  if (Object.hasOwn(own.texts, text)) return own.texts[text];
  return translate(phrase ? text.replace(phrase, (found) => own.phrases[found]) : text);
}

/** The name of a player in a record: who gave none at a table is `human` there. */
export function playerName(name) {
  return name === "human" ? say("person") : name;
}

const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes and children; texts are put in as text. */
export function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** The same in SVG. */
export function drawn(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(found, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) found.addEventListener(key.slice(2), value);
    else if (value === true) found.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) found.setAttribute(key, value);
  }
  found.append(...children.filter((child) => child !== null && child !== undefined));
  return found;
}

/** The answer to a question; an error has the server's sentence. */
export async function post(path, question, signal) {
  const body = JSON.stringify(question);
  return answer(path, { method: "POST", headers: { "Content-Type": "application/json" }, body, signal });
}

export async function get(path, question = {}) {
  const words = new URLSearchParams(Object.entries(question).filter(([, value]) => value !== ""));
  return answer(`${path}?${words}`, {});
}

async function answer(address, options) {
  let response;
  try {
    response = await fetch(address, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error(say("The server does not answer: is it still running?"));
  }
  let found;
  try {
    found = await response.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    const sentence = response.ok ? say("The answer of the server was cut off.") : `The server answered ${response.status} without a reason.`;
    throw Object.assign(new Error(sentence), { status: response.status });
  }
  if (!response.ok) throw new Error(found.error ?? `The server answered ${response.status}.`);
  return found;
}

/** `SJ` as people write it: `♠J`, with the letters of their deck. */
export function cardSymbol(text) {
  return say("♦♥♠♣"["DHSC".indexOf(text[0])] + (text[1] === "T" ? "10" : text[1]));
}

export function percent(share) {
  const number = 100 * share;
  if (number > 0 && number < 0.5) return "<1%";
  if (number < 100 && number >= 99.5) return ">99%";
  return `${Math.round(number)}%`;
}

/** A number with about three digits that count. */
export function figure(value) {
  if (value === null || value === undefined) return "–";
  return plain(value).replace("-", "−");
}

function plain(value) {
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return String(value);
  const size = Math.abs(value);
  if (size !== 0 && (size < 0.001 || size >= 1e6)) return value.toExponential(2);
  return value.toFixed(size >= 100 ? 1 : size >= 1 ? 2 : 3);
}

/** What errors cost: `−12`, or 0. */
export function cost(amount) {
  return amount ? `−${amount}` : "0";
}

/** The words after # of the address. */
export function fragment() {
  return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

export function show(where, sentence, kind = "error") {
  where.textContent = sentence;
  where.className = sentence ? kind : "";
  where.hidden = !sentence;
}
