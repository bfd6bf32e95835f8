// A table: what the server shows is drawn, one change after the other; what the person does is sent.

import { cardKey } from "./cards.js";
import { linkRow } from "./links.js";
import { remember, seatAddress, tokens } from "./mine.js";
import { moveAway, moveIn, whereabouts } from "./motion.js";
import { play } from "./sound.js";
import { drawScene } from "./scene.js";
import { showSettings } from "./settings.js";
import { showThoughts } from "./thoughts.js";
import { translate, translatePage, translateSentence } from "./words.js";

const $ = (id) => document.getElementById(id);
const name = location.pathname.split("/").pop();
const speed = new URLSearchParams(location.search).get("speed");
const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
const PAUSE = speed === null ? (calm ? 0 : 650) : Number(speed) || 0;  // milliseconds that a card is seen
const SAID = 40;  // the last things said that are kept, more than happens between two turns
const TRICK = 2;  // pauses that a whole trick is seen

let socket;
let scene = null;
let waiting = [];
let busy = false;
let retry = 500;
let typed = "";
let hinted = null;  // the last hint
let sent = null;  // the number of the scene that was acted upon: a second click is none
let since = 0;  // when the turn began, by the clock of this browser
let hosted = "";  // whom the host was shown
let late = "";  // who decided in the place of this person, as the time was over
let byKeys = false;  // whether the last thing done was by keys: then the focus follows the turn

function problem(sentence) {
  $("problem").textContent = sentence;
  $("problem").hidden = !sentence;
}

function send(message) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

function connect() {
  if (!("WebSocket" in window)) {
    problem(translate("This browser has no WebSocket, which a table needs: take a newer one."));
    return;
  }
  socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws/${name}`);
  socket.addEventListener("open", () => {
    retry = 500;
    waiting = [];
    sent = null;
    $("table").classList.remove("lost");
    problem("");
    send({ do: "join", ...tokens(name) });
  });
  socket.addEventListener("message", (event) => receive(JSON.parse(event.data)));
  socket.addEventListener("close", (event) => {
    if (event.code === 4403) problem(translate("The server takes no page of another address."));
    if (event.code === 4404 || event.code === 4403) return;
    $("table").classList.add("lost");
    problem(translate("The connection is lost; it is tried again."));
    setTimeout(connect, retry);
    retry = Math.min(2 * retry, 8000);
  });
}

function receive(message) {
  if (message.kind === "scene") {
    for (const player of message.players) if (player.kind === "human" && player.name === "human") player.name = translate("person");
    message.came = performance.now();
    waiting.push(message);
    showNext();
  } else if (message.kind === "error") {
    sent = null;
    problem(translateSentence(message.error));
  } else if (message.kind === "hint") {
    hinted = message;
    $("status").textContent = status();
    say($("status").textContent);
    showHint();
  } else if (message.kind === "thoughts") {
    waiting.push(message);
    showNext();
  } else if (message.kind === "late") {
    late = message.agent;
  } else if (message.kind === "seat") {
    showLink(message);
  }
}

/** Draws the scenes that wait, each as long as a card needs to be seen, and with each what was thought before it. */
function showNext() {
  if (busy) return;
  while (waiting[0]?.kind === "thoughts") showThoughts($("thoughts"), waiting.shift());
  if (!waiting.length) return;
  const before = scene;
  scene = waiting.shift();
  const news = before && before.deal === scene.deal ? scene.history.slice(before.history.length) : scene.history;
  const lay = whereabouts($("table"));
  draw(before === null ? [] : news, before?.deal === scene.deal && scene.history.length < before.history.length);
  if (before === null) remember({ table: name, game: scene.game, ...tokens(name) });
  else if (news.length) moveIn($("table"), lay, lastPlayed(), PAUSE === 0);
  if (before !== null) sounds(before, news);
  if (before === null || !waiting.length && !news.length) return;
  const whole = scene.table.trick.length === 0 && scene.table.last_trick.length && before?.table.trick.length;
  const own = news.length === 1 && news[0].seat === scene.you && !whole;
  const pause = own || !news.length ? 0 : PAUSE * (whole ? TRICK : 1);
  if (!pause) {
    showNext();
    return;
  }
  if (whole) {
    drawTrick(before);
    moveIn($("table"), lay, lastPlayed(), PAUSE === 0);
    moveAway($("table"), scene.table.to_act >= 0 ? scene.table.to_act : scene.table.last_trick[0][0], pause, PAUSE === 0 || scene.table.to_act < 0);
  }
  busy = true;
  setTimeout(() => {
    busy = false;
    if (whole) draw([]);
    showNext();
  }, pause);
}

/** The card that was played last: {seat, card}; null if there is none. */
function lastPlayed() {
  const [seat, card] = (scene.table.trick.length ? scene.table.trick : scene.table.last_trick).at(-1) ?? [];
  return card === undefined ? null : { seat, card };
}

function sounds(before, news) {
  if (scene.over && !before.over) play("end");
  else if (scene.legal.length && !before.legal.length) play("turn");
  else if (news.length) play("card");
}

/** The trick that was just completed, before it is taken. */
function drawTrick(before) {
  const shown = { ...scene, legal: [], table: { ...scene.table, trick: scene.table.last_trick, last_trick: before.table.last_trick, result: [] } };
  drawScene($("table"), shown, {});
}

/** Draws the scene; `back`: actions that were drawn were taken back. */
function draw(news, back = false) {
  // Who comes and goes, and who is asked, changes nothing of what was said.
  if ($("table").dataset.number !== String(scene.number)) {
    hinted = null;
    typed = "";
    problem(late ? `${translate("Your time was over; this one decided for you:")} ${late}` : "");
    if (back || !scene.history.length || news.some((each) => each.seat === scene.you)) $("thoughts").replaceChildren();
  }
  since = scene.came - 1000 * (scene.clock?.gone ?? 0);
  $("table").dataset.number = scene.number;
  const tool = document.activeElement.dataset.do;
  drawScene($("table"), scene, { onCard: act });
  document.title = `${scene.legal.length ? "● " : ""}${translate(scene.table.title)}`;
  $("status").textContent = status();
  drawChoices();
  showHint();
  drawTools();
  drawScore();
  drawHistory();
  drawHost();
  focusAgain(tool);
  const said = news.map((each) => `${playerName(each.seat)}: ${translate(each.label)}`);
  if (scene.over) said.push(...scene.table.result.map(translate));
  else if (scene.legal.length) said.push(translate("your turn"));
  say(said.join("; "));
}

/** Tells screen readers; what was said stays for a while, as they drop what is replaced before they come to it. */
function say(words) {
  if (!words) return;
  const line = document.createElement("p");
  line.textContent = words;
  $("said").append(line);
  while ($("said").childElementCount > SAID) $("said").firstElementChild.remove();
}

function playerName(seat) {
  return seat === scene.you ? translate("you") : fullName(seat);
}

/** A player's name; those who share one are told apart by their seats. */
function fullName(seat) {
  const { name: own, seat_name: place } = scene.players[seat];
  const isShared = scene.players.filter((player) => player.name === own).length > 1;
  return isShared ? `${own} (${translate(place)})` : own;
}

function status() {
  if (scene.over) return "";
  if (scene.request?.mine) return `${fullName(scene.request.seat)} ${translate("asks")}: ${translate(REQUESTS[scene.request.what])}`;
  if (scene.request) return translate("Waiting for the others to agree.");
  if (hinted) return `${hinted.agent}: ${translate(hinted.label)}`;
  if (scene.legal.length) return scene.legal.some((each) => each.card !== null) ? translate("Your turn: choose a card.") : translate("Your turn.");
  const acting = scene.players[scene.table.to_act];
  return acting ? `${fullName(acting.seat)}: ${translate("to act")}` : "";
}

const CLOCK_FROM = 5;  // seconds of thinking from which they are shown where nobody's time ends

/** The time that whoever is to act has left, or has taken. */
function tick() {
  const seconds = (performance.now() - since) / 1000;
  const ends = scene?.clock?.seconds ?? 0;
  const shown = ends ? Math.max(0, Math.ceil(ends - seconds)) : Math.floor(seconds);
  const hidden = !scene || scene.over || !ends && seconds < CLOCK_FROM;
  $("clock").textContent = hidden ? "" : `${Math.floor(shown / 60)}:${String(shown % 60).padStart(2, "0")}`;
  $("clock").classList.toggle("soon", Boolean(ends) && shown <= 5);
}

function act(action) {
  const isOld = waiting.some((each) => each.kind === "scene");
  if (isOld || sent === scene.number || !scene.legal.some((each) => each.action === action)) return;
  sent = scene.number;
  late = "";
  send({ do: "act", action, number: scene.number });
}

function button(text, onClick, className = "") {
  const element = document.createElement("button");
  element.type = "button";
  element.className = className;
  element.textContent = text;
  element.addEventListener("click", onClick);
  return element;
}

function drawChoices() {
  const choices = scene.legal.filter((each) => each.card === null);
  $("choices").replaceChildren(...choices.map((each) => {
    const element = button(translate(each.label), () => act(each.action), "choice");
    element.dataset.action = each.action;
    return element;
  }));
}

/** Puts the focus where it was; a person who plays by keys finds it at what he may do. */
function focusAgain(tool) {
  if (document.activeElement !== document.body) return;
  const same = tool ? document.querySelector(`#tools [data-do="${tool}"]`) : null;
  (same ?? (byKeys ? targets()[0] ?? document.querySelector("#tools .main") : null))?.focus();
}

/** What a person may ask of the others, as they read it. */
const REQUESTS = { undo: "Take back", claim: "The rest is mine", give_up: "Give up" };

/** What else can be done: what is sent, the words, and whether it is the main thing. */
const TOOLS = [
  ["next", translate("Next deal")],
  ["undo", translate("Take back")],
  ["hint", translate("Hint")],
  ["think", translate("Think")],
  ["claim", translate("The rest is mine")],
  ["give_up", translate("Give up")],
];

function drawTools() {
  const tools = TOOLS.filter(([what]) => scene.can[what]).map(([what, words]) => {
    const click = what === "give_up" ? giveUp : () => send({ do: what });
    const element = button(words, click, what === "next" ? "main" : "");
    element.dataset.do = what;
    return element;
  });
  if (scene.request?.mine) {
    tools.unshift(
      button(translate("Agree"), () => send({ do: "answer", agree: true }), "main"),
      button(translate("Refuse"), () => send({ do: "answer", agree: false })));
  }
  if (scene.over) {
    tools.push(button(translate("Review this deal"), review), button(translate("Play it again"), again),
      button(translate("The same deal for a friend"), forFriend));
  }
  if (scene.score.deals.length) {
    const link = document.createElement("a");
    link.href = `/api/tables/${name}/record`;
    link.textContent = translate("Record");
    tools.push(link);
  }
  $("tools").replaceChildren(...tools);
}

/** Leads to the review of the deal that has just ended. */
async function review() {
  const lines = (await (await fetch(`/api/tables/${name}/record`)).text()).trim().split("\n");
  location.href = `/review#${new URLSearchParams({ text: lines[scene.deal] })}`;
}

/** A new table that begins with the deal that has just ended; null if there is none. */
async function sameDeal() {
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ deal: scene.deal });
  try {
    const answer = await (await fetch(`/api/tables/${name}/again`, { method: "POST", headers, body })).json();
    if (!answer.error) return answer;
    problem(translateSentence(answer.error));
  } catch {
    problem(translate("The server does not answer: is it still running?"));
  }
  return null;
}

/** Leads to a new table with this deal, or shows its links if others have a seat there too. */
async function again() {
  const made = await sameDeal();
  if (made === null) return;
  const own = { table: made.table, token: made.seats[scene.you], host: made.host };
  remember({ ...own, game: made.game });
  if (Object.keys(made.seats).length < 2) location.href = seatAddress(own);
  else showLinks(translate("Play it again"), made, made.host);
}

/** Shows the links of a new table with this deal; whoever opens one plays it there without having seen it. */
async function forFriend() {
  const made = await sameDeal();
  if (made !== null) showLinks(translate("The same deal for a friend"), made);
}

/** Shows the links of a new table, by seat; with the host's token that of the own seat can be followed. */
function showLinks(words, made, host = "") {
  const rows = Object.entries(made.seats).map(([seat, token]) => {
    const own = host && Number(seat) === scene.you;
    return linkRow(`${words}: ${translate(scene.players[seat].seat_name)}`,
      seatAddress({ table: made.table, token, host: own ? host : "" }), own ? translate("Sit down") : "");
  });
  $("links").prepend(...rows);
  rows[0]?.querySelector("input").focus();
  rows[0]?.scrollIntoView({ block: "center" });
}

/** Giving up is asked for twice. */
function giveUp(event) {
  const asked = event.currentTarget;
  if (asked.dataset.sure) send({ do: "give_up" });
  asked.dataset.sure = "yes";
  asked.textContent = translate("Really give up?");
}

function drawScore() {
  const table = document.createElement("table");
  const row = (cells, kind = "td") => {
    const line = document.createElement("tr");
    cells.forEach((text, number) => {
      const cell = document.createElement(kind);
      cell.textContent = text;
      if (number === cells.length - 1 && kind === "td") cell.className = "words";
      line.append(cell);
    });
    return line;
  };
  // Players keep their columns; their seats move on by one with every deal.
  const count = scene.players.length;
  const order = scene.players.map((_, player) => (player + count - scene.deal % count) % count);
  const inOrder = (values) => order.map((seat) => values[seat]);
  const head = document.createElement("thead");
  head.append(row([translate("deal"), ...order.map(fullName), ""], "th"));
  const body = document.createElement("tbody");
  for (const deal of scene.score.deals) body.append(row([deal.deal + 1, ...inOrder(deal.points), dealText(deal)]));
  body.append(row([translate("sum"), ...inOrder(scene.score.totals), ""]));
  table.append(head, body);
  $("score").replaceChildren(table);
}

/** How a deal ended, with players in place of the seats that they had then. */
function dealText(deal) {
  const count = scene.players.length;
  const places = scene.players.map((player) => player.seat_name);
  const marked = deal.text.split("; ")[0].replace(new RegExp(`\\b(?:${places.join("|")})\\b(?!-)`, "g"), (place) => {
    const seat = (places.indexOf(place) + deal.deal - scene.deal) % count;
    return `{${(seat + count) % count}}`;
  });
  return translate(marked).replace(/\{(\d)\}/g, (_, seat) => fullName(Number(seat)));
}

function drawHistory() {
  $("history").replaceChildren(...scene.history.map((each) => {
    const line = document.createElement("li");
    line.textContent = `${playerName(each.seat)}: ${translate(each.label)}`;
    return line;
  }));
  $("history").scrollTop = $("history").scrollHeight;
}

/** The host gives seats to others. */
function drawHost() {
  if (scene.host && !$("links").querySelector(".own")) {
    const row = linkRow(translate("your seat, as host"), seatAddress({ table: name, ...tokens(name) }));
    row.classList.add("own");
    $("links").prepend(row);
  }
  const shown = JSON.stringify(scene.players.map((player) => [player.name, player.kind, player.spec]));
  if (!scene.host || shown === hosted) return;
  hosted = shown;
  const title = document.createElement("h2");
  title.textContent = translate("Who plays");
  $("host").replaceChildren(title, ...scene.players.map(hostRow));
}

function hostRow(player) {
  const row = document.createElement("p");
  row.className = "row";
  const spec = document.createElement("input");
  spec.value = player.spec || "rule";
  spec.size = 14;
  spec.setAttribute("aria-label", `${fullName(player.seat)}: ${translate("Agent")}`);
  const giveTo = (by) => send({ do: "replace", seat: player.seat, by });
  row.append(`${fullName(player.seat)} `, spec,
    button(translate("to this agent"), () => giveTo({ kind: "agent", spec: spec.value.trim() })),
    button(translate("to a person"), () => giveTo({ kind: "human" })));
  return row;
}

function showLink(message) {
  $("links").append(linkRow(translate(scene.players[message.seat].seat_name), `${location.origin}/t/${name}#${message.token}`));
}

function showHint() {
  document.querySelectorAll(".chosen-hint").forEach((each) => each.classList.remove("chosen-hint"));
  const found = hinted && document.querySelector(`button[data-card="${hinted.action}"], button[data-action="${hinted.action}"]`);
  found?.classList.add("chosen-hint");
}

/** The buttons that the arrows go through: choices, then cards. */
function targets() {
  return [...document.querySelectorAll("#choices button, #table button.playable")];
}

const KEYS = { u: "undo", h: "hint", t: "hint", r: "claim", n: "next" };

document.addEventListener("pointerdown", () => { byKeys = false; });

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !scene || event.target.closest("input, select, textarea, dialog")) return;
  byKeys = true;
  const found = targets();
  const at = found.indexOf(document.activeElement);
  if (["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"].includes(event.key) && found.length) {
    const step = event.key === "ArrowRight" || event.key === "ArrowDown" ? 1 : -1;
    found[at < 0 ? (step > 0 ? 0 : found.length - 1) : (at + step + found.length) % found.length].focus();
    event.preventDefault();
    return;
  }
  const key = event.key.toLowerCase();
  if (!typed && scene.can[KEYS[key]] && !startsCard(key.toUpperCase())) {
    send({ do: KEYS[key] });
    return;
  }
  if (key === "?") $("help").showModal();
  if (event.key === "Escape") typed = "";
  if (event.key.length === 1 && /[0-9a-z]/.test(key)) type(key.toUpperCase());
  if (event.key === "Enter" && typed) {
    type("\n");
    event.preventDefault();
  }
});

/** Whether a letter begins a card that can be played: then it stands for the card. */
function startsCard(letter) {
  return scene.legal.some((each) => each.card !== null && cardKey(each.card).startsWith(letter));
}

/** What is typed plays as soon as it can mean one thing only. */
function type(letter) {
  if (letter !== "\n") typed += letter;
  const cards = scene.legal.filter((each) => each.card !== null);
  const texts = cards.length === scene.legal.length ? cards.map((each) => cardKey(each.card)) : scene.legal.map((_, number) => String(number + 1));
  const whole = texts.indexOf(typed);
  const others = texts.some((text) => text !== typed && text.startsWith(typed));
  if (whole >= 0 && (!others || letter === "\n")) {
    act(scene.legal[whole].action);
    typed = "";
  } else if (whole < 0 && !others) typed = letter === "\n" ? "" : texts.some((text) => text.startsWith(letter)) ? letter : "";
  if (typed) $("status").textContent = typed;
}

translatePage();
showSettings($("settings"), () => scene && draw([]));
$("links").append(linkRow(translate("spectators"), `${location.origin}/t/${name}`));
setInterval(tick, 250);
$("keys").addEventListener("click", () => $("help").showModal());
connect();
