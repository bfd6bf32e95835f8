// What an agent thinks: votes and values of its actions, and where it believes the hidden cards to lie.

import { element, figure, percent, say } from "./page.js";
import { lineChart } from "./chart.js";

const SHADES = 9;

/** Shows a message of the kind `thoughts` in an element. */
export function showThoughts(root, message) {
  root.replaceChildren();
  root.classList.add("thoughts");
  if (message.actions) root.append(decision(message), actions(message));
  if (comparable(message).length > 1) root.append(course(message));
  if (message.belief) root.append(...belief(message.belief));
}

function decision(message) {
  const said = [`${message.agent}: `, element("strong", {}, say(message.label))];
  if (message.value !== null) said.push(`, ${say("value")} ${figure(message.value)}`);
  if (message.unit) said.push(` (${say(message.unit.replaceAll("_", " "))})`);
  const stats = Object.entries(message.stats ?? {}).map(([name, value]) => `${figure(value)} ${say(name.replaceAll("_", " "))}`);
  const root = element("div", { class: "decision" }, element("p", {}, ...said));
  if (stats.length) root.append(element("p", { class: "stats" }, stats.join(", ")));
  return root;
}

/** Each action with its share of the votes, as a bar and a number, and its value. */
function actions(message) {
  const hasWeights = message.actions.some((each) => each.weight !== null);
  const hasValues = message.actions.some((each) => each.value !== null);
  const head = element("tr", {}, element("th", { scope: "col" }, say("action")));
  if (hasWeights) head.append(element("th", { scope: "col" }, say("votes")));
  if (hasValues) head.append(element("th", { scope: "col" }, say("value")));
  const body = element("tbody");
  for (const each of message.actions) {
    const chosen = each.action === message.action;
    const row = element("tr", { class: chosen ? "chosen" : null },
      element("th", { scope: "row" }, say(each.label), chosen ? ` ← ${say("plays")}` : ""));
    if (hasWeights) {
      const bar = element("meter", { min: 0, max: 1, value: each.weight, "aria-hidden": "true" });
      row.append(element("td", { class: "votes" }, bar, element("span", {}, percent(each.weight))));
    }
    if (hasValues) row.append(element("td", { class: "number" }, figure(each.value)));
    body.append(row);
  }
  return element("table", { class: "actions" },
    element("caption", {}, say("What it may do")), element("thead", {}, head), body);
}

/** The values of a game that are in the unit of this one: points and probabilities make no line. */
function comparable(message) {
  return (message.course ?? []).filter((point) => point.value !== null && point.unit === message.unit);
}

function course(message) {
  const points = comparable(message).map((point) => [point.number, point.value, null, null]);
  return element("figure", {}, element("figcaption", {}, say("Its value through the game")),
    lineChart(points, { height: 150, x: say("actions"), label: say("the value of the agent through the game"), integer: true }));
}

/** The chance of each hidden card at each place: a number in every cell, shaded; the true place has a frame and a mark. */
function belief(told) {
  const isJudged = told.cards.some((each) => each.truth !== undefined);
  const worlds = `${told.worlds.toLocaleString("en")} ${say(told.worlds === 1 ? "world is possible" : "worlds are possible")}`;
  const source = told.exact ? say("exact") : `${told.drawn.toLocaleString("en")} ${say("worlds drawn")}`;
  const root = [element("h3", {}, say("Where the hidden cards lie")),
    element("p", {}, `${told.name}: ${worlds}, ${source}.`)];
  if (!told.cards.length) return [...root, element("p", {}, say("Every card is known."))];
  const head = element("tr", {}, element("th", { scope: "col" }, say("card")),
    ...told.places.map((place, number) => element("th", { scope: "col" }, say(told.place_names[number]))));
  const body = element("tbody");
  for (const each of told.cards) {
    const row = element("tr", {}, element("th", { scope: "row" }, say(each.label)));
    each.chances.forEach((chance, place) => {
      const shade = Math.round(Math.min(1, Math.max(0, chance)) * (SHADES - 1));
      const isTrue = each.truth === place;
      const cell = element("td", { class: `shade${shade}${isTrue ? " true" : ""}` }, percent(chance));
      if (isTrue) cell.append(element("span", { class: "mark", title: say("it lies here") }, " ●"),
        element("span", { class: "hidden-text" }, ` ${say("it lies here")}`));
      row.append(cell);
    });
    body.append(row);
  }
  root.push(element("table", { class: "belief" },
    element("caption", {}, say("Probability of each place")), element("thead", {}, head), body));
  if (isJudged) root.push(judged(told));
  return root;
}

function judged(told) {
  const said = [`● ${say("is where the card lies.")}`];
  if (told.mean !== null) said.push(`${say("On average the true place gets")} ${percent(told.mean)}.`);
  if (told.ratio !== null) said.push(`${say("The true cards are held to be")} ${figure(told.ratio)} ${say("times as likely as without inference.")}`);
  return element("p", { class: "judged" }, said.join(" "));
}
