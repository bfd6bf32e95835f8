// Cards as elements: a face from the server, and a name for those who do not see it.

import { isGermanDeck, language, translate } from "./words.js";

const SUITS = ["diamonds", "hearts", "spades", "clubs"];
const RANKS = ["7", "8", "9", "ten", "jack", "queen", "king", "ace"];
const KEYS = ["7", "8", "9", "10", "J", "Q", "K", "A"];

/** How cards look, as chosen before: deck, letters and colours. */
function cardStyle() {
  const deck = isGermanDeck() ? "german" : "french";
  const colours = localStorage.getItem("colours") === "two" ? "two" : "four";
  return `${deck}-${language()}-${colours}`;
}

function faceUrl(card) {
  return `/faces/${cardStyle()}/${card ?? "back"}.svg`;
}

/** `jack of clubs`, in the language of the page. */
export function cardName(card) {
  if (card === null) return translate("face-down card");
  const [suit, rank] = [translate(SUITS[card >> 3]), translate(RANKS[card & 7])];
  return language() === "en" ? `${rank} of ${suit}` : `${suit} ${rank}`;
}

/** `SJ`: what may be typed for a card. */
export function cardKey(card) {
  return "DHSC"[card >> 3] + KEYS[card & 7];
}

/** A card; with `onPlay` a button that plays it. */
export function cardElement(card, { onPlay = null, pale = false } = {}) {
  const face = document.createElement("img");
  face.src = faceUrl(card);
  face.alt = "";
  face.draggable = false;
  face.decoding = "sync";  // a card that is drawn again does not flicker
  const element = document.createElement(onPlay ? "button" : "span");
  element.className = "card";
  element.append(face);
  element.setAttribute("aria-label", cardName(card));
  if (card !== null) element.dataset.card = card;
  if (pale) element.classList.add("pale");
  if (onPlay) {
    element.type = "button";
    element.classList.add("playable");
    element.addEventListener("click", () => onPlay(card));
  } else {
    element.setAttribute("role", "img");
  }
  return element;
}
