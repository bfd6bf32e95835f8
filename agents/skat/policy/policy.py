"""Imitation policies for Skat (Rebstock 2019, chapters 3 and 4): a network for every kind of decision."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Final

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.networks._card_lanes import CardLanes
from skat_env.agents.networks.checkpoint import load_checkpoint
from skat_env.agents.networks.choice import choose, legal_cards, masked
from skat_env.agents.skat.game_values import GAMES, declarable
from skat_env.agents.skat.policy._lanes import SkatLanes
from skat_env.agents.skat.policy.declared_values import DeclaredValues
from skat_env.agents.skat.policy.networks import (
    AUCTION_VALUES,
    BID_POINTS,
    DECLARED_VALUE,
    GAME_ACTIONS,
    GAME_VALUES,
    LIKELY,
    OUTPUT_GAMES,
    PAIR_CARDS,
    PAIR_MASKS,
    POINTS,
    POLICY_OUTPUTS,
    SOLOIST_FEATURES,
    VALUE_OUTPUTS,
    discard_legal,
    network_of,
)
from skat_env.agents.skat.policy.networks import CARDPLAY as CARD_NETWORKS
from skat_env.cards import cards_of
from skat_env.errors import ParseError, UnknownName
from skat_env.options import Range, Share, checked_options
from skat_env.own_text import own_text
from skat_env.play._lanes import LanePlayer
from skat_env.play.capabilities import decide_by_part, require_views
from skat_env.protocols import Decision
from skat_env.skat import GAME, Declaration, SkatView
from skat_env.skat.rules import BID_LEVEL, PASS, YES, Phase

VARIANTS: Final = ("DI.M", "DI.S", "AB", "MV", "MLV", "V")
BY_VALUE: Final = ("MV", "MLV", "V")
"""The variants that choose games by value."""
CARDPLAY: Final = ("argmax", "sample")

Floats = NDArray[np.float32]


class SkatPolicy:
    """Makes all decisions with networks, without search.

    It declares no game below its bid while another reaches it, whatever the networks say.

    Args:
        variant: the choice before the cardplay. DI.M: the most probable action; DI.S: an action drawn from the
            probabilities; AB: as DI.M, but bids up to a percentile of the maximum bid (equation 3.1); MV: as AB, but
            with the game of the highest expected value (3.4); MLV: as MV, among probable games only (3.5, 3.6); V: as
            MLV, but bids on where being the soloist at that bid has a higher expected value than passing, and declares
            and discards what has the highest expected value together, among probable games and discards (ours).
        aggression: the percentile of the maximum bid, 0 to 1; not used by DI and V.
        threshold: the minimum probability of a game in MLV; in V that of picking up and of hand games.
        boldness: the points that being the soloist is worth more at this table than the values say, in the auction of
            V: these have learnt from games among equals, and weaker opponents lose more.
        cardplay: `argmax` plays the most probable card (C), `sample` draws one (CS).
        checkpoint: the networks, by name or path.
        int8: whether networks of the cardplay multiply bytes after their first layer: faster, and about one card in 200
            is another.

    Raises:
        ValueError: if an option is out of range; its subclasses for unknown names.
        ParseError: if the checkpoint is damaged, of another version or for another purpose.
    """

    cheats = False

    @checked_options("policy")
    def __init__(
        self,
        variant: str = "V",
        *,
        aggression: Annotated[float, Range(gt=0, le=1)] = 0.85,
        threshold: Share = 0.1,
        boldness: Annotated[float, Range(ge=-1000, le=1000)] = 0.0,
        cardplay: str = "argmax",
        checkpoint: str = "skat-policy",
        int8: bool = False,
        game: str = "skat",
    ) -> None:
        if variant not in VARIANTS:
            raise UnknownName("variant of policy", variant, VARIANTS)
        if cardplay not in CARDPLAY:
            raise UnknownName("cardplay of policy", cardplay, CARDPLAY)
        self._variant, self._aggression, self._threshold = variant, aggression, threshold
        self._boldness = boldness
        self._samples_bidding, self._samples_cards = variant == "DI.S", cardplay == "sample"
        self.draws = self._samples_cards
        self._checkpoint = load_checkpoint(checkpoint, game)
        self._checkpoint.require_any(POLICY_OUTPUTS, CARD_NETWORKS)
        self._checkpoint.require_outputs(VALUE_OUTPUTS)
        if int8:
            self._checkpoint = self._checkpoint.in_int8(CARD_NETWORKS)
        self._values = [*(GAME_VALUES if variant in BY_VALUE else ())]
        self._values += (*AUCTION_VALUES, *DECLARED_VALUE) if variant == "V" else ()
        used = ["aggression"] * (variant in ("AB", "MV", "MLV")) + ["threshold"] * (variant in ("MLV", "V"))
        self.name = own_text(self, "policy", "variant", *used)

    def decide(self, view: SkatView, rng: np.random.Generator) -> Decision:
        """A legal action; its weights are the network's probabilities."""
        return self.decide_many([view], [rng])[0]

    def decide_many(self, views: Sequence[SkatView], rngs: Sequence[np.random.Generator]) -> list[Decision]:
        """The decisions for many views, with one forward pass for each network."""
        require_views(GAME, views)
        networks = [network_of(view) if view.legal().bit_count() > 1 else None for view in views]
        return decide_by_part(networks, views, rngs, self._ask)

    def _ask(
        self, network: str | None, views: list[SkatView], rngs: list[np.random.Generator]
    ) -> list[Decision]:
        """The decisions of one network; None: there is a single legal action."""
        if network is None:
            return [Decision(view.legal_actions()[0]) for view in views]
        if views[0].phase != Phase.PLAY:
            self._require_values()
        if network in ("bid_answer", "continue_answer"):
            if self._variant == "V":
                return self._valued_bids(views)
            return self._bids(network, views, rngs)
        if network in ("hand_pickup", "declare"):
            return self._games(network, views, rngs)
        if network.startswith("discard"):
            if self._variant == "V":
                return [self._valued_discard(view) for view in views]
            return self._discards(network, views, rngs)
        return self._cards(network, views, rngs)

    def _require_values(self) -> None:
        """Checks that the checkpoint has the values that the variant decides by before the cardplay.

        Raises:
            ParseError: if it has not; names a variant that it has all networks for.
        """
        networks = self._checkpoint.networks
        lacking = [name for name in self._values if name not in networks]
        if lacking:
            other = "AB" if set(GAME_VALUES) - networks.keys() else "MLV"
            raise ParseError(
                f"checkpoint {self._checkpoint.name} has no network '{lacking[0]}', which policy with "
                f"variant={self._variant} needs before the cardplay: expected another checkpoint or variant={other}"
            )

    def in_lanes(self) -> LanePlayer | None:
        """The policy as it plays in lanes; None if the checkpoint's networks of the cardplay do not allow it.

        Where it lacks others, it plays cards alone in lanes, and is asked in Python before.
        """
        networks = self._checkpoint.networks

        def allow(names: Iterable[str]) -> bool:
            return all(name in networks and not networks[name].spec.branch for name in names)

        if not allow(CARD_NETWORKS):
            return None
        if not allow((*POLICY_OUTPUTS, *self._values)):
            return CardLanes(GAME.name, networks, self._samples_cards)
        return SkatLanes(
            networks, self._variant, self._aggression, self._threshold, self._boldness, self._samples_cards
        )

    def _logits(self, network: str, views: list[SkatView]) -> Floats:
        return self._outputs(network, self._checkpoint.network(network).encoder.encode(views))

    def _outputs(self, network: str, rows: Floats) -> Floats:
        return self._checkpoint.network(network).infer(rows)

    def _bids(self, network: str, views: list[SkatView], rngs: list[np.random.Generator]) -> list[Decision]:
        """Bids and answers by the predicted maximum bid of the seat (equations 3.2 and 3.3)."""
        logits = self._logits(network, views)
        # reaches[n, b]: the probability that the maximum bid is level b or more.
        chances = masked(logits, np.ones(logits.shape, np.bool_)).astype(np.float64)
        reaches = np.cumsum(chances[:, ::-1], axis=1)[:, ::-1]
        decisions = []
        for row, (view, rng) in enumerate(zip(views, rngs, strict=True)):
            asked = BID_LEVEL[view.next_bid if view.phase == Phase.BID else view.bid]
            held = BID_LEVEL.get(view.bids[view.seat], 0)
            accepts = reaches[row, asked] / max(reaches[row, held], 1e-12)
            if self._samples_bidding:
                # Drawing each answer from its conditional probability equals drawing the maximum bid once.
                bids = rng.random() < accepts
            elif self._variant == "DI.M":
                bids = chances[row].argmax() >= asked
            else:
                # The first level whose cumulated probability reaches the percentile is `asked` or more.
                bids = 1 - reaches[row, asked] < self._aggression
            weights = np.zeros(64, np.float32)
            weights[YES], weights[PASS] = accepts, 1 - accepts
            decisions.append(Decision(YES if bids else PASS, weights))
        return decisions

    def _valued_bids(self, views: list[SkatView]) -> list[Decision]:
        """Bids and answers by the values of passing and of being the soloist at this bid.

        Going on is worth no less than that: whoever is bid further may still pass.
        """
        rows = self._checkpoint.network("pass_value").encoder.encode(views)
        passing = self._outputs("pass_value", rows)[:, 0]
        playing = self._outputs("soloist_value", rows[:, :SOLOIST_FEATURES])[:, 0]
        values = np.stack((passing, playing), axis=1)
        values[:, 1] += self._boldness
        weights = np.zeros((len(views), 64), np.float32)
        weights[:, (PASS, YES)] = masked(values / BID_POINTS, np.ones(values.shape, np.bool_))
        return [
            Decision(
                YES if bids else PASS,
                weights[row],
                float(values[row, int(bids)]),
                {"values": {PASS: float(values[row, 0]), YES: float(values[row, 1])}},
            )
            for row, bids in enumerate((values[:, 1] > values[:, 0]).tolist())
        ]

    def _games(self, network: str, views: list[SkatView], rngs: list[np.random.Generator]) -> list[Decision]:
        """Picks up or plays hand, and declares the game."""
        legal = declarable(OUTPUT_GAMES[network], views)
        chances = masked(self._logits(network, views), legal)
        values: Floats | None = None
        if self._variant in BY_VALUE:
            with_discards = self._variant == "V" and network == "declare"
            threshold = 0.0 if self._variant == "MV" else LIKELY if with_discards else self._threshold
            likely = legal & (chances >= threshold)
            # The most probable game always qualifies.
            likely[np.arange(len(views)), chances.argmax(axis=1)] = True
            values = (
                self._values_of_games(views, likely)
                if with_discards
                else self._logits(f"{network}_value", views)
            )
            chosen = np.where(likely, values, -np.inf).argmax(axis=1)
            weighed = likely if with_discards else legal
        else:
            chosen = choose(chances, rngs if self._samples_bidding else None)
        decisions = []
        for row, view in enumerate(views):
            actions = GAME_ACTIONS[network, view.phase]
            weights = np.bincount(actions, chances[row], 64).astype(np.float32)
            action = int(actions[chosen[row]])
            if values is None:
                decisions.append(Decision(action, weights))
                continue
            best: dict[int, float] = {}
            for game in np.flatnonzero(weighed[row]).tolist():
                step = int(actions[game])
                best[step] = max(best.get(step, -np.inf), float(values[row, game]))
            decisions.append(Decision(action, weights, float(values[row, chosen[row]]), {"values": best}))
        return decisions

    def _values_of_games(self, views: list[SkatView], likely: NDArray[np.bool_]) -> Floats:
        """The points of games with their best discards, float32 [n, games]; 0 if not likely."""
        values = np.zeros(likely.shape, np.float32)
        declared = DeclaredValues(self._checkpoint)
        for row, column in np.argwhere(likely).tolist():
            values[row, column] = declared.of(views[row], GAMES[column])[1][:, POINTS].max()
        return values

    def _valued_discard(self, view: SkatView) -> Decision:
        """Discards a card of the pair of the highest value."""
        assert view.contract is not None
        game = Declaration(view.contract, announcement=view.announcement)
        pairs, values = DeclaredValues(self._checkpoint).of(view, game)
        best = int(values[:, POINTS].argmax())
        card = cards_of(int(pairs[best]) & view.hand)[0]
        weights = np.zeros(64, np.float32)
        weights[card] = 1.0
        held = np.array(cards_of(view.hand), np.uint32)
        by_card = np.where(pairs[:, None] >> held & 1, values[:, POINTS, None], -np.inf).max(axis=0)
        known = {
            int(each): float(value) for each, value in zip(held, by_card, strict=True) if value > -np.inf
        }
        return Decision(card, weights, float(values[best, POINTS]), {"values": known})

    def _discards(
        self, network: str, views: list[SkatView], rngs: list[np.random.Generator]
    ) -> list[Decision]:
        """Discards a card of the chosen pair; the second decision is among pairs with the first card."""
        legal = discard_legal(views)
        chances = masked(self._logits(network, views), legal)
        chosen = PAIR_MASKS[choose(chances, rngs if self._samples_bidding else None)]
        weights = np.zeros((len(views), 64), np.float32)
        weights[:, :32] = np.where(legal_cards(views), chances @ PAIR_CARDS, 0)
        weights /= weights.sum(axis=1, keepdims=True)
        return [
            Decision(cards_of(pair & view.hand)[0], weights[row])
            for row, (pair, view) in enumerate(zip(chosen.tolist(), views, strict=True))
        ]

    def _cards(self, network: str, views: list[SkatView], rngs: list[np.random.Generator]) -> list[Decision]:
        legal = legal_cards(views)
        weights = np.zeros((len(views), 64), np.float32)
        weights[:, :32] = chances = masked(self._checkpoint.network(network).cards_of(views), legal)
        chosen = choose(chances, rngs if self._samples_cards else None)
        return [Decision(card, weights[row]) for row, card in enumerate(chosen.tolist())]
