// tetsuji16/Klaverjassen, "hard", as an engine. `build.py` puts the program's own engine.ts and cpu.ts behind "program".
import { serve } from "../klaverjas.mjs";
import { applyAction, createMatch, getLegalActions, nextSeat } from "program/engine";
import { chooseCpuAction } from "program/cpu";
import { SEATS } from "program/types";

const SUIT = { D: "diamonds", H: "hearts", S: "spades", C: "clubs" };
const LETTER = Object.fromEntries(Object.entries(SUIT).map(([letter, suit]) => [suit, letter]));

const theirs = (card) => {
  const suit = SUIT[card[0]];
  const rank = card[1] === "T" ? "10" : card[1];
  return { suit, rank, id: `${suit}-${rank}` };
};
const ours = (id) => {
  const [suit, rank] = id.split("-");
  return LETTER[suit] + (rank === "10" ? "T" : rank);
};
const textOf = (action) =>
  action.kind === "play" ? ours(action.cardId) : action.kind === "bid" ? LETTER[action.suit] : "pass";

// The program's state at a position. Seat 0, forehand, is north: west has dealt. Hands that are not seen hold nothing but
// the card that they play next, as the program's own worker hides them.
function stateOf(position, seed) {
  let state = createMatch({ mode: "cpu", difficulty: "hard", matchLength: 16, seed });
  const empty = Object.fromEntries(SEATS.map((seat, place) => [seat, (position.hands[place] ?? []).map(theirs)]));
  const dealer = SEATS[3];
  state = { ...state, dealer, currentPlayer: nextSeat(dealer), hands: empty };
  if (position.calls.length === 0 && position.trump) {
    const contractor = SEATS[position.declarer];
    state = { ...state, phase: "playing", contractor, trump: SUIT[position.trump] };
  }
  for (const call of position.calls)
    state = applyAction(state, call === "pass" ? { kind: "pass" } : { kind: "bid", suit: SUIT[call] });
  for (const play of position.plays) {
    const card = theirs(play);
    const seat = state.currentPlayer;
    if (position.hands[SEATS.indexOf(seat)] === null) state = { ...state, hands: { ...state.hands, [seat]: [card] } };
    state = applyAction(state, { kind: "play", cardId: card.id });
  }
  return state;
}

const both = (pair) => pair.join(",");

serve("tetsuji16/Klaverjassen", {
  unknown: (rules) => {
    if (rules.legality !== "amsterdam") return "tetsuji16/Klaverjassen plays legality=amsterdam alone";
    const other = ["tie", "four_jacks", "pit"].find((name) => rules[name] !== undefined);
    if (other) return `tetsuji16/Klaverjassen does not know ${other}=${rules[other]}`;
    return rules.choice === "forced" ? "tetsuji16/Klaverjassen does not know choice=forced" : "";
  },
  choose: (position, legal, seed) => textOf(chooseCpuAction(stateOf(position, seed))),
  judge: (position) => {
    const state = stateOf(position, 1);
    const facts = { points: both(state.dealCardPoints), roem: both(state.dealRoem) };
    if (state.lastDealScore) {
      const [one, other] = state.lastDealScore.awarded;
      return { ...facts, score: both([one, other, one, other]) };
    }
    return {
      ...facts,
      legal: both(getLegalActions(state).map(textOf)),
      turn: SEATS.indexOf(state.currentPlayer),
    };
  },
});
