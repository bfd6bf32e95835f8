"""A review for people: a terminal of 80 columns, cards in suit symbols."""

from collections.abc import Iterator

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from skat_env.cards import card_symbol
from skat_env.records import Status
from skat_env.skat.render import declaration_text, hand_text
from skat_env.skat.rules import SEAT_NAMES, Contract
from solvers.review import CardReview, Review


def print_review(review: Review, console: Console, reason: str = "") -> None:
    """Prints the game, what each card did, and what all of it comes to; `reason` is why it was broken off."""
    for line in _head(review):
        console.print(Text(line))
    if review.cards:
        console.print(_table(review))
    for line in _verdict(review, reason):
        console.print(Text(line))


def _head(review: Review) -> Iterator[str]:
    """The game, and the cards when the first was played."""
    state, source = review.state.clone(), review.record.source
    while state.plays():
        state.undo()
    if source is not None:
        yield f"game {source.id} of {source.server}" + (f", series {source.series}" if source.series else "")
    yield (
        f"{declaration_text(state)}, bid {state.bid}: {SEAT_NAMES[state.soloist]} plays alone and {_need(review)}"
    )
    for seat, hand in enumerate(state.hands):
        name = review.record.agents[seat]
        held = f"{_player(review, seat):<12} {hand_text(hand, state.contract):<32}"
        yield held.rstrip() if name == SEAT_NAMES[seat] else f"{held}   {name}"
    yield f"{'skat':<12} {hand_text(state.skat, state.contract)}"


def _need(review: Review) -> str:
    aim = review.aim
    if aim is None:
        return "cannot reach the bid"
    if _null(review):
        return "must take no trick"
    return "needs all tricks" if aim.tricks else f"needs {aim.target} card points"


def _table(review: Review) -> Table:
    """A row a card, the leader of a trick first."""
    table = Table(
        box=SIMPLE_HEAD,
        pad_edge=False,
        caption="* soloist   ? better cards were there   ?? gave the game away",
        caption_justify="left",
    )
    table.add_column("trick", justify="right")
    table.add_column("player", no_wrap=True)
    table.add_column("card", no_wrap=True)
    table.add_column("a trick?" if _null(review) else "value", no_wrap=True)
    table.add_column("cost", justify="right")
    table.add_column("")
    table.add_column("better cards, best first")
    for number, card in enumerate(review.cards):
        table.add_row(
            "" if number % 3 else str(card.trick),
            _player(review, card.seat),
            card_symbol(card.card),
            _change(review, card),
            str(card.cost or ""),
            "??" if card.turns else "?" if card.better else "",
            " ".join(map(card_symbol, card.better)),
            style="bold red" if card.turns else "yellow" if card.better else "",
            end_section=number % 3 == 2,
        )
    return table


def _verdict(review: Review, reason: str) -> Iterator[str]:
    """Who could have won, what turned the game, what the players' cards cost, and how it ended."""
    yield f"Perfect play from the first card: {_outcome(review, review.value, review.wins)}."
    turns = review.turns
    for number, card in enumerate(turns):
        gave = "gave it back" if number % 2 else "gave the game away"
        yield (
            f"  trick {card.trick:>2}: {SEAT_NAMES[card.seat]} {gave} with {card_symbol(card.card)} "
            f"({_change(review, card)}), {card_symbol(card.better[0])} was better"
        )
    if turns:
        yield f"From then on: {_outcome(review, turns[-1].after, turns[-1].wins_after)}."
    else:
        yield "No card gave the game away."
    costs = ", ".join(f"{_player(review, seat)} {cost}" for seat, cost in enumerate(review.costs))
    yield f"Cost: {costs}{'' if _null(review) else ' card points'}."
    yield _end(review, reason)


def _outcome(review: Review, value: int, wins: bool) -> str:
    ends = f"the soloist {'wins' if wins else 'loses'}"
    if _null(review):
        return f"{ends}, with {('no trick', 'a trick')[value]}"
    return f"{ends} with {value} card points"


def _end(review: Review, reason: str) -> str:
    """How the game ended, and where it was not played out, what perfect play would have made of it."""
    record, played = review.record, len(review.cards)
    rest = f"perfect play from there: {_outcome(review, review.end_value, review.end_wins)}"
    if record.status is Status.ABORTED:
        # A penalty may void a game that was played to its end.
        ended = "Void" if review.state.is_over else f"Broken off after {played} cards"
        ended += f" ({reason})" if reason else ""
        return f"{ended}." if review.state.is_over else f"{ended}; {rest}."
    result = review.state.result(record.claim)
    ended = f"the soloist {'won' if result.won else 'lost'}"
    if not _null(review):
        ended += f" with {result.card_points} card points"
    ended += f"{', overbid' if result.overbid else ''}, value {result.value}"
    if record.status is Status.CLAIMED:
        side = "soloist" if record.claim else "defenders"
        return f"Claimed after {played} cards, the rest for the {side}: {ended}; {rest}."
    if played < 30 or _null(review):
        return f"Over after {played} cards: {ended}."
    own = review.costs[review.state.soloist]
    return f"{review.value} - {own} + {sum(review.costs) - own} = {review.end_value}: {ended}."


def _null(review: Review) -> bool:
    return review.state.contract == Contract.NULL


def _player(review: Review, seat: int) -> str:
    return SEAT_NAMES[seat] + (" *" if seat == review.state.soloist else "")


def _change(review: Review, card: CardReview) -> str:
    """`73 → 62`, or `73` where the card kept the value."""
    before, after = (
        ("no", "yes")[value] if _null(review) else str(value) for value in (card.before, card.after)
    )
    return before if before == after else f"{before} → {after}"
