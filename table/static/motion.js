// Cards that move: from a hand to the trick, and from the trick to who takes it.

const MOVE = 260;  // milliseconds

/** Where the cards of a table lie now, by card; hands by seat. */
export function whereabouts(root) {
  const cards = new Map();
  for (const each of root.querySelectorAll("[data-card]")) cards.set(each.dataset.card, each.getBoundingClientRect());
  const hands = [...root.querySelectorAll("[data-seat]")].map((each) => [Number(each.dataset.seat), each.getBoundingClientRect()]);
  return { cards, hands: new Map(hands) };
}

function centre(box) {
  return [box.left + box.width / 2, box.top + box.height / 2];
}

function slide(element, from, to, more = {}) {
  const [x, y] = centre(from), [ownX, ownY] = centre(to);
  const first = { transform: `translate(${x - ownX}px, ${y - ownY}px)` };
  return element.animate(more.away ? [{}, { ...first, opacity: 0.2 }] : [first, {}],
    { duration: MOVE, easing: "ease-out", composite: "add", fill: more.away ? "forwards" : "none" });
}

/** Lets a card that was played come from where it was before. */
export function moveIn(root, before, played, calm) {
  const found = played && root.querySelector(`.trick [data-card="${played.card}"]`);
  const from = found && (before.cards.get(String(played.card)) ?? before.hands.get(played.seat));
  if (from && !calm) slide(found, from, found.getBoundingClientRect());
}

/** Lets the cards of a trick go to the hand of who takes them, after a while. */
export function moveAway(root, seat, delay, calm) {
  const hand = root.querySelector(`[data-seat="${seat}"]`);
  if (!hand || calm) return;
  setTimeout(() => {
    for (const card of root.querySelectorAll(".trick .card")) {
      if (card.isConnected) slide(card, hand.getBoundingClientRect(), card.getBoundingClientRect(), { away: true });
    }
  }, Math.max(0, delay - MOVE));
}
