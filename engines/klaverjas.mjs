// The engine protocol of docs/engines.md for programs in JavaScript that play Klaverjas.
import { createInterface } from "node:readline";

// The cards in a text, `D7.HJ`; null for a hand that the seat does not see.
const parseHand = (text) => (text === "?" ? null : text.split(".").filter(Boolean));

// A position: the hands as dealt, by seat; what stands before the colon, by name; the actions. Trumps and declarer are
// those of the deal, or of the first action that names a suit.
export function parsePosition(text) {
  const [head, actions = ""] = text.split(" :");
  const [deal, ...words] = head.trim().split(" ");
  const given = Object.fromEntries(words.map((word) => word.split("=")));
  const all = actions.trim().split(" ").filter(Boolean);
  const calls = all.filter((action) => action === "pass" || action.length === 1);
  const trump = given.trump ?? calls.find((action) => action !== "pass");
  return {
    hands: deal.split("/").map(parseHand),
    seat: Number(given.seat ?? -1),
    rules: given,
    calls,
    trump,
    // Forehand is seat 0; a fifth call is again its own.
    declarer: given.declarer !== undefined ? Number(given.declarer) : trump === undefined ? -1 : (calls.length - 1) % 4,
    plays: all.slice(calls.length),
  };
}

// A whole number from a text.
export function numberOf(text) {
  let hash = 2166136261;
  for (const letter of text) hash = Math.imul(hash ^ letter.charCodeAt(0), 16777619);
  return hash >>> 0;
}

// Random numbers from 0 to 1, as Math.random gives them (SplitMix32).
export function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 4294967296;
  };
}

// Answers a host's lines. The player has `unknown(rules)`, a sentence on a variant that it does not play, or "";
// `choose(position, legal, seed)`, an action; `judge(position)`, its facts by name, or null where it has none.
export function serve(name, player) {
  let said = {};
  const say = (line) => process.stdout.write(`${line}\n`);
  const answer = (word, rest) => {
    if (word === "skat_env") say(`engine ${name}`);
    else if (word === "game") say(rest === "klaverjas" ? "ready judges" : `error ${name} plays Klaverjas, not ${rest}`);
    else if (word === "isready") say("readyok");
    else if (word === "go" || word === "judge") {
      const position = parsePosition(said.position);
      const unknown = player.unknown(position.rules);
      if (word === "judge") {
        const facts = unknown ? null : player.judge(position);
        say(["judged", ...Object.entries(facts ?? {}).map(([key, value]) => `${key}=${value}`)].join(" "));
      } else if (unknown) say(`error ${unknown}`);
      else say(`play ${player.choose(position, said.legal.split(" "), numberOf(said.seed ?? ""))}`);
      said = {};
    } else said[word] = rest;
  };
  createInterface({ input: process.stdin }).on("line", (line) => {
    const cut = line.indexOf(" ");
    const [word, rest] = cut < 0 ? [line, ""] : [line.slice(0, cut), line.slice(cut + 1)];
    if (word === "quit") process.exit(0);
    try {
      answer(word, rest);
    } catch (error) {
      say(`error ${name} failed: ${String(error.message).split("\n")[0]}`);
      process.exit(1);
    }
  });
}
