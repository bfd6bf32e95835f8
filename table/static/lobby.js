// The page on which tables are made.

import { linkRow } from "./links.js";
import { forget, myTables, remember, seatAddress } from "./mine.js";
import { showSettings } from "./settings.js";
import { translate, translatePage, translateSentence } from "./words.js";

const $ = (id) => document.getElementById(id);
const KINDS = { human: translate("person"), agent: translate("agent") };
let options;

function problem(sentence) {
  $("problem").textContent = sentence;
  $("problem").hidden = !sentence;
}

function labelled(text, control) {
  const element = document.createElement("label");
  element.append(`${text} `, control);
  return element;
}

function select(id, values, chosen) {
  const element = document.createElement("select");
  element.id = id;
  for (const [value, text] of Object.entries(values)) element.append(new Option(text, value, false, value === chosen));
  return element;
}

/** Values with their words. */
function translated(values) {
  return Object.fromEntries(values.map((value) => [value, translate({ true: "yes", false: "no" }[value] ?? value)]));
}

function input(id, value, list) {
  const element = document.createElement("input");
  element.id = id;
  element.value = value;
  element.size = 18;
  element.maxLength = list ? 500 : 40;
  if (list) element.setAttribute("list", list);
  return element;
}

function capital(text) {
  return text[0].toUpperCase() + text.slice(1);
}

function ruleRow(rule) {
  const row = document.createElement("p");
  row.className = "row";
  const control = select(`rule-${rule.name}`, translated(rule.choices), rule.default);
  row.append(labelled(capital(translate(rule.name.replaceAll("_", " "))), control));
  if (rule.about) {
    const note = document.createElement("span");
    note.className = "note";
    note.id = `about-${rule.name}`;
    note.textContent = translate(rule.about);
    control.setAttribute("aria-describedby", note.id);
    row.append(note);
  }
  return row;
}

function showGame() {
  const game = options.games[$("game").value];
  $("rules").replaceChildren(...game.rules.map(ruleRow));
  $("agents").replaceChildren(...game.agents.map((name) => new Option(name)));
  $("seats").replaceChildren(...game.seats.map(seatRow));
}

function seatRow(name, seat) {
  const row = document.createElement("p");
  row.className = "row";
  const title = document.createElement("span");
  title.className = "seat";
  title.textContent = translate(name);
  const kind = select(`kind-${seat}`, KINDS, seat ? "agent" : "human");
  const person = input(`name-${seat}`, "");
  const agent = input(`agent-${seat}`, "rule", "agents");
  const show = () => {
    person.parentElement.hidden = kind.value !== "human";
    agent.parentElement.hidden = kind.value !== "agent";
  };
  row.append(title, labelled(translate("Player"), kind), labelled(translate("Name"), person), labelled(translate("Agent"), agent));
  kind.setAttribute("aria-label", `${translate(name)}: ${translate("Player")}`);
  kind.addEventListener("change", show);
  show();
  return row;
}

function wanted() {
  const game = options.games[$("game").value];
  const rules = game.rules.filter((rule) => $(`rule-${rule.name}`).value !== rule.default);
  const seats = game.seats.map((_, seat) => $(`kind-${seat}`).value === "human"
    ? { kind: "human", name: $(`name-${seat}`).value.trim() }
    : { kind: "agent", spec: $(`agent-${seat}`).value.trim() });
  const table = {
    game: $("game").value,
    rules: rules.map((rule) => `${rule.name}=${$(`rule-${rule.name}`).value}`).join(" "),
    seats,
    undo: $("undo").checked,
    hint: $("hint").value.trim(),
    thoughts: $("thoughts").checked,
    open: $("open").checked,
    clock: Number.parseInt($("clock").value, 10) || 0,
  };
  // A seed may have more digits than a number keeps.
  return $("seed").value ? JSON.stringify({ ...table, seed: 0 }).replace('"seed":0}', `"seed":${BigInt($("seed").value)}}`) : JSON.stringify(table);
}

async function make(event) {
  event.preventDefault();
  problem("");
  let answer;
  const button = $("form").querySelector("button.main");
  const words = button.textContent;
  button.disabled = true;
  button.textContent = translate("The agents are coming …");
  try {
    const headers = { "Content-Type": "application/json" };
    const response = await fetch("/api/tables", { method: "POST", headers, body: wanted() });
    answer = await response.json();
  } catch {
    problem(translate("The server does not answer: is it still running?"));
    return;
  } finally {
    button.disabled = false;
    button.textContent = words;
  }
  if (answer.error) {
    problem(translateSentence(answer.error));
    return;
  }
  const { table, host } = answer;
  const mine = Object.keys(answer.seats)[0];
  const token = mine === undefined ? "" : answer.seats[mine];
  const game = options.games[$("game").value];
  remember({ table, game: $("game").value, token, host });
  const links = Object.entries(answer.seats).map(([seat, own]) =>
    [translate(game.seats[seat]), seatAddress({ table, token: own, host: own === token ? host : "" }), translate("Sit down")]);
  links.push([translate("spectators"), seatAddress({ table }), translate("Look on")]);
  if (Object.keys(answer.seats).length < 2) location.href = seatAddress({ table, token, host });
  else showLinks(links);
}

/** The tables of this browser that the server still has. */
async function showKnown() {
  const rows = [];
  for (const each of myTables()) {
    let found;
    try {
      const response = await fetch(`/api/tables/${each.table}`);
      if (response.status === 404) forget(each.table);
      if (!response.ok) continue;
      found = await response.json();
    } catch {
      continue;
    }
    const link = document.createElement("a");
    link.href = seatAddress(each);
    link.textContent = capital(found.game);
    const row = document.createElement("li");
    row.append(link, ` · ${translate("deals that have ended")}: ${found.deals}${each.host ? ` · ${translate("host")}` : ""}${each.token ? "" : ` · ${translate("spectator")}`}`);
    rows.push(row);
  }
  $("tables").replaceChildren(...rows);
  $("known").hidden = !rows.length;
}

function showLinks(links) {
  $("links").replaceChildren(...links.map((each) => linkRow(...each)));
  $("made").hidden = false;
  $("made").scrollIntoView();
  $("links").querySelector("button").focus();
}

translatePage();
showSettings($("settings"));
options = await (await fetch("/api/options")).json();
for (const name of Object.keys(options.games)) $("game").append(new Option(capital(name), name));
$("game").addEventListener("change", showGame);
$("form").addEventListener("submit", make);
showGame();
showKnown();
