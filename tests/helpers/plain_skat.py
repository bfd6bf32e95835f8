"""The rules of Skat written plainly from the rule book: the slow twin of the kernel. Cards are texts such as `SJ`."""

from dataclasses import dataclass, field

SUITS = "DHSC"
BIDS = sorted(
    {base * n for base in (9, 10, 11, 12) for n in range(2, 19)}
    | {24 * n for n in range(2, 12)}
    | {23, 35, 46, 59}
)  # fmt: skip
POINTS = {"J": 2, "A": 11, "T": 10, "K": 4, "Q": 3, "9": 0, "8": 0, "7": 0}
BASE = {"D": 9, "H": 10, "S": 11, "C": 12, "G": 24}


def is_trump(card: str, game: str) -> bool:
    return game != "N" and (card[1] == "J" or card[0] == game)


def follows(card: str, led: str, game: str) -> bool:
    if is_trump(led, game) or is_trump(card, game):
        return is_trump(led, game) and is_trump(card, game)
    return card[0] == led[0]


def beats(card: str, best: str, game: str) -> bool:
    if not follows(card, best, game):
        return is_trump(card, game)
    if game == "N":
        order = "789TJQKA"
        return order.index(card[1]) > order.index(best[1])
    if card[1] == "J" and best[1] == "J":
        return SUITS.index(card[0]) > SUITS.index(best[0])
    order = "789QKTAJ"
    return order.index(card[1]) > order.index(best[1])


@dataclass
class PlainSkat:
    """A game of Skat; `step` takes action texts."""

    hands: list[set[str]]
    skat: set[str]
    auction: list[tuple[int, str]] = field(default_factory=list)
    bid: int = 0
    bidder: int = 1
    senior: int = 0
    waiting: str = "bid"
    soloist: int = -1
    hand_game: bool = False
    game: str = ""
    announced: str = "plain"
    discarded: int = 0
    leader: int = 0
    trick: list[str] = field(default_factory=list)
    won: list[list[str]] = field(default_factory=lambda: [[], [], []])

    def __post_init__(self) -> None:
        self.twelve = [hand | self.skat for hand in self.hands]

    def to_act(self) -> int:
        if self.waiting == "bid":
            return self.bidder
        if self.waiting == "answer":
            return self.senior
        if self.waiting == "play":
            return (self.leader + len(self.trick)) % 3
        return -1 if self.waiting == "over" else self.soloist

    def legal(self) -> set[str]:
        match self.waiting:
            case "bid":
                return {"pass", "yes"} if self.bid < 264 else {"pass"}
            case "answer":
                return {"pass", "yes"}
            case "pick up":
                return {"pick-up", "hand"}
            case "contract":
                return set("DHSCGN")
            case "announce":
                return (
                    {"plain", "ouvert"} if self.game == "N" else {"plain", "schneider", "schwarz", "ouvert"}
                )
            case "discard":
                return set(self.hands[self.soloist])
            case "play":
                hand = self.hands[self.to_act()]
                if not self.trick:
                    return set(hand)
                return {card for card in hand if follows(card, self.trick[0], self.game)} or set(hand)
        return set()

    def step(self, action: str) -> None:
        seat = self.to_act()
        if self.waiting == "bid":
            if action == "yes":
                self.bid = next(value for value in BIDS if value > self.bid)
                if seat == 0:
                    self.soloist, self.waiting = 0, "pick up"
                else:
                    self.waiting = "answer"
            elif seat == 1:
                self.bidder = 2
            elif seat == 0:
                self.waiting = "over"
            elif self.bid == 0:
                self.bidder = 0
            else:
                self.soloist, self.waiting = self.senior, "pick up"
        elif self.waiting == "answer":
            if action == "yes":
                self.waiting = "bid"
            elif self.bidder == 1:
                self.senior, self.bidder, self.waiting = 1, 2, "bid"
            else:
                self.soloist, self.waiting = 2, "pick up"
        elif self.waiting == "pick up":
            self.hand_game = action == "hand"
            if not self.hand_game:
                self.hands[seat] |= self.skat
                self.skat = set()
            self.waiting = "contract"
        elif self.waiting == "contract":
            self.game = action
            self.waiting = "announce" if self.hand_game or action == "N" else "discard"
        elif self.waiting == "announce":
            self.announced = action
            self.waiting = "play" if self.hand_game else "discard"
        elif self.waiting == "discard":
            self.hands[seat].remove(action)
            self.skat.add(action)
            if len(self.skat) == 2:
                self.waiting = "play"
        else:
            self.hands[seat].remove(action)
            self.trick.append(action)
            if len(self.trick) == 3:
                self.end_trick()

    def end_trick(self) -> None:
        best = 0
        for i in (1, 2):
            if beats(self.trick[i], self.trick[best], self.game):
                best = i
        winner = (self.leader + best) % 3
        self.won[winner] += self.trick
        self.leader, self.trick = winner, []
        lost_null = self.game == "N" and winner == self.soloist
        lost_schwarz = self.game != "N" and self.announced in ("schwarz", "ouvert") and winner != self.soloist
        if lost_null or lost_schwarz or not self.hands[0]:
            self.waiting = "over"

    def tournament_points(self) -> tuple[int, int, int]:
        if self.soloist < 0:
            return (0, 0, 0)
        won, value = self.value()
        points = [0 if won else 40] * 3
        points[self.soloist] = value + 50 if won else -2 * value - 50
        return (points[0], points[1], points[2])

    def value(self) -> tuple[bool, int]:
        mine = self.won[self.soloist]
        tricks = len(mine) // 3
        others = sum(len(cards) // 3 for cards in self.won) - tricks
        if self.game == "N":
            value = {("N", False): 23, ("N", True): 35, ("O", False): 46, ("O", True): 59}[
                "O" if self.announced == "ouvert" else "N", self.hand_game
            ]
            return tricks == 0 and value >= self.bid, value
        card_points = sum(POINTS[card[1]] for card in [*mine, *self.skat])
        trumps = ["CJ", "SJ", "HJ", "DJ"] + (
            [self.game + rank for rank in "ATKQ987"] if self.game != "G" else []
        )
        has_club_jack = "CJ" in self.twelve[self.soloist]
        matadors = 0
        for trump in trumps:
            if (trump in self.twelve[self.soloist]) != has_club_jack:
                break
            matadors += 1
        level = ["plain", "schneider", "schwarz", "ouvert"].index(self.announced)
        schneider = card_points >= 90 or card_points <= 30 or level >= 1
        schwarz = tricks == 10 or others == 10 or level >= 2
        multiplier = matadors + 1 + self.hand_game + schneider + schwarz + level
        value = BASE[self.game] * multiplier
        won = tricks == 10 if level >= 2 else card_points >= (90 if level == 1 else 61)
        if value < self.bid:
            while BASE[self.game] * multiplier < self.bid:
                multiplier += 1
            return False, BASE[self.game] * multiplier
        return won, value
