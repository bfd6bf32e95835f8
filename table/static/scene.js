// The picture of a table: hands around the trick, what is played, and how it stands.

import { cardElement, cardName } from "./cards.js";
import { isGermanDeck, translate } from "./words.js";

const PLACES = { 3: ["bottom", "left", "right"], 4: ["bottom", "left", "top", "right"] };

const ROW = 6;  // cards that fit side by side on a phone

function made(name, className, ...children) {
  const element = document.createElement(name);
  element.className = className;
  element.append(...children.filter((child) => child !== null));
  return element;
}

/**
 * Draws a table in an element.
 *
 * scene: what the server sends; of it only `table` is needed, and `players`, `legal` where there are any.
 * options.onCard: called with a card that the viewer plays; without it nothing can be played.
 */
export function drawScene(root, scene, { onCard } = {}) {
  const table = scene.table;
  const count = table.hands.length;
  const legal = new Set((scene.legal ?? []).filter((each) => each.card !== null).map((each) => each.card));
  const focused = root.contains(document.activeElement) ? document.activeElement.dataset.card : undefined;
  const felt = made("div", `felt seats-${count}`);
  felt.append(header(table));
  table.hands.forEach((hand, seat) => {
    const place = PLACES[count][(seat - table.bottom + count) % count];
    felt.append(handElement(table, hand, seat, place, { player: scene.players?.[seat], legal, onCard }));
  });
  felt.append(middle(table, count));
  if (table.result.length) felt.append(made("div", "result", ...table.result.map((line, number) => made(number ? "p" : "h2", "", translate(line)))));
  root.replaceChildren(felt);
  if (focused !== undefined) root.querySelector(`button[data-card="${focused}"]`)?.focus();
}

function header(table) {
  const title = made("strong", "title", ...(table.suit === null || isGermanDeck() ? [] : [suitMark(table.suit)]), translate(table.title));
  const said = made("div", "standing", title, ...table.lines.map((line) => made("span", "line", translate(line))));
  const head = made("div", "head", said);
  if (table.last_trick.length) {
    const cards = table.last_trick.map(([seat, card]) => {
      return made("span", "taken", cardElement(card), made("small", "", translate(table.hands[seat].name)));
    });
    head.append(made("div", "last", made("span", "note", translate("last trick")), ...cards));
  }
  return head;
}

function suitMark(suit) {
  const mark = made("span", `suit suit-${suit}`, "♦♥♠♣"[suit]);
  mark.setAttribute("aria-hidden", "true");
  return mark;
}

function handElement(table, hand, seat, place, { player, legal, onCard }) {
  const acts = seat === table.to_act;
  const name = player ? player.name : translate(hand.name);
  const label = player ? `${name}, ${translate(hand.name)}` : name;
  const marks = [...(player ? [translate(hand.name)] : []), ...hand.marks.map(translate), ...(acts ? [translate("to act")] : [])];
  const plate = made("div", acts ? "plate acts" : "plate", made("span", "name", name), made("span", "marks", marks.join(" · ")));
  if (player && player.kind === "human" && !player.here) plate.append(made("span", "away", translate("away")));
  if (player?.failed) plate.append(made("span", "failed", player.failed));
  const mine = place === "bottom";
  const seen = hand.cards.some((card) => card !== null);
  const cards = made("div", seen ? "cards" : "cards backs");
  cards.setAttribute("role", "group");
  cards.setAttribute("aria-label", seen ? `${label}: ${translate("cards")}` : `${label}: ${hand.cards.length} ${translate("cards")}`);
  hand.cards.forEach((card) => {
    const pale = card !== null && Boolean(hand.played >>> card & 1);
    const plays = mine && onCard && legal.has(card) ? onCard : null;
    const element = cardElement(card, { pale, onPlay: plays });
    if (mine && legal.size && !plays) element.classList.add("barred");
    if (!seen) element.setAttribute("aria-hidden", "true");
    cards.append(element);
  });
  if (hand.cards.length > ROW) {
    cards.classList.add("many");
    cards.style.setProperty("--per-row", Math.ceil(hand.cards.length / 2));
  }
  const section = made("section", `hand ${place}`, plate, cards);
  section.setAttribute("aria-label", label);
  section.dataset.seat = seat;
  return section;
}

function middle(table, count) {
  const trick = made("div", "trick");
  trick.setAttribute("role", "group");
  if (table.trick.length) trick.setAttribute("aria-label", table.trick.map(([seat, card]) => `${translate(table.hands[seat].name)}: ${cardName(card)}`).join(", "));
  for (const [seat, card] of table.trick) {
    const element = cardElement(card);
    element.classList.add(`from-${PLACES[count][(seat - table.bottom + count) % count]}`);
    trick.append(element);
  }
  const pile = table.pile.length
    ? made("div", "pile", made("span", "note", translate(table.pile_name)), ...table.pile.map((card) => cardElement(card)))
    : null;
  return made("div", "middle", pile, trick);
}
