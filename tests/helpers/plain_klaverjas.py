"""The rules of Klaverjas written plainly from the rule book: the slow twin of the kernel. Cards are texts such as `SJ`."""

from dataclasses import dataclass, field

RUN = "789TJQKA"
TRUMP = {"J": 20, "9": 14, "A": 11, "T": 10, "K": 4, "Q": 3, "8": 0, "7": 0}
"""Trump ranks from high to low with their points."""
PLAIN = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2, "9": 0, "8": 0, "7": 0}


def beats(card: str, best: str, trump: str) -> bool:
    if card[0] != best[0]:
        return card[0] == trump
    order = list(TRUMP if card[0] == trump else PLAIN)
    return order.index(card[1]) < order.index(best[1])


def winner(trick: list[str], trump: str) -> int:
    """The place in the trick of the card that wins it."""
    best = 0
    for place, card in enumerate(trick):
        if beats(card, trick[best], trump):
            best = place
    return best


def allowed(hand: set[str], trick: list[str], trump: str, legality: str) -> set[str]:
    """The cards of a hand that may be played to a trick."""
    if not trick:
        return hand
    led = trick[0][0]
    best = winner(trick, trump)
    following = {card for card in hand if card[0] == led}
    trumps = {card for card in hand if card[0] == trump}
    higher = {card for card in trumps if beats(card, trick[best], trump)}
    if led == trump:
        return higher or trumps or hand
    if following:
        return following
    partner_wins = len(trick) - best == 2
    if legality == "rotterdam":
        return higher or trumps or hand
    if partner_wins:
        under = trumps - higher if trick[best][0] == trump else set()
        return (hand - under) or hand
    return higher or (hand - trumps) or hand


def roem(trick: list[str], trump: str, four_jacks: int = 200) -> int:
    total = 0
    cards = set(trick)
    for suit in "DHSC":
        for length, value in ((4, 50), (3, 20)):
            runs = [RUN[i : i + length] for i in range(9 - length)]
            if any(all(suit + rank in cards for rank in run) for run in runs):
                total += value
                break
    if {trump + "K", trump + "Q"} <= cards:
        total += 20
    if len({card[1] for card in trick}) == 1:
        total += four_jacks if trick[0][1] == "J" else 100
    return total


@dataclass
class PlainKlaverjas:
    """A deal of Klaverjas; `step` takes action texts."""

    hands: list[set[str]]
    legality: str = "rotterdam"
    choice: str = "given"
    tie: str = "nat"
    four_jacks: int = 200
    pit: str = "declarers"
    forehand: int = 0
    declarer: int | None = None
    trump: str | None = None
    passes: int = 0
    leader: int = 0
    trick: list[str] = field(default_factory=list)
    won: list[list[list[str]]] = field(default_factory=lambda: [[], []])
    """By team, the tricks that it has won."""
    last: int = -1
    """The seat that won the last trick."""

    def __post_init__(self) -> None:
        self.leader = self.forehand

    def to_act(self) -> int:
        if self.trump is None:
            return (self.forehand + self.passes) % 4
        if not any(self.hands):
            return -1
        return (self.leader + len(self.trick)) % 4

    def legal(self) -> set[str]:
        if self.trump is None:
            may_pass = self.choice == "free" and self.passes < 4
            return set("DHSC") | ({"pass"} if may_pass else set())
        if self.to_act() < 0:
            return set()
        return set(allowed(self.hands[self.to_act()], self.trick, self.trump, self.legality))

    def step(self, action: str) -> None:
        seat = self.to_act()
        if action == "pass":
            self.passes += 1
        elif self.trump is None:
            self.trump, self.declarer = action, seat
        else:
            self.hands[seat].remove(action)
            self.trick.append(action)
            if len(self.trick) == 4:
                self.last = self.leader = (self.leader + winner(self.trick, self.trump)) % 4
                self.won[self.leader % 2].append(self.trick)
                self.trick = []

    def card_points(self, team: int) -> int:
        points = sum(
            (TRUMP if card[0] == self.trump else PLAIN)[card[1]] for trick in self.won[team] for card in trick
        )
        return points + (10 if self.to_act() < 0 and self.last % 2 == team else 0)

    def roem(self, team: int) -> int:
        return sum(roem(trick, self.trump, self.four_jacks) for trick in self.won[team])

    def scores(self) -> tuple[bool, tuple[int, int]]:
        """Whether the declaring team made it, and what the teams write down."""
        us, them = self.declarer % 2, 1 - self.declarer % 2
        ours = self.card_points(us) + self.roem(us)
        theirs = self.card_points(them) + self.roem(them)
        made = ours > theirs or (self.tie == "made" and ours == theirs)
        scores = {us: ours, them: theirs} if made else {us: 0, them: 162 + self.roem(us) + self.roem(them)}
        for team in (us, them):
            if len(self.won[team]) == 8 and (team == us or self.pit == "both"):
                scores[team] += 100
        return made, (scores[0], scores[1])
