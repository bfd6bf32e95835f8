// florinho1503/klaverjassen, "expert", as an engine. `build.py` puts the program's own src/engine behind "program".
import { randomOf, serve } from "../klaverjas.mjs";
import { Round, evaluateBid, makeMonteCarloBot } from "program/index";

const SUIT = { D: "ruiten", H: "harten", S: "schoppen", C: "klaveren" };
const LETTER = Object.fromEntries(Object.entries(SUIT).map(([letter, suit]) => [suit, letter]));
const RANK = { T: "10", J: "B", Q: "V", K: "H" };
const RANK_LETTER = Object.fromEntries(Object.entries(RANK).map(([letter, rank]) => [rank, letter]));
const MADE = 82; // more than half of 162: the program's players bid what they must reach

const theirs = (card) => ({ suit: SUIT[card[0]], rank: RANK[card[1]] ?? card[1] });
const ours = (card) => LETTER[card.suit] + (RANK_LETTER[card.rank] ?? card.rank);

// The program's round at a position. Hands that are not seen are as long as they are, and empty otherwise: its players
// look at their length.
function roundOf(position) {
  const contract = { type: "kleur", troef: SUIT[position.trump] };
  const hands = position.hands.map((hand) => (hand ?? Array(8).fill("D7")).map(theirs));
  const round = new Round({ contract, makerTeam: position.declarer % 2, bid: MADE, hands, firstLeader: 0 });
  for (const play of position.plays) {
    const card = theirs(play);
    const hand = round.hands[round.turn];
    const place = hand.findIndex((each) => each.suit === card.suit && each.rank === card.rank);
    hand.splice(Math.max(place, 0), 1);
    round.trick.push({ seat: round.turn, card });
    if (round.trick.length === 4) round.resolveTrick();
    else round.turn = (round.turn + 1) % 4;
  }
  return round;
}

function call(position, legal) {
  const wanted = evaluateBid(position.hands[position.seat].map(theirs));
  const suit = wanted?.contract.type === "kleur" ? LETTER[wanted.contract.troef] : undefined;
  if (legal.includes(suit)) return suit;
  return legal.includes("pass") ? "pass" : longest(position.hands[position.seat]);
}

const longest = (hand) =>
  [..."DHSC"].reduce((best, suit) => (count(hand, suit) > count(hand, best) ? suit : best));
const count = (hand, suit) => hand.filter((card) => card[0] === suit).length;

serve("florinho1503/klaverjassen", {
  unknown: (rules) =>
    rules.legality === "amsterdam" ? "" : "florinho1503/klaverjassen plays legality=amsterdam alone",
  choose: (position, legal, seed) => {
    if (!position.plays.length && legal.some((action) => action.length === 1)) return call(position, legal);
    const round = roundOf(position);
    round.legalMoves = () => legal.map(theirs); // it may play by rules of its own in its worlds, not at the table
    return ours(makeMonteCarloBot({ rng: randomOf(seed) })(round));
  },
  judge: (position) => {
    if (!position.trump) return null;
    const round = roundOf(position);
    const points = [0, 0];
    const roem = [0, 0];
    for (const trick of round.tricks) {
      points[trick.winnerTeam] += trick.cardPoints + (trick.isLast ? 10 : 0);
      roem[trick.winnerTeam] += trick.roem;
    }
    const facts = { points: points.join(","), roem: roem.join(",") };
    if (round.isComplete) return facts;
    return { ...facts, legal: round.legalMoves().map(ours).join(","), turn: round.currentSeat };
  },
});
