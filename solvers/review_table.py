"""A review for people: a terminal of 80 columns, cards in suit symbols."""

from collections.abc import Iterator

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from skat_env.cards import card_symbol
from skat_env.records import Status
from skat_env.registry import get_game
from skat_env.solvers.review import CardReview, Review
from skat_env.solvers.reviewed_game import Prospect
from skat_env.tools.console import Console


def print_review(review: Review, console: Console, reason: str = "") -> None:
    """Prints the game, what each card did, and how it ended; `reason` says why it was broken off."""
    for line in _head(review):
        console.print(Text(line))
    if review.cards:
        console.print(_table(review))
    for line in _verdict(review, reason):
        console.print(Text(line))


def _head(review: Review) -> Iterator[str]:
    """The game, and the cards of each seat before the first was played."""
    state, source, seats = review.state.clone(), review.record.source, _seats(review)
    while state.plays():
        state.undo()
    if source is not None:
        yield f"game {source.id} of {source.server}" + (f", series {source.series}" if source.series else "")
    yield from review.game.head(state)
    hands, others = state.places[: len(seats)], state.places[len(seats) :]
    for seat, hand in enumerate(hands):
        name = review.record.agents[seat]
        held = f"{_player(review, seat):<12} {review.game.hand_text(state, hand):<32}"
        yield held.rstrip() if name == seats[seat] else f"{held}   {name}"
    for name, cards in zip(review.game.others, others, strict=True):
        yield f"{name:<12} {review.game.hand_text(state, cards)}"


def _table(review: Review) -> Table:
    """A row a card, the leader of a trick first."""
    table = Table(
        box=SIMPLE_HEAD,
        pad_edge=False,
        caption=f"* {review.game.sides[0]}   ? better cards were there   ?? gave the game away",
        caption_justify="left",
    )
    table.add_column("trick", justify="right")
    table.add_column("player", no_wrap=True)
    table.add_column("card", no_wrap=True)
    table.add_column(review.game.scale(review.state).title, no_wrap=True)
    table.add_column("cost", justify="right")
    table.add_column("")
    table.add_column("better cards, best first")
    cards_a_trick = len(_seats(review))
    for number, card in enumerate(review.cards):
        place = number % cards_a_trick
        table.add_row(
            "" if place else str(card.trick),
            _player(review, card.seat),
            card_symbol(card.card),
            _change(review, card),
            str(card.cost or ""),
            "??" if card.turns else "?" if card.better else "",
            " ".join(map(card_symbol, card.better)),
            style="bold red" if card.turns else "yellow" if card.better else "",
            end_section=place == cards_a_trick - 1,
        )
    return table


def _verdict(review: Review, reason: str) -> Iterator[str]:
    """Who could have won, what turned the game, what the players' cards cost, and how it ended."""
    yield f"Perfect play from the first card: {_outcome(review, review.value, review.wins)}."
    turns = review.turns
    for number, card in enumerate(turns):
        gave = "gave it back" if number % 2 else "gave the game away"
        yield (
            f"  trick {card.trick:>2}: {_seats(review)[card.seat]} {gave} with {card_symbol(card.card)} "
            f"({_change(review, card)}), {card_symbol(card.better[0])} was better"
        )
    if turns:
        yield f"From then on: {_outcome(review, turns[-1].after, turns[-1].wins_after)}."
    else:
        yield "No card gave the game away."
    costs = ", ".join(f"{_player(review, seat)} {cost}" for seat, cost in enumerate(review.costs))
    unit = review.game.scale(review.state).unit
    yield f"Cost: {costs}{f' {unit}' if unit else ''}."
    yield _end(review, reason)


def _outcome(review: Review, value: int, wins: bool) -> str:
    return review.game.outcome_text(review.state, Prospect(value, wins))


def _end(review: Review, reason: str) -> str:
    """How the game ended; if it was not played out, also how perfect play would have ended it."""
    record, state, played = review.record, review.state, len(review.cards)
    rest = f"perfect play from there: {_outcome(review, review.end_value, review.end_wins)}"
    if record.status is Status.ABORTED:
        # A penalty may void a game that was played to its end.
        ended = "Void" if state.is_over else f"Broken off after {played} cards"
        ended += f" ({reason})" if reason else ""
        return f"{ended}." if state.is_over else f"{ended}; {rest}."
    ended = review.game.result_text(state, record.claim)
    if record.status is Status.CLAIMED:
        side = review.game.sides[0 if record.claim else 1]
        return f"Claimed after {played} cards, the rest for the {side}: {ended}; {rest}."
    held = any(state.places[: len(_seats(review))])
    if held or not review.game.scale(state).unit:
        return f"Over after {played} cards: {ended}."
    own = sum(cost for seat, cost in enumerate(review.costs) if state.side(seat) == 0)
    start, end = (review.game.value_text(state, value) for value in (review.value, review.end_value))
    return f"{start} - {own} + {sum(review.costs) - own} = {end}: {ended}."


def _seats(review: Review) -> tuple[str, ...]:
    return get_game(review.record.game).seats


def _player(review: Review, seat: int) -> str:
    return _seats(review)[seat] + (" *" if review.state.side(seat) == 0 else "")


def _change(review: Review, card: CardReview) -> str:
    """`73 → 62`, or `73` where the card kept the value."""
    before, after = (review.game.value_text(review.state, value) for value in (card.before, card.after))
    return before if before == after else f"{before} → {after}"
