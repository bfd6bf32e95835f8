// The pages of the shelf: folders, games with filters, matches, ladders, training runs and other results.

import { lineChart } from "./chart.js";
import { cost, drawn, element, figure, fragment, get, percent, playerName, say, show } from "./page.js";
import { translatePage } from "./words.js";

const $ = (id) => document.getElementById(id);
const KINDS = { folder: "folder", games: "games", match: "match", ladder: "ladder", run: "training run", result: "result", report: "report", picture: "picture" };
const PAGES = { games: showGames, match: showMatch, ladder: showLadder, run: showRun, result: showResult, picture: showPicture };
const CURVES_AT_FIRST = 4;
const ROWS = 200;

/** The pages that were asked for so far: an answer that comes after a later question is not shown. */
let opened = 0;

function address(words) {
  return `/shelf#${new URLSearchParams(words)}`;
}

function file(path) {
  return `/shelf/file?${new URLSearchParams({ path })}`;
}

function link(entry) {
  if (entry.kind === "report") return file(entry.path);
  return address(entry.kind === "folder" ? { path: entry.path } : { path: entry.path, kind: entry.kind });
}

async function open() {
  const mine = ++opened;
  const { path = "", kind, ...words } = fragment();
  show($("problem"), "");
  way(path);
  let content = [], problem = "";
  try {
    const page = PAGES[kind ?? (words.from === undefined ? "" : "games")] ?? showFolder;
    content = await page(path, words);
    const isFolder = ["match", "ladder", "run"].includes(kind) && !path.endsWith(".json");
    if (isFolder) content.push(element("p", {}, element("a", { href: address({ path }) }, say("all files of the folder"))));
  } catch (error) {
    problem = error.status === 404 ? say("There is no shelf: start the table with --shelf and a folder.") : error.message;
  }
  if (mine !== opened) return;
  show($("problem"), problem);
  $("content").replaceChildren(...content);
}

/** The folders above a path, as links. */
function way(path) {
  const names = path.split("/").filter(Boolean);
  const links = [element("a", { href: "/shelf" }, say("Shelf"))];
  names.forEach((name, number) => {
    const isLast = number === names.length - 1;
    links.push(isLast ? element("span", { "aria-current": "page" }, name) : element("a", { href: address({ path: names.slice(0, number + 1).join("/") }) }, name));
  });
  $("way").replaceChildren(...links.flatMap((each, number) => (number ? [" / ", each] : [each])));
  $("title").textContent = names.at(-1) ?? say("Shelf");
  document.title = `${names.at(-1) ?? say("Shelf")} – skat-env`;
}

function table(caption, columns, rows, options = {}) {
  const head = columns.map((name, number) => element("th", { scope: "col", class: number && !options.words ? "number" : null }, say(name)));
  const body = rows.map((cells) => element("tr", {}, ...cells.map((cell, number) =>
    (number ? element("td", { class: options.words ? null : "number" }, cell) : element("th", { scope: "row" }, cell)))));
  return element("div", { class: "scrolled" }, element("table", { class: options.class ?? "plain" },
    caption ? element("caption", {}, caption) : null, columns.some(Boolean) ? element("thead", {}, element("tr", {}, ...head)) : null, element("tbody", {}, ...body)));
}

async function showFolder(path) {
  const found = await get("/api/shelf", { path });
  if (!found.entries.length) return [element("p", {}, say("There is nothing here that can be shown."))];
  const rows = found.entries.map((entry) => [element("a", { href: link(entry) }, entry.name), say(KINDS[entry.kind]), entry.note]);
  const content = [table("", ["name", "what", "size"], rows, { words: true })];
  if (found.left_out) content.push(element("p", { class: "note" }, `${found.left_out} ${say("more are not listed.")}`));
  return content;
}

// Games

async function showGames(path, words) {
  const { from = "0", ...filters } = words;
  const question = { ...filters, kind: words.game ?? "" };
  delete question.game;
  const found = await get("/api/shelf/games", { ...question, path, from });
  const form = element("form", { class: "row filters", role: "search" },
    choice("game", "Game", [["", "all"], ...found.kinds.map((name) => [name, name])], words.game),
    choice("won", "Declarer", [["", "all"], ["yes", "won"], ["no", "lost"]], words.won),
    element("label", {}, `${say("Player")} `, element("input", { name: "player", value: words.player ?? "", size: 14, list: "players" })),
    element("datalist", { id: "players" }, ...found.players.map((name) => element("option", { value: name }))),
    element("label", {}, `${say("Errors of at least")} `, element("input", { name: "cost", type: "number", min: 0, max: 1000000, value: words.cost ?? "", size: 4 })),
    element("label", {}, element("input", { name: "costs", type: "checkbox", value: "yes", checked: words.costs === "yes" }), ` ${say("what errors cost")}`),
    element("button", { type: "submit" }, say("Filter")));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const chosen = [...new FormData(form).entries()].filter(([, value]) => value !== "");
    location.hash = new URLSearchParams([["path", path], ["kind", "games"], ...chosen]);
  });
  const rows = found.games.map((each) => {
    const to = `/review#${new URLSearchParams({ dataset: path, number: each.number })}`;
    if (each.error) return [String(each.number), element("span", { class: "error" }, each.error), "", "", "", ""];
    const suit = each.suit === null ? "" : `${"♦♥♠♣"[each.suit]} `;
    const ended = each.won === null ? say(each.status) : say(each.won ? "won" : "lost");
    const names = each.players.map(playerName).map((name, seat) => (seat === each.declarer ? element("strong", {}, name) : name));
    return [element("a", { href: to }, String(each.number)), element("a", { href: to }, suit + say(each.title)), ended,
      element("span", {}, ...names.flatMap((name, seat) => (seat ? [", ", name] : [name]))),
      each.returns?.map((points) => (points > 0 ? `+${points}` : figure(points))).join(" ") ?? "–",
      each.costs?.map(cost).join(" ") ?? "–"];
  });
  const said = `${found.total.toLocaleString("en")} ${say("games")}; ${say("searched")} ${found.from}–${Math.max(found.from, found.from + found.searched - 1)}, ${found.games.length} ${say("found")}`
    + (found.unreadable ? `, ${found.unreadable} ${say("unreadable")}` : "");
  const content = [form, element("p", { role: "status" }, said)];
  if (rows.length) content.push(table("", ["number", "game", "declarer", "players", found.unit || "result", "cost of errors"], rows, { words: true }));
  const onward = [];
  if (found.from > 0) onward.push(element("a", { href: address({ path, kind: "games", ...filters }) }, say("to the start")));
  if (found.next !== null) onward.push(element("a", { href: address({ path, kind: "games", ...filters, from: found.next }), rel: "next" }, `${say("go on from game")} ${found.next}`));
  if (onward.length) content.push(element("p", { class: "row" }, ...onward));
  return content;
}

function choice(name, label, options, chosen = "") {
  return element("label", {}, `${say(label)} `, element("select", { name }, ...options.map(([value, text]) => element("option", { value, selected: value === chosen }, say(text)))));
}

// Matches and ladders

async function showMatch(path) {
  const found = await get("/api/shelf/match", { path });
  const { config } = found;
  const content = [element("p", {}, `${config.game}, ${config.mode}, ${say("seed")} ${config.seed}`)];
  if (!found.finished) content.push(element("p", {}, say("The match is not finished.")));
  if (!found.rows.length) return content;
  content.push(element("p", {}, `${found.deals} ${say("deals")}, ${found.games} ${say("games")}`));
  content.push(table(say("All games of each agent"), ["agent", found.unit, "declares", "wins", "ms per move"], found.agents.map((each) =>
    [each.name, figure(each.points), percent(each.declares), each.wins === null ? "–" : percent(each.wins), figure(1000 * each.seconds)])));
  const ends = found.rows.flatMap((row) => [row.low ?? row.mean, row.high ?? row.mean]);
  const low = Math.min(0, ...ends), high = Math.max(0, ...ends);
  const rows = found.rows.map((row) => [`${row.first} − ${row.second}${row.kind ? `, ${row.kind}` : ""}`, say(row.name), signed(row.mean),
    row.pairs > 1 ? `${signed(row.low)} … ${signed(row.high)}` : "–", interval(row, low, high), row.p < 1e-6 ? "< 1e-6" : figure(row.p), String(row.pairs)]);
  content.push(table(`${say("Differences with their 95% intervals")}, ${found.unit}`, ["agents", "part", "mean", "interval", "", "p", "deals"], rows, { class: "plain intervals" }));
  const links = found.links.map((to) => (to.endsWith(".html")
    ? element("a", { href: file(to) }, say("the report"))
    : element("a", { href: address({ path: to, kind: "games" }) }, say("the games"))));
  if (links.length) content.push(element("p", { class: "row" }, ...links));
  return [...content, ...command(found)];
}

function signed(value) {
  return value === null ? "∞" : `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;
}

/** An estimate as a dot on its interval, with a line at 0. */
function interval(row, low, high) {
  const at = (value) => 4 + (152 * (value - low)) / (high - low || 1);
  const root = drawn("svg", { viewBox: "0 0 160 18", width: 160, height: 18, class: "chart small", "aria-hidden": "true" });
  root.append(drawn("path", { d: `M${at(0)} 0V18`, class: "level" }));
  if (row.low !== null && row.high !== null && row.pairs > 1) root.append(drawn("path", { d: `M${at(row.low)} 9H${at(row.high)}`, class: "line" }));
  root.append(drawn("circle", { cx: at(row.mean), cy: 9, r: 4, class: "dot" }));
  return root;
}

async function showLadder(path) {
  const found = await get("/api/shelf/ladder", { path });
  return [...found.tables.map((each) => table(each.title, each.columns, each.rows)), ...command(found)];
}

// Training runs and other results

async function showRun(path) {
  const found = await get("/api/shelf/run", { path });
  const names = Object.keys(found.curves);
  const content = [element("p", {}, `${say("learner")} ${found.learner || "–"}`)];
  if (!names.length) content.push(element("p", {}, say("There are no metrics yet.")));
  names.forEach((name, number) => {
    const points = found.curves[name];
    const last = points.at(-1);
    const figureOf = element("details", { open: number < CURVES_AT_FIRST },
      element("summary", {}, `${name.replaceAll("_", " ")}: ${figure(last[1])}${last[2] !== null && last[2] !== undefined ? ` [${figure(last[2])}, ${figure(last[3])}]` : ""}`));
    figureOf.append(lineChart(points, { height: 200, x: say("step"), integer: true, label: `${name}: ${points.length} ${say("points")}` }), numbers(name, points));
    content.push(figureOf);
  });
  content.push(element("details", {}, element("summary", {}, say("config")), tree(found.config)));
  return [...content, ...command(found)];
}

/** The points of a curve as a table, for those who cannot see it. */
function numbers(name, points) {
  const stride = Math.ceil(points.length / 50);
  const rows = points.filter((_, number) => number % stride === 0 || number === points.length - 1)
    .map((point) => [figure(point[0]), figure(point[1]), point[2] === null || point[2] === undefined ? "–" : `${figure(point[2])} … ${figure(point[3])}`]);
  return element("details", {}, element("summary", {}, say("as numbers")), table("", ["step", name, "95% interval"], rows));
}

async function showResult(path) {
  const found = await get("/api/shelf/result", { path });
  return [tree(found.result)];
}

async function showPicture(path) {
  return [element("img", { src: file(path), alt: path, class: "picture" })];
}

function command(found) {
  return found.command ? [element("p", { class: "note" }, `${say("made by")} `, element("code", {}, String(found.command)))] : [];
}

/** Any JSON value: objects as tables, lists of objects as tables of their keys. */
function tree(value, depth = 0) {
  if (Array.isArray(value)) {
    const isTable = value.length && value.every((each) => each && typeof each === "object" && !Array.isArray(each));
    if (isTable) {
      const keys = [...new Set(value.slice(0, ROWS).flatMap((each) => Object.keys(each)))];
      const root = element("div", {}, table("", keys, value.slice(0, ROWS).map((each) => keys.map((key) => leaf(each[key], depth + 1))), { words: true }));
      if (value.length > ROWS) root.append(element("p", { class: "note" }, `${value.length - ROWS} ${say("more are not listed.")}`));
      return root;
    }
    const isFlat = value.every((each) => each === null || typeof each !== "object");
    if (isFlat) return document.createTextNode(value.slice(0, ROWS).map((each) => text(each)).join(", ") + (value.length > ROWS ? " …" : ""));
    return element("ol", {}, ...value.slice(0, ROWS).map((each) => element("li", {}, tree(each, depth + 1))));
  }
  if (value && typeof value === "object") {
    const rows = Object.entries(value).map(([key, each]) => [key.replaceAll("_", " "), leaf(each, depth + 1)]);
    return table("", ["", ""], rows, { words: true, class: "plain tree" });
  }
  return document.createTextNode(text(value));
}

function leaf(value, depth) {
  const isLarge = value && typeof value === "object" && JSON.stringify(value).length > 120;
  if (!isLarge || depth < 2) return tree(value, depth);
  return element("details", {}, element("summary", {}, Array.isArray(value) ? `${value.length} ${say("items")}` : Object.keys(value).join(", ").slice(0, 60)), tree(value, depth));
}

function text(value) {
  return typeof value === "number" ? figure(value) : value === null || value === undefined ? "–" : String(value);
}

translatePage(say);
window.addEventListener("hashchange", open);
open();
