"""An engine for both games: never bids, plays the card with the fewest points. Run: skat-env engine --check COMMAND."""

import sys

POINTS = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2}


def choose(said):
    """The first action that is no card (pass before yes), or the cheapest legal card."""
    legal = said["legal"].split()
    cards = [action for action in legal if len(action) == 2]
    if not cards:
        return "pass" if "pass" in legal else legal[0]
    return min(cards, key=lambda card: (POINTS.get(card[1], 0), legal.index(card)))


def main():
    """Answers the host's lines until it says quit or says no more."""
    said = {}
    for line in sys.stdin:
        word, _, rest = line.rstrip("\n").partition(" ")
        if word == "quit":
            return
        if word == "skat_env":
            print("engine lowest", flush=True)
        elif word == "game":
            print("ready" if rest in ("skat", "klaverjas") else f"error no game {rest}", flush=True)
        elif word == "go":
            print("play", choose(said), flush=True)
        else:
            said[word] = rest


main()
