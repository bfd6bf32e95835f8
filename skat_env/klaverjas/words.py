"""Klaverjas in words: the game's part `text`."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from skat_env.cards import SUIT_NAMES
from skat_env.klaverjas.render import passes, sorted_hand
from skat_env.klaverjas.rules import ACTION_TEXTS, NAME, PASS, SEAT_NAMES, Phase, partner_of
from skat_env.text.card_words import SUIT_OF_WORD
from skat_env.text.game_text import CardWriter

if TYPE_CHECKING:
    from skat_env.klaverjas._state import KlaverjasView

RULES: Final = """Klaverjas is played by four with 32 cards: suits diamonds (D), hearts (H), spades (S), clubs (C);
ranks 7 8 9 T J Q K A. South and north are partners, and so are west and east. Each gets eight cards.

Trumps. One suit is trumps, and one player is the declarer; the declarer's team must make the game. Trumps and declarer
come with the deal (choice=given), or the players choose in turn from forehand on: each names a suit or passes
(choice=free); in choice=forced forehand names one.

Rank of the cards. Trumps from high to low: J 9 A T K Q 8 7. Other suits: A T K Q J 9 8 7.
Card points. Trumps: J 20, 9 14, A 11, T 10, K 4, Q 3. Other suits: A 11, T 10, K 4, Q 3, J 2. Others 0.
The last trick counts 10 more: 162 in all.

Tricks. Forehand leads to the first trick. Everybody must follow suit. If trumps are led, a higher trump than the best
must be played if possible. Who cannot follow a plain suit must trump, and with a higher trump than those on the table
if possible: in Rotterdam always, in Amsterdam only while an opponent is winning the trick. Who can neither follow nor
trump plays any card. Whose trumps are all lower than one on the table must play one of them in Rotterdam; in Amsterdam
only with nothing else in hand, otherwise any other card. The highest trump wins, else the highest card of the suit led;
the winner leads next.

Roem. A trick with three cards in sequence (7 8 9 T J Q K A) of one suit is worth 20 more, with four 50. King and queen
of trumps in one trick: stuk, 20. Four cards of one rank: 100, four jacks 200 (an option: 100). Roem goes to the team
that wins the trick.

Result. The declaring team makes the game if its card points and roem are more than those of the others (an option: or
as many); then both teams score what they have. If not, it is nat: the others score all 162 and all roem. If the
declaring team (an option: either team) wins all eight tricks (pit), it gets 100 more.

Moves: a card: `CJ`; `pass`; or a suit as trumps: `diamonds`, `hearts`, `spades`, `clubs`."""

_TRICKS: Final = 8


class KlaverjasText:
    """Klaverjas in words; see `skat_env.text.game_text.GameText`."""

    rules = RULES
    result = "How many points does your team score"

    def long(self, view: "KlaverjasView", card: CardWriter) -> list[str]:
        """All that a seat may know."""
        lines = [
            f"Klaverjas ({view.rules.legality.capitalize()} rules). You are {SEAT_NAMES[view.seat]}, "
            f"{SEAT_NAMES[partner_of(view.seat)]} is your partner.",
            *self._trumps(view),
        ]
        if view.trump is not None:
            needed = "as much as" if view.rules.tie == "made" else "more than"
            lines.append(
                "Trumps rank J 9 A T K Q 8 7, other suits A T K Q J 9 8 7; "
                f"the declaring team needs {needed} the others."
            )
            lines += _options(view)
        lines.append(self._hand(view, card))
        plays = view.plays()
        for first in range(0, len(plays) - 3, 4):
            trick = plays[first : first + 4]
            winner = plays[first + 4][0] if first + 4 < len(plays) else view.leader
            won = f", won by {SEAT_NAMES[winner]}" if winner >= 0 else ""
            lines.append(f"Trick {first // 4 + 1}: {_played(trick, card)}{won}.")
        lines += self._table(view, card)
        return lines + ([] if view.is_over else [*self._points(view)]) + _end(view)

    def short(self, view: "KlaverjasView", card: CardWriter) -> list[str]:
        """What a seat needs for its decision."""
        lines = [" ".join([f"You are {SEAT_NAMES[view.seat]}.", *self._trumps(view)]), self._hand(view, card)]
        return [*lines, *self._table(view, card), *_end(view)]

    def question(self, view: "KlaverjasView") -> str:
        """What the seat to act is asked."""
        if view.phase != Phase.CHOOSE:
            return "Which card do you play?"
        return "Which suit is trumps" + (", or do you pass?" if view.legal() >> PASS & 1 else "?")

    def move(self, view: "KlaverjasView", action: int, card: CardWriter) -> str:
        """An action as it is best written."""
        if action < PASS:
            return card(action)
        return ACTION_TEXTS[PASS] if action == PASS else SUIT_NAMES[action - NAME]

    def actions(self, view: "KlaverjasView", words: Sequence[str]) -> set[int]:
        """The actions that words without cards may mean now."""
        said = set(words) - {"trump", "trumps", "troef", "are", "is", "as", "name"}
        if said & {"pass", "pas", "passe", "no", "nee"}:
            return {PASS} if len(said) == 1 else set()
        if not said or not said <= set(SUIT_OF_WORD):
            return set()
        return {NAME + SUIT_OF_WORD[word] for word in said} if view.phase == Phase.CHOOSE else set()

    def hand(self, view: "KlaverjasView") -> list[int]:
        """The seat's cards, trumps first."""
        return sorted_hand(view.hand, view.trump)

    def _hand(self, view: "KlaverjasView", card: CardWriter) -> str:
        texts = [card(each) for each in self.hand(view)]
        joint = ", " if any(" " in text for text in texts) else " "
        return f"Your hand: {joint.join(texts)}" if texts else "Your hand is empty."

    def _trumps(self, view: "KlaverjasView") -> Iterator[str]:
        if view.trump is None:
            passed = [name for seat, name in enumerate(SEAT_NAMES) if passes(view, seat)]
            yield f"Trumps are not chosen yet; {', '.join(passed) or 'nobody'} passed."
            return
        partner = SEAT_NAMES[partner_of(view.declarer)]
        suit = SUIT_NAMES[view.trump].capitalize()
        yield f"{suit} are trumps, declared by {SEAT_NAMES[view.declarer]} with {partner}."

    def _table(self, view: "KlaverjasView", card: CardWriter) -> Iterator[str]:
        if view.trick():
            yield f"On the table: {_played(view.trick(), card)}."
        elif view.phase == Phase.PLAY:
            yield "You lead." if view.to_act == view.seat else f"{SEAT_NAMES[view.to_act]} leads."

    def _points(self, view: "KlaverjasView") -> Iterator[str]:
        if view.phase == Phase.PLAY:
            teams = [
                f"{name} {view.points[team]} points, {view.roem[team]} roem, {view.tricks[team]} tricks"
                for team, name in enumerate(("south and north", "west and east"))
            ]
            yield f"So far: {'; '.join(teams)}. Trick {view.tricks_played + 1} of {_TRICKS}."


def _options(view: "KlaverjasView") -> Iterator[str]:
    """The options of the rules that change what tricks are worth."""
    if view.rules.four_jacks != 200:
        yield f"Four jacks in a trick are worth {view.rules.four_jacks}."
    if view.rules.pit == "both":
        yield "Either team gets 100 for all eight tricks."


def _end(view: "KlaverjasView") -> list[str]:
    return ["The deal is over."] if view.is_over else []


def _played(plays: Sequence[tuple[int, int]], card: CardWriter) -> str:
    return ", ".join(f"{SEAT_NAMES[seat]} {card(played)}" for seat, played in plays)


TEXT: Final = KlaverjasText()
