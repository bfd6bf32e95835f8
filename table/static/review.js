// The page that shows a recorded game card by card.

import { lineChart } from "./chart.js";
import { cardSymbol, cost, element, figure, fragment, percent, playerName, post, say, show } from "./page.js";
import { drawScene } from "./scene.js";
import { showSettings } from "./settings.js";
import { showThoughts } from "./thoughts.js";
import { translatePage } from "./words.js";

const $ = (id) => document.getElementById(id);
const MAX_BYTES = 16 << 20;
/** Letters of a name at the table. */
const LONGEST = 24;

/** The question that names the game: {text, number} or {dataset, number}. */
let question = null;
/** The answers of the server; null: not there (yet). */
let game = null, costs = null;
/** By step: what the judge says of the action; filled when it is asked for. */
let verdicts = [];
let step = 0;
/** What ends the questions that are being asked; null: none is. */
let running = null;
/** The games that were asked for so far: an answer that comes after a later question is none. */
let opened = 0;

async function open(asked, at = null, seat = -1) {
  const mine = ++opened;
  show($("problem"), "");
  let found;
  try {
    found = await post("/api/review", { ...asked, seat });
  } catch (error) {
    if (mine === opened) show($("problem"), error.message);
    return;
  }
  if (mine !== opened) return;
  running?.abort();
  const isOther = game === null || game.text !== found.text;
  // Whoever looks from one seat does not want to be told the other hands.
  if (game?.seat !== found.seat) $("hindsight").checked = found.seat < 0;
  game = found;
  // A game of a file is from here on named by its own line, so that the link holds nothing else.
  question = asked.dataset === undefined ? { text: found.text } : asked;
  if (isOther) {
    costs = null;
    verdicts = [];
    for (const id of ["course", "tricks", "judged"]) $(id).replaceChildren();
    for (const id of ["verdict", "judging"]) show($(id), "");
    $("games").hidden = true;
    $("thoughts").replaceChildren();
    $("through-answer").replaceChildren();
    show($("asking"), "");
    if (found.kind === "review") solve();
  }
  if (verdicts.length) drawJudged();
  fill(asked);
  move(Math.min(at ?? (isOther ? firstCard() : step), game.scenes.length - 1));
}

/** The scene in which the first card is played. */
function firstCard() {
  const first = game.steps.findIndex((each) => each.card !== null);
  return first < 0 ? 0 : first;
}

async function solve() {
  const { text } = game;
  show($("verdict"), say("Perfect play is being worked out …"), "status");
  try {
    const found = await post("/api/review/costs", question);
    if (text !== game.text) return;
    costs = found;
    $("verdict").className = "";
    drawValues();
    drawStep();
  } catch (error) {
    if (text === game.text) show($("verdict"), error.message, "status");
  }
}

function fill(asked) {
  $("review").hidden = false;
  $("open").open = false;
  const isView = game.kind === "view";
  $("seat").replaceChildren(...(isView ? [] : [element("option", { value: -1 }, say("all cards"))]),
    ...game.seats.map((name, seat) => element("option", { value: seat }, say(name))));
  $("seat").value = game.seat;
  $("seat").disabled = isView;
  $("asked-seat").replaceChildren(element("option", { value: "" }, say("to act")),
    ...game.seats.map((name, seat) => element("option", { value: seat }, say(name))));
  $("asked-seat").disabled = isView;
  if (game.seat >= 0) $("asked-seat").value = game.seat;
  $("agents").replaceChildren(...game.agents.map((name) => element("option", { value: name })));
  $("through").hidden = isView;
  $("judge").closest("section").hidden = isView;
  $("values").hidden = isView || !$("hindsight").checked;
  $("hindsight").parentElement.hidden = isView;
  $("slider").max = game.scenes.length - 1;
  if (isView) {
    $("title").textContent = say("Review a game");
    document.title = say("Review");
    $("about").textContent = say("A position as one seat sees it.");
    return;
  }
  const { summary } = game;
  $("title").textContent = title(summary);
  document.title = `${title(summary)} – ${say("Review")}`;
  const players = game.seats.map((name, seat) => (name === summary.players[seat] ? say(name) : `${say(name)}: ${playerName(summary.players[seat])}`));
  const ended = summary.won === null ? say(summary.status) : say(summary.won ? "won" : "lost");
  const words = [players.join(", "), ended];
  if (game.reason) words.push(game.reason);
  if (summary.source) words.push(summary.source);
  $("about").textContent = words.join(" · ");
  if (game.games.length > 1) list(asked);
  if (asked.dataset !== undefined) neighbours(asked);
}

function title(summary) {
  const suit = summary.suit === null ? "" : `${"♦♥♠♣"[summary.suit]} `;
  const by = summary.declarer_name ? ` – ${say(summary.declarer_name)}` : "";
  return `${suit}${say(summary.title)}${by}`;
}

function list(asked) {
  $("games").hidden = false;
  $("list").replaceChildren(...game.games.map((each) => {
    if (each.error) return element("li", {}, element("span", { class: "error" }, each.error));
    const won = each.won === null ? say(each.status) : say(each.won ? "won" : "lost");
    const words = `${title(each)}, ${won}: ${each.players.map(playerName).join(", ")}`;
    return element("li", { "aria-current": each.number === game.number ? "true" : null },
      element("button", { type: "button", class: "plain", onclick: () => open({ text: asked.text, number: each.number }) }, words));
  }));
}

/** Links to the games beside one on the shelf. */
function neighbours({ dataset, number }) {
  const to = (other) => `/review#${new URLSearchParams({ dataset, number: other })}`;
  const links = [element("a", { href: `/shelf#${new URLSearchParams({ path: dataset, from: 50 * Math.floor(number / 50) })}` }, dataset)];
  if (number > 0) links.push(element("a", { href: to(number - 1) }, `← ${say("game")} ${number - 1}`));
  if (number + 1 < game.total) links.push(element("a", { href: to(number + 1) }, `${say("game")} ${number + 1} →`));
  $("about").append(element("span", { class: "links" }, ...links.flatMap((link) => [" · ", link])));
}

function move(to) {
  step = Math.max(0, Math.min(game.scenes.length - 1, to));
  drawStep();
  const held = { ...question, step, ...(game.seat >= 0 && game.kind !== "view" ? { seat: game.seat } : {}) };
  history.replaceState(null, "", `#${new URLSearchParams(held)}`);
}

/** The names at the table; undefined: nobody has another than that of the seat. */
function players() {
  const names = game.summary?.players;
  if (!names || names.every((name, seat) => name === game.seats[seat])) return undefined;
  return names.map(playerName).map((name) => ({ name: name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name, kind: "agent" }));
}

function drawStep() {
  const scene = game.scenes[step];
  drawScene($("scene"), { ...scene, players: players() });
  $("slider").value = step;
  const before = game.steps[step - 1];
  const words = [`${step} / ${game.steps.length}`];
  if (before) words.push(`${say(game.seats[before.seat])}: ${say(before.label)}`);
  if (scene.table.to_act >= 0) words.push(`${say(game.seats[scene.table.to_act])} ${say("to act")}`);
  $("slider").setAttribute("aria-valuetext", words.join(", "));
  $("said").textContent = words.join(" · ");
  $("first").disabled = $("back").disabled = step === 0;
  $("on").disabled = $("last").disabled = step === game.steps.length;
  if (costs || verdicts.length) drawVerdict();
}

/** What the card just played cost, and whether the declaring side can still win. */
function drawVerdict() {
  const said = [];
  if (costs) sayOpen(said);
  if (verdicts[step - 1] && isShown(verdicts[step - 1])) said.push(judgement(verdicts[step - 1]));
  const verdict = $("verdict");
  verdict.hidden = false;
  verdict.replaceChildren(...said.map((each) => element("span", {}, `${each} `)));
  for (const row of document.querySelectorAll("#tricks [data-step]")) {
    if (Number(row.dataset.step) === step - 1) row.setAttribute("aria-current", "step");
    else row.removeAttribute("aria-current");
  }
  if (costs) drawCourse();
}

/** Says what perfect play with open cards makes of the step. */
function sayOpen(said) {
  const number = step - costs.first;
  if (number > 0) {
    const card = costs.review.cards[number - 1];
    const name = `${say(game.seats[card.seat])} ${cardSymbol(card.card)}`;
    if (card.cost || card.better.length) {
      const amount = costs.unit ? `${card.cost} ${say(costs.unit)}` : say("the game");
      const better = card.better.length ? ` ${say("Better:")} ${card.better.map(cardSymbol).join(" ")}.` : "";
      const turned = card.wins_before !== card.wins_after ? ` ${say("This gave the game away.")}` : "";
      said.push(`${name} ${say("cost")} ${amount}.${turned}${better}`);
    } else {
      said.push(`${name} ${say("was as good as any.")}`);
    }
  }
  if (number >= 0) {
    const outcome = costs.cards[number]?.outcome ?? costs.end_outcome;
    const isOver = number >= costs.cards.length;
    said.push(isOver && costs.result ? `${say("The end:")} ${say(costs.result)}.`
      : `${say("With open cards and perfect play from here:")} ${say(outcome)}.`);
  } else {
    said.push(`${say("With open cards and perfect play of the cards:")} ${say(costs.cards[0]?.outcome ?? costs.end_outcome)}.`);
  }
}

function drawCourse() {
  const { cards, end_value: end, end_wins: wins } = costs.review;
  if (!cards.length) {
    $("course").replaceChildren();
    return;
  }
  const points = cards.map((card, number) => [number, Number(card.before), null, null, !card.wins_before]);
  points.push([cards.length, Number(end), null, null, !wins]);
  const chart = lineChart(points, {
    steps: true, height: 170, x: say("cards played"), y: `${say(costs.title)}${costs.unit ? `, ${say(costs.unit)}` : ""}`, at: Math.max(0, step - costs.first),
    level: cards.some((card) => card.before < 0) ? 0 : undefined, integer: true,
    label: say("the value of perfect play with open cards through the game"),
    onPick: (number) => move(costs.first + number),
  });
  const dots = say("A full dot: the declaring side wins with perfect play from here; a hollow one: it loses.");
  $("course").replaceChildren(chart, element("p", { class: "note" }, dots));
}

/** The tricks as a table: each card is a button that goes to it, with what it cost. */
function drawValues() {
  const { cards, costs: sums } = costs.review;
  $("tricks").replaceChildren();
  if (!cards.length) return;
  const head = element("tr", {}, element("th", { scope: "col" }, say("trick")), element("th", { scope: "col" }, say(costs.title)),
    ...game.seats.map((name) => element("th", { scope: "col" }, say(name))));
  const body = element("tbody");
  let row = null, cells = null;
  cards.forEach((card, number) => {
    if (row === null || card.trick !== cards[number - 1]?.trick) {
      cells = game.seats.map(() => element("td"));
      row = element("tr", {}, element("th", { scope: "row" }, card.trick), element("td", { class: "number" }, say(costs.cards[number].value)), ...cells);
      body.append(row);
    }
    const turned = card.wins_before !== card.wins_after;
    const words = [cardSymbol(card.card)];
    if (card.cost) words.push(costs.unit ? `−${card.cost}` : "−");
    if (turned) words.push("✗");
    const label = `${say(game.seats[card.seat])} ${cardSymbol(card.card)}${card.cost ? `, ${say("cost")} ${card.cost}` : ""}${turned ? `, ${say("gave the game away")}` : ""}`;
    const button = element("button", {
      type: "button", class: `plain${card.cost ? " costly" : ""}${turned ? " turned" : ""}`, "aria-label": label,
      "data-step": costs.first + number, onclick: () => move(costs.first + number + 1),
    }, words.join(" "));
    if (number === 0 || card.trick !== cards[number - 1].trick) button.classList.add("leads");
    cells[card.seat].append(button);
  });
  const foot = element("tfoot", {}, element("tr", {}, element("th", { scope: "row", colspan: 2 }, say("cost in all")),
    ...sums.map((sum) => element("td", {}, costs.unit ? cost(sum) : String(sum)))));
  $("tricks").append(element("table", { class: "tricks" },
    element("caption", {}, costs.head.map(say).join("; ")), element("thead", {}, head), body, foot),
  element("p", { class: "note" }, say("− is what a card cost its side, ✗ a card that gave the game away; the card that led is underlined.")));
}

/** Asks in place of what is being asked; `where` says how far it is and what went wrong, and nothing once it is stopped. */
async function asking(where, ask) {
  running?.abort();
  const mine = new AbortController();
  running = mine;
  mine.signal.addEventListener("abort", () => show(where, ""));
  try {
    await ask(mine.signal);
  } catch (error) {
    if (error.name === "AbortError") return;
    show(where, error.message);
  }
  running = null;
}

// What each could know

/** Costs below this are what a sample of worlds leaves open. */
const DOUBT = 1;

function judgement({ seat, label, cost: lost, unit, better }) {
  if (lost === null) return `${say("By what it could know:")} ${say("there was nothing to choose.")}`;
  if (lost < DOUBT) return `${say("By what it could know:")} ${say(game.seats[seat])}, ${say(label)}: ${say("as good as any.")}`;
  return `${say("By what it could know:")} ${say(game.seats[seat])}, ${say(label)}: ${say("cost")} ${figure(lost)} ${say(unit.replaceAll("_", " "))}. ${say("Better:")} ${better.slice(0, 3).map(say).join(", ")}.`;
}

/** Asks the judge of every action in turn; of those of one seat if only its cards are seen. */
async function judge(signal) {
  const numbers = [...game.steps.keys()].filter((number) => isShown(game.steps[number]));
  verdicts = [];
  for (const [count, number] of numbers.entries()) {
    show($("judging"), `${say("Thinking …")} ${count + 1} / ${numbers.length}`, "status");
    verdicts[number] = await post("/api/review/verdict", { ...question, step: number }, signal);
    drawJudged();
  }
  show($("judging"), "");
  drawVerdict();
}

/** Whether an action may be judged: better cards of others than the seat that looks would tell their hands. */
function isShown({ seat }) {
  return game.seat < 0 || seat === game.seat;
}

function drawJudged() {
  const shown = verdicts.map((each, number) => ({ ...each, number })).filter(isShown);
  const rows = shown.filter((each) => each.cost !== null && each.cost >= DOUBT);
  const body = element("tbody", {}, ...rows.map((each) => element("tr", {},
    element("th", { scope: "row" }, element("button", { type: "button", class: "plain", onclick: () => move(each.number + 1) }, say(each.label))),
    element("td", {}, say(game.seats[each.seat])), element("td", { class: "number costly" }, cost(Math.round(each.cost))),
    element("td", {}, each.better.slice(0, 3).map(say).join(", ")))));
  const sums = [...new Set(shown.map((each) => each.seat))].sort().map((seat) =>
    `${say(game.seats[seat])} ${cost(Math.round(rows.filter((each) => each.seat === seat).reduce((sum, each) => sum + each.cost, 0)))}`);
  const units = [...new Set(rows.map((each) => say(each.unit.replaceAll("_", " "))))].join(", ");
  const head = element("tr", {}, ...["action", "seat", "cost", "better"].map((name) => element("th", { scope: "col" }, say(name))));
  const judged = shown.filter((each) => each.cost !== null).length;
  $("judged").replaceChildren(
    element("p", {}, `${judged} ${say("decisions judged;")} ${sums.join(", ")}`),
    ...(rows.length ? [element("table", {}, element("caption", {}, `${say("What could be known to be worse")}${units ? ` (${units})` : ""}`), element("thead", {}, head), body)] : []),
    element("p", { class: "note" }, say("Each action is valued by what its seat knew then: calls by values of hands, cards by worlds that fit the game so far. Costs below 1 are left out.")));
}

// Asking others

function asked(at) {
  const seat = $("asked-seat").value;
  const found = { ...question, step: at, agent: $("agent").value, belief: $("belief").value, blind: !$("hindsight").checked };
  if (seat !== "" && game.kind !== "view") found.seat = Number(seat);
  return found;
}

async function ask(signal) {
  show($("asking"), say("Thinking …"), "status");
  const at = step;
  const found = await post("/api/review/ask", asked(at), signal);
  const seat = say(game.seats[found.seat]);
  const played = game.steps[at];
  const compared = found.label && played && played.seat === found.seat && game.seat < 0
    ? ` ${say("In the game:")} ${say(played.label)}.` : "";
  show($("asking"), `${seat}, ${at} / ${game.steps.length}.${compared}`, "status");
  showThoughts($("thoughts"), found);
}

/** Asks at each card of a seat in turn, and shows what comes as it comes. */
async function askThrough(signal) {
  const chosen = $("asked-seat").value;
  const seat = chosen === "" ? game.scenes[step].table.to_act : Number(chosen);
  // A belief alone is asked after every card, an agent where it is to play one.
  const isAlone = !$("agent").value.trim();
  const numbers = [...game.steps.keys()].filter((number) => game.steps[number].card !== null && (isAlone || game.steps[number].seat === seat));
  if (seat < 0 || !numbers.length) {
    show($("asking"), say("There are no cards of that seat: choose another."));
    return;
  }
  const body = element("tbody"), figures = element("div");
  const head = element("tr", {}, ...["card", "in the game", "asked", "value", "votes for the card played", "true place", "true cards"].map((name) => element("th", { scope: "col" }, say(name))));
  $("through-answer").replaceChildren(figures, element("table", { class: "through" },
    element("caption", {}, `${say(game.seats[seat])}: ${$("agent").value || $("belief").value}`), element("thead", {}, head), body),
  element("p", { class: "note" }, say("true place: the mean probability that the belief gives to where the cards lie; true cards: how many times likelier they are held than without inference.")));
  const values = new Map(), ratios = [];  // values by unit: those of two units make no line
  for (const [count, number] of numbers.entries()) {
    show($("asking"), `${say("Thinking …")} ${count + 1} / ${numbers.length}`, "status");
    const found = await post("/api/review/ask", { ...asked(number), seat }, signal);
    const played = game.steps[number];
    const vote = found.actions?.find((each) => each.card === played.card)?.weight;
    const differs = found.action !== undefined && found.action !== played.card;
    const told = found.belief ?? {};
    const valued = found.value !== null && found.value !== undefined, unit = valued ? say(found.unit.replaceAll("_", " ")) : "";
    if (valued) values.set(unit, [...(values.get(unit) ?? []), [number - firstCard(), found.value, null, null]]);
    if (told.ratio) ratios.push([number - firstCard(), Math.log2(told.ratio), null, null]);
    body.append(element("tr", {},
      element("th", { scope: "row" }, element("button", { type: "button", class: "plain", onclick: () => { move(number); showThoughts($("thoughts"), found); } }, String(number - firstCard() + 1))),
      element("td", {}, say(played.label)), element("td", { class: differs ? "differs" : null }, found.label ? `${differs ? "≠ " : ""}${say(found.label)}` : "–"),
      element("td", { class: "number" }, valued ? `${figure(found.value)} ${unit}` : "–"), element("td", { class: "number" }, vote === null || vote === undefined ? "–" : percent(vote)),
      element("td", { class: "number" }, told.mean === null || told.mean === undefined ? "–" : percent(told.mean)),
      element("td", { class: "number" }, told.ratio ? `× ${figure(told.ratio)}` : "–")));
    figures.replaceChildren();
    const lines = [...values].map(([each, points]) => [`${say("value")}, ${each}`, points]);
    for (const [name, points] of [...lines, [say("true cards, doublings over no inference"), ratios]]) {
      if (points.length > 1) figures.append(element("figure", {}, element("figcaption", {}, name), lineChart(points, { height: 130, label: name, integer: true, level: points === ratios ? 0 : undefined, x: say("cards played") })));
    }
  }
  show($("asking"), "");
}

// What the reader does

async function read(file) {
  if (file.size > MAX_BYTES) {
    show($("problem"), say("The file has more than 16 megabytes: put it on the shelf."));
    return;
  }
  try {
    const start = new Uint8Array(await file.slice(0, 2).arrayBuffer());
    const packed = start[0] === 0x1f && start[1] === 0x8b;
    const text = packed ? await new Response(file.stream().pipeThrough(new DecompressionStream("gzip"))).text() : await file.text();
    $("text").value = text.length > 5000 ? "" : text;
    await open({ text });
  } catch {
    show($("problem"), say("The file cannot be read: expected text, plain or .gz."));
  }
}

async function fromAddress() {
  const held = fragment();
  if (held.text === undefined && held.dataset === undefined) return;
  const at = held.step === undefined ? null : Number(held.step) || 0;
  const seat = held.seat === undefined ? -1 : Number(held.seat);
  if (held.dataset !== undefined) await open({ dataset: held.dataset, number: Number(held.number) || 0 }, at, seat);
  else await open({ text: held.text, number: Number(held.number) || 0 }, at, seat);
}

async function copy(text, button) {
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = say("Copied");
  } catch {
    window.prompt(before, text);
  }
  setTimeout(() => { button.textContent = before; }, 1500);
}

translatePage(say);
showSettings($("settings"), () => game && drawStep());
$("form").addEventListener("submit", (event) => {
  event.preventDefault();
  open({ text: $("text").value });
});
$("file").addEventListener("change", () => $("file").files.length && read($("file").files[0]));
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
  event.preventDefault();
  const [file] = event.dataTransfer.files;
  if (file) read(file);
  else if (event.dataTransfer.getData("text")) open({ text: event.dataTransfer.getData("text") });
});
$("seat").addEventListener("change", () => open(question, step, Number($("seat").value)));
$("hindsight").addEventListener("change", () => { $("values").hidden = !$("hindsight").checked; });
$("slider").addEventListener("input", () => move(Number($("slider").value)));
for (const [id, to] of [["first", () => 0], ["back", () => step - 1], ["on", () => step + 1], ["last", () => game.steps.length]]) {
  $(id).addEventListener("click", () => move(to()));
}
$("link").addEventListener("click", () => {
  const held = new URLSearchParams({ text: game.text, step, ...(game.seat >= 0 && game.kind !== "view" ? { seat: game.seat } : {}) });
  copy(`${location.origin}/review#${held}`, $("link"));
});
$("position").addEventListener("click", () => copy(game.scenes[step].position, $("position")));
$("judge").addEventListener("click", () => asking($("judging"), judge));
$("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  asking($("asking"), ask);
});
$("through").addEventListener("click", () => asking($("asking"), askThrough));
document.addEventListener("keydown", (event) => {
  if (!game || event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.target.closest("input, textarea, select")) return;
  const to = { ArrowLeft: step - 1, ArrowRight: step + 1, Home: 0, End: game.steps.length,
    PageUp: step - game.seats.length, PageDown: step + game.seats.length }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  move(to);
});
window.addEventListener("hashchange", fromAddress);
fromAddress();
