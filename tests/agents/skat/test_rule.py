import numpy as np
import pytest

from skat_env.agents.random import RandomAgent
from skat_env.agents.skat._game_levels import game_levels
from skat_env.agents.skat.rule import RuleAgent
from skat_env.agents.skat.rule.bidding import RULE_BIDDER, sure_contract
from skat_env.agents.skat.rule.hand import EVALUATOR
from skat_env.agents.skat.rule.layout import TRUMPS, codes_of, layout_of
from skat_env.agents.skat.rule.situation import Situation
from skat_env.agents.skat.rule.soloist import FOLLOW_FACTS, LEAD_FACTS, SUIT, facts_of
from skat_env.cards import ALL_CARDS_MASK, cards_of, mask_of, parse_card, parse_mask
from skat_env.deal import Deal
from skat_env.play.starts import draw_starts, start_source
from skat_env.protocols import Agent
from skat_env.registry import get_game
from skat_env.skat import Declaration, SkatState, SkatView
from skat_env.skat.rules import (
    BASE_VALUES,
    HAND,
    NULL_VALUES,
    PASS,
    PICK_UP,
    PLACE_SIZES,
    YES,
    Contract,
    Phase,
    parse_action,
)

RULE: Agent = RuleAgent()
RANDOM: Agent = RandomAgent()
BIDS = ((18, 0, 0), (0, 18, 0), (0, 0, 18))
GAMES = ("D", "S", "C", "G", "N", "NO", "GH", "CHS", "HHZ", "CO", "NOH")


def random_deal(seed: int) -> Deal:
    return Deal.random(np.random.default_rng(seed), PLACE_SIZES)


def deal_with(hand: str, seat: int = 0, skat: str = "", seed: int = 1) -> Deal:
    """A deal in which a seat has a hand, and the skat some cards; the rest is random."""
    own, laid = parse_mask(hand), parse_mask(skat) if skat else 0
    rest = np.random.default_rng(seed).permutation(cards_of(ALL_CARDS_MASK & ~(own | laid))).tolist()
    places = [0, 0, 0, laid]
    places[seat] = own
    for place, size in enumerate(PLACE_SIZES):
        for _ in range(size - places[place].bit_count()):
            places[place] |= 1 << rest.pop()
    return Deal(tuple(places))


def position(hands: tuple[str, str, str, str], declarer: int, game: str, plays: str = "") -> SkatState:
    """A cardplay position after some plays."""
    bids = (18 * (declarer == 0), 18 * (declarer == 1), 18 * (declarer == 2))
    deal = Deal(tuple(parse_mask(hand) for hand in hands))
    state = SkatState.cardplay(deal, declarer, Declaration.parse(game), bids)
    for play in plays.split():
        state.apply(parse_action(play))
    return state


def choice(state: SkatState) -> int:
    return RULE.decide(state.view(state.to_act), np.random.default_rng(0)).action


def card(text: str) -> int:
    return parse_card(text)


def play_out(state: SkatState, agents: list[Agent], seed: int = 0) -> SkatState:
    """Plays a state to its end; an illegal action raises."""
    rng = np.random.default_rng(seed)
    while state.to_act >= 0:
        state.apply(agents[state.to_act].decide(state.view(state.to_act), rng).action)
    return state


def given_auction(seed: int, declarer: int, bid: int = 18) -> SkatState:
    bids = (bid * (declarer == 0), bid * (declarer == 1), bid * (declarer == 2))
    return SkatState.after_auction(random_deal(seed), declarer, bids)


# The layout and the table are the ground that all decisions stand on.


@pytest.mark.parametrize("contract", range(6))
def test_layout_orders_cards_by_strength(contract: int) -> None:
    layout = layout_of(contract)
    deal = random_deal(contract)
    for mask in deal.places:
        codes = codes_of(layout.arrange(mask))
        assert sorted(layout.card[code] for code in codes) == cards_of(mask)
    declaration = Declaration(Contract(contract))
    state = SkatState.cardplay(deal, 0, declaration, (18, 0, 0))
    for code in range(32):
        follow = layout.arrange(state.follow_mask(layout.card[code]))
        assert layout.follow[code] == follow
    assert sum(layout.points) == 120


@pytest.mark.parametrize("game", GAMES)
def test_table_knows_nothing_false(game: str) -> None:
    """What the table excludes or is sure of is so, if no trump was laid away: it takes that for granted."""
    for seed in range(25):
        deal = random_deal(seed)
        soloist = seed % 3
        declaration = Declaration.parse(game)
        layout = layout_of(declaration.contract)
        if not declaration.hand and layout.arrange(deal.places[3]) & layout.trumps:
            continue
        bids = (18 * (soloist == 0), 18 * (soloist == 1), 18 * (soloist == 2))
        state = SkatState.cardplay(deal, soloist, declaration, bids)
        rng = np.random.default_rng(seed)
        while state.to_act >= 0:
            situation = Situation(state.view(state.to_act))
            for seat in range(3):
                if seat == state.to_act:
                    continue
                held = situation.layout.arrange(state.hands[seat])
                assert held & ~situation.could[seat] == 0
                assert situation.known[seat] & ~held == 0
                for group in situation.layout.groups:
                    chance = situation.chance(seat, group)
                    assert 0 <= chance <= 1
                    if chance in (0, 1):
                        assert bool(held & group) == chance
            state.apply(RANDOM.decide(state.view(state.to_act), rng).action)


# Every phase, every start: an illegal action raises in `apply`.


@pytest.mark.parametrize("seed", range(60))
def test_whole_games_in_any_company_are_legal(seed: int) -> None:
    for rules in ((1, 1, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (0, 1, 1)):
        agents: list[Agent] = [RULE if rule else RANDOM for rule in rules]
        play_out(SkatState.new(random_deal(seed)), agents, seed)


def success(game: str, soloist: Agent, defender: Agent) -> float:
    """What the soloist gets of a game on random deals, 0 to 100: of the card points, in null games of the wins."""
    gained = 0.0
    for seed in range(30):
        place = seed % 3
        bids = (18 * (place == 0), 18 * (place == 1), 18 * (place == 2))
        state = SkatState.cardplay(random_deal(seed), place, Declaration.parse(game), bids)
        result = play_out(state, [soloist if seat == place else defender for seat in range(3)], seed).result()
        gained += result.won if state.contract == Contract.NULL else result.card_points / 120
    return 100 * gained / 30


@pytest.mark.parametrize("game", GAMES)
def test_every_declared_game_is_played_better_than_at_random(game: str) -> None:
    against_rule, against_random = success(game, RULE, RULE), success(game, RULE, RANDOM)
    if game not in ("HHZ", "CO"):  # random hands lose these within a few tricks, whoever plays
        assert against_random > success(game, RANDOM, RANDOM) + 4
        assert against_rule < against_random - 8


@pytest.mark.parametrize("bid", [18, 59, 120, 264])
def test_given_auctions_are_gone_on_with_legally(bid: int) -> None:
    for seed in range(20):
        play_out(given_auction(seed, seed % 3, bid), [RULE] * 3)


def test_goes_on_from_declarations_of_others() -> None:
    """It also discards, announces and plays well-formed where somebody else chose the game before."""
    for seed in range(60):
        state = given_auction(seed, seed % 3)
        rng = np.random.default_rng(seed)
        for _ in range(seed % 5):
            state.apply(RANDOM.decide(state.view(state.to_act), rng).action)
        play_out(state, [RULE] * 3)


def test_single_legal_card() -> None:
    state = play_out(SkatState.cardplay(random_deal(3), 0, Declaration.parse("C"), (18, 0, 0)), [RULE] * 3)
    for _ in range(3):
        state.undo()
        assert choice(state) == state.legal_actions()[0]


def test_decides_by_the_view_alone() -> None:
    """Twice the same, on another stream the same, and from the parsed text of the view the same."""
    for seed in range(10):
        state = SkatState.new(random_deal(seed))
        while state.to_act >= 0:
            view = state.view(state.to_act)
            action = RULE.decide(view, np.random.default_rng(0)).action
            assert RuleAgent().decide(view, np.random.default_rng(9)).action == action
            assert RULE.decide(SkatView.parse(view.text()), np.random.default_rng(1)).action == action
            state.apply(action)


# The hand evaluation.


def test_vectorised_levels_agree_with_results() -> None:
    for seed in range(60):
        state = given_auction(seed, 0)
        twelve = np.array([state.dealt[0] | state.dealt[3]], dtype=np.uint32)
        levels = game_levels(twelve)
        state.apply(PICK_UP)
        contract = seed % 5
        state.apply(36 + contract)
        result = play_out(state, [RULE] * 3).result()
        assert abs(result.matadors) + 1 == levels[contract, 0]


def test_more_is_better() -> None:
    """Aces instead of sevens, more trumps, and better jacks never make a hand much worse."""
    weak = parse_mask("SJ.HJ.CT.C9.C8.C7.SA.H8.H7.D9")
    strong = parse_mask("CJ.SJ.CA.CT.C9.C8.SA.HA.HT.D9")
    hands = np.array([weak, strong], dtype=np.uint32)
    skats = np.array([parse_mask("DT.S7")] * 2, dtype=np.uint32)
    wins = EVALUATOR.wins(hands, skats, False)
    assert wins[3, 0] < wins[3, 1]
    assert wins[3, 1] > 0.9
    nulls = EVALUATOR.nulls(
        np.array([parse_mask("D7.D8.D9.H7.H9.S7.S8.ST.C7.C9"), strong], dtype=np.uint32), None, False
    )
    assert nulls[0, 0] > 0.9
    assert nulls[0, 1] < 0.05


def test_promise_falls_with_the_bid() -> None:
    for seed in range(10):
        hand = random_deal(seed).places[0]
        found = RULE_BIDDER.prospects(hand, True)
        promises = [max(found.pick_up(bid), found.hand_games(bid).max()) for bid in (18, 24, 36, 60, 120)]
        assert promises == sorted(promises, reverse=True)
        assert promises[0] > promises[-1]
    assert RULE_BIDDER.prospects(hand, True) is RULE_BIDDER.prospects(hand, True)


# Known situations in the auction and the declaration.

MONSTER = "CJ.SJ.HJ.DJ.CA.CT.SA.ST.HA.DA"
HOPELESS = "D8.DQ.H9.HQ.HK.S8.SQ.C8.C9.CK"
SAFE_NULL = "D7.D8.D9.H7.H8.H9.S7.S9.SJ.C7"


def test_monster_grand_is_bid_and_declared() -> None:
    state = SkatState.new(deal_with(MONSTER, 1))
    while state.soloist < 0:
        state.apply(choice(state) if state.to_act == 1 else PASS if state.bid >= 96 else YES)
    assert state.soloist == 1
    while state.phase != Phase.PLAY:
        state.apply(choice(state))
    assert state.contract == Contract.GRAND
    assert play_out(state, [RULE] * 3).result().won


def test_hopeless_hand_passes() -> None:
    state = SkatState.new(deal_with(HOPELESS, 1))
    assert choice(state) == PASS
    state = SkatState.new(deal_with(HOPELESS, 0))
    state.apply(PASS)
    state.apply(PASS)
    assert choice(state) == PASS


def test_safe_null_is_bid_and_declared() -> None:
    state = SkatState.new(deal_with(SAFE_NULL, 1))
    assert choice(state) == YES
    state = SkatState.after_auction(deal_with(SAFE_NULL, 1, skat="DQ.CQ"), 1, (0, 18, 0))
    while state.phase != Phase.PLAY:
        state.apply(choice(state))
    assert state.contract == Contract.NULL
    assert play_out(state, [RULE] * 3).result().won


def test_all_tricks_in_hand_are_announced_open() -> None:
    hand = "CJ.SJ.HJ.DJ.CA.CT.CK.CQ.C9.SA"
    assert sure_contract(parse_mask(hand), True) == Contract.GRAND
    assert sure_contract(parse_mask(hand), False) is None
    state = SkatState.new(deal_with(hand, 0))
    state.apply(YES)
    while state.phase != Phase.PLAY:
        state.apply(choice(state))
    declaration = state.declaration
    assert declaration is not None
    assert declaration.text() == "GO"
    result = play_out(state, [RULE, RANDOM, RANDOM]).result()
    assert result.won
    assert result.tricks == 10


def test_all_tricks_are_no_sure_win_of_a_bid_that_they_do_not_reach() -> None:
    """Grand ouvert with one matador is worth 192, whatever lies in the skat."""
    hand = "CJ.HJ.DJ.DA.DT.DK.DQ.D9.D8.D7"
    assert sure_contract(parse_mask(hand), True, 192) == Contract.GRAND
    assert sure_contract(parse_mask(hand), True, 198) is None
    deal = deal_with(hand, 0, skat="C7.C8")
    assert choice(SkatState.after_auction(deal, 0, (192, 18, 0))) == HAND
    assert choice(SkatState.after_auction(deal, 0, (198, 18, 0))) == PICK_UP


def test_lays_two_different_cards_that_the_evaluation_likes() -> None:
    for seed in range(40):
        state = given_auction(seed, seed % 3)
        state.apply(PICK_UP)
        contract = choice(state)
        state.apply(contract)
        while state.phase == Phase.ANNOUNCE:
            state.apply(choice(state))
        best = RULE_BIDDER.weigh_discards(state.hands[state.soloist], 0, state.soloist == 0)
        state.apply(choice(state))
        state.apply(choice(state))
        row = 6 if state.declaration == Declaration.parse("NO") else state.contract
        points = best.points(18)[row]
        assert points[best.skats == state.skat][0] == points.max()


@pytest.mark.slow
def test_does_not_overbid() -> None:
    """Hardly a game that it picks after its own auctions is worth less than the bid: 4 of 1200 deals."""
    played = below = 0
    for seed in range(150):
        state = SkatState.new(random_deal(seed))
        while state.to_act >= 0 and state.phase != Phase.PLAY:
            state.apply(choice(state))
        if state.soloist < 0:
            continue
        played += 1
        contract, declaration = state.contract, state.declaration
        assert contract is not None
        assert declaration is not None
        twelve = state.dealt[state.soloist] | state.dealt[3]
        levels = game_levels(np.array([twelve], dtype=np.uint32))[:, 0]
        values = [
            int(base * (level + declaration.hand)) for base, level in zip(BASE_VALUES, levels, strict=True)
        ]
        if contract == Contract.NULL:
            value = NULL_VALUES[declaration.hand, declaration.announcement > 0]
        else:
            value = values[contract]
        below += value < state.bid
    assert played > 130
    assert below <= 1


# Known situations in the cardplay.


def test_smears_on_the_partners_sure_trick() -> None:
    hands = (
        "CJ.SJ.CA.CT.C9.C8.HA.HT.D9.D8",
        "DA.DT.DK.H9.H8.H7.S9.S8.S7.CQ",
        "HJ.DJ.CK.C7.SA.ST.SK.HK.HQ.DQ",
        "SQ.D7",
    )
    # Soloist (forehand, clubs) loses a diamond to middlehand's ace; rearhand must follow with the queen.
    state = position(hands, 0, "C", "D9 DA")
    assert choice(state) == card("DQ")
    # Then middlehand leads another: rearhand, void now, gives points.
    state = position(hands, 0, "C", "D9 DA DQ DT")
    assert state.to_act == 2
    assert choice(state) in (card("ST"), card("SA"), card("HK"), card("SK"))
    # Last to play on the partner's trick, with a free choice: a full card.
    hands = (
        "CJ.SJ.CA.CT.C9.C8.HA.HT.D9.D8",
        "HJ.DJ.CK.C7.SA.ST.SK.HK.HQ.H9",
        "DA.DT.DK.DQ.H8.H7.S9.S8.S7.CQ",
        "SQ.D7",
    )
    state = position(hands, 2, "H", "D9")
    assert state.to_act == 1
    state = position(hands, 0, "C", "D8 HJ")  # the partner ruffs the soloist's diamond: a full one goes along
    assert choice(state) in (card("DA"), card("DT"))


def test_last_hand_wins_as_cheaply_as_it_can() -> None:
    hands = (
        "SA.H7.H8.D7.D8.CK.CQ.S9.DQ.HQ",
        "S7.S8.H9.HK.HT.DK.D9.C7.C8.DT",
        "CJ.SJ.HJ.DJ.CA.CT.C9.DA.HA.SQ",
        "ST.SK",
    )
    # Nothing but nines and eights to gain: no jack is spent where nothing is in it, and no ace under a nine.
    state = position(hands, 2, "C", "H7 H9")
    assert choice(state) == card("HA")
    state = position(hands, 2, "C", "CQ C7")
    assert choice(state) in (card("CT"), card("CA"))


def test_discards_do_not_lay_trumps_away() -> None:
    trumps_laid = 0
    for seed in range(60):
        state = given_auction(seed, seed % 3)
        state.apply(PICK_UP)
        while state.phase != Phase.PLAY:
            state.apply(choice(state))
        if state.contract in (Contract.DIAMONDS, Contract.HEARTS, Contract.SPADES, Contract.CLUBS):
            suit = mask_of(c for c in range(32) if c >> 3 == state.contract or c & 7 == 4)
            trumps_laid += (state.skat & suit).bit_count()
    assert trumps_laid <= 2


def test_defenders_do_not_lead_trumps_at_first() -> None:
    led = 0
    for seed in range(100):
        state = SkatState.cardplay(random_deal(seed), 1, Declaration.parse("C"), (0, 18, 0))
        led += choice(state) >> 3 == 3 or choice(state) & 7 == 4
    assert led <= 5


def test_a_sure_rest_is_played_trumps_first() -> None:
    """With every trick in hand the soloist draws trumps before he cashes a suit that could be ruffed."""
    hand = "CJ.SJ.HJ.DJ.CA.CT.CK.SA.ST.SK"
    for seed in range(20):
        deal = deal_with(hand, 0, skat="D7.D8", seed=seed)
        state = SkatState.cardplay(deal, 0, Declaration.parse("C"), (18, 0, 0))
        result = play_out(state, [RULE, RANDOM, RANDOM], seed).result()
        assert result.schwarz
        assert result.tricks == 10


@pytest.mark.parametrize("game", ["D", "S", "C", "CHS"])
def test_every_fact_of_a_card_has_its_weight(game: str) -> None:
    """Facts come in the order of their names, and those of a lead and of following are told apart."""
    seen: set[int] = set()
    for seed in range(40):
        state = SkatState.cardplay(random_deal(seed), seed % 3, Declaration.parse(game), BIDS[seed % 3])
        while state.to_act >= 0:
            situation = Situation(state.view(state.to_act))
            if state.to_act == state.soloist:
                names = FOLLOW_FACTS if situation.position else LEAD_FACTS
                for code, facts in facts_of(situation):
                    named = dict(zip((name.partition(":")[0] for name in names), facts, strict=True))
                    assert bool(named["trump"]) == (situation.layout.group[code] == TRUMPS)
                    assert named["jack"] <= named["trump"]
                    assert -1 <= named["goal"] <= 1
                    seen |= {
                        number + 100 * (situation.position > 0) for number, fact in enumerate(facts) if fact
                    }
            state.apply(choice(state))
    if game in ("S", "C"):
        assert seen == {*range(len(LEAD_FACTS)), *range(100, 100 + len(FOLLOW_FACTS))}
    assert [len(part) for part in SUIT] == [len(LEAD_FACTS), len(FOLLOW_FACTS)]


def test_null_soloist_ducks_high() -> None:
    hands = (
        "SQ.H7.H8.D7.DQ.CK.CQ.C9.DK.HQ",
        "SK.S8.H9.HK.HT.DA.D9.CT.C8.DT",
        "SA.SJ.S9.S7.C7.CJ.HJ.HA.D8.DJ",
        "ST.CA",
    )
    assert choice(position(hands, 2, "N", "SQ SK")) == card("SJ")
    hands = (hands[0], hands[2], hands[1], hands[3])
    assert choice(position(hands, 1, "N", "SQ")) == card("SJ")


# Statistics with fixed seeds; the figures on thousands of deals are in the README.


def test_self_play_bids_and_wins_as_good_players_do() -> None:
    """Bounds are two standard deviations about what is measured on thousands of deals."""
    results = [play_out(SkatState.new(random_deal(seed)), [RULE] * 3).result() for seed in range(150)]
    played = [result for result in results if result.declarer >= 0]

    def share(kind: str) -> float:
        return sum(result.contract.startswith(kind) for result in played) / len(played)

    assert 0.92 <= len(played) / len(results) <= 0.99
    assert 24 < np.mean([result.bid for result in played]) < 29
    assert 0.78 <= np.mean([result.won for result in played]) <= 0.91
    assert 0.3 < share("G") < 0.47
    assert 0.08 < share("N") < 0.2


@pytest.mark.slow
def test_beats_random_in_every_role() -> None:
    rule_full = random_full = 0.0
    for seed in range(50):
        for seat in range(3):
            agents: list[Agent] = [RANDOM] * 3
            agents[seat] = RULE
            points = play_out(SkatState.new(random_deal(seed)), agents, seed).returns()
            rule_full += points[seat]
            random_full += (sum(points) - points[seat]) / 2
    assert rule_full / 150 > random_full / 150 + 50
    wins = {
        (soloist, defender): sum(soloist_wins(seed, soloist, defender) for seed in range(150))
        for soloist in (RULE, RANDOM)
        for defender in (RULE, RANDOM)
    }
    for other in (RULE, RANDOM):
        assert wins[RULE, other] > wins[RANDOM, other] + 10  # as the soloist
        assert wins[other, RULE] < wins[other, RANDOM] - 10  # as the defenders


def soloist_wins(seed: int, soloist: Agent, defender: Agent) -> bool:
    """Whether the soloist of a deal wins the game that the rule player bids and declares."""
    state = SkatState.new(random_deal(seed))
    while state.to_act >= 0 and state.phase != Phase.PLAY:
        state.apply(choice(state))
    if state.to_act < 0:
        return False
    seats = [soloist if seat == state.soloist else defender for seat in range(3)]
    return play_out(state, seats, seed).result().won


def test_the_soloist_of_suit_games_wins_as_good_players_do() -> None:
    """The same defenders lose a tenth more of these games to him than to a soloist who leads low trumps only."""
    source = start_source(get_game("skat"), "cardplay", RULE, kind="suit")
    starts = draw_starts("skat", source, 200, 5)
    assert sum(play_out(start, [RULE] * 3).result().won for start in starts) >= 168
