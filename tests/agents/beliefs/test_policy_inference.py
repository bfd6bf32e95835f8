"""Policy inference against a plain replay of every world, and what a user can ask of it."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

from tests.conftest import random_games, random_skat_games

pytest.importorskip("torch", reason="networks need the extra 'learn'")


from skat_env.agents.beliefs import policy_inference
from skat_env.agents.beliefs.past_likelihood import PastLikelihood, PolicyModel
from skat_env.agents.beliefs.policy_inference import PolicyInference
from skat_env.agents.klaverjas.past_decisions import KlaverjasPastDecisions
from skat_env.agents.networks.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from skat_env.agents.networks.network import NetworkSpec
from skat_env.agents.skat.policy.networks import (
    PAIR_MASKS,
    discard_legal,
    hand_output,
    network_of,
)
from skat_env.agents.skat.policy.past_decisions import SkatPastDecisions
from skat_env.beliefs._hindsight import Replays, log_chances
from skat_env.beliefs.belief import Belief, UniformSampler
from skat_env.beliefs.posterior import PosteriorSampler, Trust
from skat_env.cards import cards_of
from skat_env.deal import Deal
from skat_env.encoders import get_encoder
from skat_env.errors import ParseError, UnknownName
from skat_env.klaverjas import GAME as KLAVERJAS
from skat_env.klaverjas import KlaverjasRules
from skat_env.registry import make_agent, make_belief
from skat_env.skat import Declaration, SkatState
from skat_env.skat.rules import (
    BID_LEVEL,
    DECLARE,
    HAND,
    PASS,
    PICK_UP,
    Contract,
    Phase,
    Start,
)
from tests.helpers.networks import changed, random_network

SKAT, SKAT_MODEL = SkatPastDecisions(), "skat-imitation"


@pytest.fixture(scope="module")
def skat_checkpoint() -> Checkpoint:
    return load_checkpoint(SKAT_MODEL, "skat")


@pytest.fixture(scope="module")
def klaverjas_checkpoint() -> Checkpoint:
    return load_checkpoint("klaverjas-policy", "klaverjas")


def likelihood(view, checkpoint, past=SKAT, sample=0, **known):
    return PastLikelihood(view, past, [PolicyModel(checkpoint, past)], sample, 0, known.get("known", {}))


def log_share(logits, legal, chosen):
    """The logarithm of what a softmax over the legal outputs gives to the chosen ones."""
    logits = np.asarray(logits, np.float64)
    return logsumexp(logits[np.asarray(chosen)]) - logsumexp(logits[np.asarray(legal)])


def replayed(state):
    """Each position of a game, with the action that was chosen there."""
    at = state.clone()
    while at.history():
        at.undo()
    for action in state.history():
        yield at, action
        at.apply(action)


def plain_skat(state, seat, checkpoint, full):
    """The logarithm of equation 5.1, one whole state replayed."""
    unsure = state.picked_up and seat != state.soloist and state.start != Start.CARDPLAY
    skips = {state.soloist} if unsure and not full else set()
    total, bidding = 0.0, {}
    actions = state.history()
    for step, (at, action) in enumerate(replayed(state)):
        who, network = at.to_act, network_of(at)
        if who == seat:
            continue
        if at.phase <= Phase.ANSWER:
            outputs = bidding[who, network][0] if (who, network) in bidding else None
            if outputs is None:
                outputs = checkpoint.network(network).outputs_of([at], [who])[0]
            after = at.clone()
            after.apply(action)
            level = BID_LEVEL.get(after.bids[who], 0)
            bidding[who, network] = outputs, [level] if action == PASS else range(level, 64)
        elif at.phase == Phase.PICK_UP and who not in skips:
            game = 0
            if action == HAND:
                game = hand_output(actions[step + 1] - DECLARE, state.announcement == 3)
            outputs = checkpoint.network(network).outputs_of([at])[0]
            total += log_share(outputs, range(13), [game])
        elif at.phase == Phase.CONTRACT and not at.hand_game:
            game = action - DECLARE
            game += game == Contract.NULL and state.announcement == 3
            outputs = checkpoint.network(network).outputs_of([at])[0]
            total += log_share(outputs, range(7), [game])
        elif at.phase == Phase.DISCARD and actions[step - 1] >= 32:
            pair = 1 << action | 1 << actions[step + 1]
            outputs = checkpoint.network(network).outputs_of([at])[0]
            legal = discard_legal([at.view(who)])[0]
            total += log_share(outputs, np.flatnonzero(legal), pair == PAIR_MASKS)
        elif at.phase == Phase.PLAY:
            outputs = checkpoint.network(network).cards_of([at.view(who)])[0]
            total += log_share(outputs, at.legal_actions(), [action])
    for (who, _), (outputs, levels) in bidding.items():
        if who not in skips:
            total += log_share(outputs, range(64), levels)
    return total


def plain_klaverjas(state, seat, checkpoint):
    network = checkpoint.network("cardplay")
    total = 0.0
    for at, action in replayed(state):
        if at.stage == "cardplay" and at.to_act != seat:
            logits = network.cards_of([at.view(at.to_act)])[0] / network.spec.scale
            total += log_share(logits, at.legal_actions(), [action])
    return total


def skat_views(games, seed, stages=range(0, 28, 3)):
    """Views of the soloist and a defender at some point of random games: of all contracts, with hand, and ouvert."""
    for number, end in enumerate(random_skat_games(games, seed)):
        state = end.clone()
        # Null games and announced ones may end early.
        plays = min(stages[number % len(stages)], len(end.plays()) - 1)
        while len(state.plays()) > max(plays, 0):
            state.undo()
        if state.stage == "cardplay" and not state.is_over:
            yield state.view(state.soloist)
            yield state.view((state.soloist + 1 + number % 2) % 3)


def assert_like_the_plain_twin(view, checkpoint, rng, worlds=2):
    belief = Belief(view)
    rows = belief.sample(worlds, rng)
    found = likelihood(view, checkpoint).log_likelihood(rows, Trust())
    expected = [plain_skat(belief.state(row, rng), view.seat, checkpoint, False) for row in rows]
    assert np.allclose(found, expected, atol=2e-3, rtol=1e-5), view


def test_skat_is_like_the_plain_twin(skat_checkpoint):
    rng = np.random.default_rng(0)
    seen = set()
    for view in skat_views(80, 1):
        assert_like_the_plain_twin(view, skat_checkpoint, rng)
        role = "soloist" if view.is_soloist else "defender"
        seen.add((role, bool(view.hand_game), view.contract == Contract.NULL, view.announcement == 3))
    # Both roles, hand games or not, null or not, ouvert or not; without hand there is no ouvert but null's.
    assert len(seen) == 14


def test_networks_with_suits_of_their_own_are_like_the_plain_twin():
    checkpoint = load_checkpoint("skat-policy", "skat")
    rng = np.random.default_rng(0)
    for view in skat_views(20, 2):
        assert_like_the_plain_twin(view, checkpoint, rng)


def test_klaverjas_is_like_the_plain_twin(klaverjas_checkpoint):
    rng = np.random.default_rng(0)
    past = KlaverjasPastDecisions()
    for number, state in enumerate(random_games(KLAVERJAS, 12, 3, KlaverjasRules(choice="free"))):
        while len(state.plays()) > 2 + 2 * number:
            state.undo()
        view = state.view(number % 4)
        belief = Belief(view)
        rows = belief.sample(3, rng)
        found = likelihood(view, klaverjas_checkpoint, past).log_likelihood(rows, Trust())
        expected = [plain_klaverjas(belief.state(row, rng), view.seat, klaverjas_checkpoint) for row in rows]
        assert np.allclose(found, expected, atol=2e-3, rtol=1e-5)


def test_unfinished_auctions_and_declarations_do_not_crash(skat_checkpoint):
    rng = np.random.default_rng(0)
    for end in random_skat_games(12, 5):
        for state in (*(at.clone() for at, _ in replayed(end)), end):
            if state.stage != "cardplay" or state.is_over:
                for seat in range(3):
                    view = state.view(seat)
                    logs = likelihood(view, skat_checkpoint).log_likelihood(
                        Belief(view).sample(2, rng), Trust()
                    )
                    assert np.isfinite(logs).all()


def test_what_began_later_has_fewer_decisions(skat_checkpoint):
    rng = np.random.default_rng(3)
    deal = Deal.random(rng, (10, 10, 10, 2))
    auction = SkatState.after_auction(deal, 1, (18, 20, 0))
    for action in (PICK_UP, DECLARE + Contract.HEARTS, *cards_of(auction.hands[1])[:2]):
        auction.apply(action)
    for text in ("H", "CH", "NO", "N"):
        given = SkatState.cardplay(deal, 1, Declaration.parse(text), (18, 20, 0))
        for state, cardplay in ((auction.clone(), False), (given, True)):
            for _ in range(5):
                state.apply(state.legal_actions()[0])
            for seat in range(3):
                view = state.view(seat)
                assert_like_the_plain_twin(view, skat_checkpoint, rng)
                networks = {each.network for each in SKAT.decisions(view, True)}
                assert not networks & {"bid_answer", "continue_answer"}
                assert ("declare" in networks) == (not cardplay and seat != 1)


def solo_view(seed, cards_left, picked_up=True):
    """A defender's view late in a game."""
    for end in random_skat_games(400, seed):
        state = end.clone()
        if state.soloist < 0 or state.picked_up != picked_up or state.announcement == 3:
            continue
        if len(state.plays()) < 30 - cards_left:
            continue
        while len(state.plays()) > 30 - cards_left:
            state.undo()
        seat = (state.soloist + 1) % 3
        return state, state.view(seat)
    raise AssertionError


def with_found(state, row, belief, view, found):
    """The whole game in which the soloist found two given cards."""
    world = belief.state(row, np.random.default_rng(0))
    dealt = list(world.dealt)
    twelve = dealt[world.soloist] | dealt[3]
    dealt[3], dealt[world.soloist] = found, twelve & ~found
    replay = SkatState.new(Deal(tuple(dealt)))
    for action in world.history():
        replay.apply(action)
    assert replay.view(view.seat) == view
    return replay


def test_full_states_average_over_what_the_soloist_found(skat_checkpoint):
    state, view = solo_view(1, 7)
    belief = Belief(view)
    row = belief.sample(1, np.random.default_rng(0))
    assert SKAT.states(view) == 66
    world = belief.state(row[0], np.random.default_rng(0))
    twelve = cards_of(world.dealt[state.soloist] | world.dealt[3])
    pairs = [1 << low | 1 << high for i, low in enumerate(twelve) for high in twelve[i + 1 :]]
    expected = [
        plain_skat(with_found(state, row[0], belief, view, found), view.seat, skat_checkpoint, True)
        for found in pairs
    ]
    found = likelihood(view, skat_checkpoint, sample=66).log_likelihood(row, Trust())
    assert np.isclose(found[0], logsumexp(expected) - np.log(66), atol=2e-3)
    one = likelihood(view, skat_checkpoint, sample=1).log_likelihood(row, Trust())
    assert np.isclose(expected, one[0], atol=2e-3).any()
    skipped = likelihood(view, skat_checkpoint).log_likelihood(row, Trust())
    assert np.isclose(skipped[0], plain_skat(world, view.seat, skat_checkpoint, False), atol=2e-3)
    assert abs(skipped[0] - found[0]) > 0.1


def test_full_states_are_configurations_where_nothing_is_open(skat_checkpoint):
    _, view = solo_view(2, 9, picked_up=False)
    assert SKAT.states(view) == 1
    rows = Belief(view).sample(5, np.random.default_rng(0))
    full = likelihood(view, skat_checkpoint, sample=1).log_likelihood(rows, Trust())
    assert np.allclose(full, likelihood(view, skat_checkpoint).log_likelihood(rows, Trust()))


def test_all_worlds_give_equation_5_1(skat_checkpoint):
    _, view = solo_view(3, 6)
    belief = Belief(view)
    rows = np.concatenate([*belief.enumerate()])
    rng = np.random.default_rng(0)
    logs = np.array([plain_skat(belief.state(row, rng), view.seat, skat_checkpoint, False) for row in rows])
    expected = np.exp(logs - logsumexp(logs))
    for int8, apart in ((False, 1e-4), (True, 0.02)):
        posterior = PolicyInference(k=len(rows), int8=int8, game="skat").posterior(view, rng)
        assert posterior.drawn == "all"
        assert np.allclose(posterior.probability(rows), expected, atol=apart)
    assert (posterior.probability(np.zeros((2, 4), np.uint32)) == 0).all()
    assert len(posterior.probability(rows[:0])) == 0
    assert PolicyInference(k=len(rows) - 1, game="skat").posterior(view, rng).drawn == "distinct"
    tempered = (
        PolicyInference(k=10**6, temper=0.5, int8=False, game="skat").posterior(view, rng).probability(rows)
    )
    assert np.allclose(tempered, np.exp(0.5 * logs - logsumexp(0.5 * logs)), atol=1e-4)
    assert np.allclose(
        PolicyInference(temper=0, game="skat").posterior(view, rng).probability(rows), 1 / len(rows)
    )


def test_each_player_follows_one_of_several_models(skat_checkpoint):
    _, view = solo_view(4, 12)
    rows = Belief(view).sample(50, np.random.default_rng(0))
    checkpoints = [skat_checkpoint, load_checkpoint("skat-policy", "skat")]
    trust = Trust(temper=0.5, floor=1e-5)
    logs = np.empty((2, 3, len(rows)))
    for number, checkpoint in enumerate(checkpoints):
        past = likelihood(view, checkpoint)
        every = past._decisions
        for seat in range(3):
            past._decisions = {seat: every.get(seat, [])}
            logs[number, seat] = past.log_likelihood(rows, trust)
        past._decisions = every
        assert np.allclose(past.log_likelihood(rows, trust), logs[number].sum(axis=0))
    assert (np.ptp(logs[0] - logs[1], axis=1) > 0.1).sum() == 2
    both = PastLikelihood(view, SKAT, [PolicyModel(each, SKAT) for each in checkpoints], 0, 0, {})
    expected = np.log(np.exp(logs).mean(axis=0)).sum(axis=0)
    assert np.allclose(both.log_likelihood(rows, trust, learn=True), expected)
    assert np.allclose(
        PastLikelihood(view, SKAT, both._models, 0, 0, both.known).log_likelihood(rows, trust), expected
    )
    model = "skat-imitation+skat-policy"
    belief = PolicyInference(model=model, temper=0.5, floor=1e-5, int8=False, game="skat")
    assert belief.models == ("policy(checkpoint=skat-imitation)", "policy(checkpoint=skat-policy)")
    rng = np.random.default_rng(1)
    states = Belief(view).states(rows, rng)
    drawn = belief.models_in(view, states * 400, rng).reshape(400, len(rows), 3)
    chances = np.exp(logs[1] - np.logaddexp(logs[0], logs[1]))
    others = [seat for seat in range(3) if seat != view.seat]
    assert np.abs(drawn.mean(axis=0)[:, others] - chances[others].T).max() < 0.125
    assert np.abs((drawn.mean(axis=0)[:, others] - chances[others].T).mean()) < 0.01


def test_others_than_the_models_may_play_worlds_out():
    """They change who plays, and neither the worlds nor whom a seat follows."""
    _, view = solo_view(4, 12)
    plain, played = (
        PolicyInference(300, model="skat-imitation+skat-xskat", players=players, game="skat")
        for players in (None, "skat-policy+skat-xskat")
    )
    assert played.models == tuple(
        f"policy(checkpoint=skat-{name}, int8=true)" for name in ("policy", "xskat")
    )
    states = Belief(view).states(Belief(view).sample(50, np.random.default_rng(0)), np.random.default_rng(0))
    found = [belief.models_in(view, states, np.random.default_rng(1)) for belief in (plain, played)]
    assert np.array_equal(*found)
    drawn = [belief.posterior(view, np.random.default_rng(2)) for belief in (plain, played)]
    assert np.array_equal(drawn[0].rows, drawn[1].rows)
    with pytest.raises(ValueError, match="players=skat-policy: expected one for each of 2 models"):
        PolicyInference(model="skat-imitation+skat-xskat", players="skat-policy", game="skat")
    with pytest.raises(UnknownName, match="skat-nobody"):
        PolicyInference(model="skat-imitation", players="skat-nobody", game="skat")


def test_a_floor_is_the_least_probability_of_each_decision(skat_checkpoint):
    _, view = solo_view(4, 12)
    rows = Belief(view).sample(50, np.random.default_rng(0))
    past = likelihood(view, skat_checkpoint)
    logs = past.log_likelihood(rows, Trust(), learn=True)
    floored = past.log_likelihood(rows, Trust(floor=0.9))
    decisions = sum(len(worked.decisions) for worked in past.known.values())
    assert (floored >= decisions * np.log(0.9) - 1e-9).all()
    assert (floored >= logs - 1e-9).all()
    by_hand = sum(np.maximum(worked.logs, np.log(0.9)).sum(axis=1).max() for worked in past.known.values())
    assert floored.max() <= by_hand + 1e-9


def game_of_views(seed, seat):
    """The views of a seat, decision by decision, in a game of random cards."""
    state = next(
        end for end in random_skat_games(50, seed) if len(end.plays()) == 30 and end.soloist not in (-1, seat)
    )
    return [at.view(seat) for at, _ in replayed(state) if at.to_act == seat and at.stage == "cardplay"]


@pytest.mark.parametrize("states", policy_inference.STATES)
def test_worlds_do_not_depend_on_what_was_worked_out_before(states):
    sampler = PolicyInference(k=300, states=states, game="skat")
    rng = np.random.default_rng(7)
    for view in game_of_views(11, 0):
        seen = np.random.default_rng()
        seen.bit_generator.state = rng.bit_generator.state
        ours = sampler.posterior(view, rng)
        fresh = PolicyInference(k=300, states=states, game="skat").posterior(view, seen)
        assert (ours.rows == fresh.rows).all()
        assert np.allclose(ours.weights, fresh.weights, rtol=1e-3, atol=1e-9)
        assert (ours.sample(20, rng) == fresh.sample(20, seen)).all()


def test_hands_are_valued_once_a_game(monkeypatch):
    asked = []
    honest = PolicyModel.log_chances

    def counted(self, decision, replays, hidden, scratch):
        asked.append((decision.step, len(hidden)))
        return honest(self, decision, replays, hidden, scratch)

    monkeypatch.setattr(PolicyModel, "log_chances", counted)
    sampler = PolicyInference(k=10**6, game="skat")
    rng = np.random.default_rng(7)
    before, after = game_of_views(11, 0)[-4:-2]
    sampler.posterior(before, rng)
    first = asked.copy()
    asked.clear()
    sampler.posterior(after, rng)
    assert first
    assert asked
    # All hands that are possible now were so then: only what was decided since is asked.
    assert min(step for step, _ in asked) >= len(before.history())


def test_the_same_rng_gives_the_same_worlds():
    view = game_of_views(11, 0)[2]
    texts = [
        [
            world.state.text()
            for world in PolicyInference(k=100, game="skat").worlds(view, 8, np.random.default_rng(1))
        ]
        for _ in range(2)
    ]
    assert texts[0] == texts[1]


class Hearts(PosteriorSampler):
    """A belief that gives the next seat more hearts."""

    name = "hearts"

    def posterior(self, view, rng):
        weights = np.ones((32, 4))
        weights[8:16, (view.seat + 1) % 3] = 1.5
        return Belief(view, weights)


def test_a_proposal_is_weighed_back():
    _, view = solo_view(3, 18)
    rng = np.random.default_rng(0)
    exact = PolicyInference(k=10**6, temper=0.2, game="skat").posterior(view, rng)
    ours = PolicyInference(k=exact.count - 1, temper=0.2, proposal=Hearts(), game="skat").posterior(view, rng)
    assert exact.drawn == "all"
    assert ours.drawn == "independent"
    assert ours.effective_size > 500
    assert np.abs(ours.marginals() - exact.marginals()).max() < 5 * 0.5 / np.sqrt(ours.effective_size)


def test_a_prior_multiplies_the_likelihood():
    _, view = solo_view(3, 18)
    rng = np.random.default_rng(0)
    plain, ours = (
        PolicyInference(k=10**6, temper=0.2, prior=prior, game="skat").posterior(
            view, np.random.default_rng(0)
        )
        for prior in (None, Hearts())
    )
    expected = plain.weights * Hearts().posterior(view, rng).probability(plain.rows)
    assert (ours.rows == plain.rows).all()
    assert ours.weights == pytest.approx(expected / expected.sum())
    assert ours.weights != pytest.approx(plain.weights)
    assert ours.probability(ours.rows[:9]) == pytest.approx(ours.weights[:9])


def test_what_the_model_holds_impossible_falls_back(monkeypatch):
    def never(self, decision, replays, hidden, scratch):
        return np.full(len(hidden), -np.inf)

    monkeypatch.setattr(PolicyModel, "log_chances", never)
    view = game_of_views(11, 0)[5]
    sampler = PolicyInference(k=50, game="skat")
    posterior = sampler.posterior(view, np.random.default_rng(0))
    assert sampler.fallbacks == 1
    assert np.allclose(posterior.weights, 1 / len(posterior.rows))
    assert np.isfinite(posterior.probability(posterior.rows[:3])).all()


def test_a_network_that_gives_no_numbers_is_named(tmp_path, skat_checkpoint):
    networks = dict(skat_checkpoint.networks)
    for name in networks:
        if name.endswith(("soloist", "defender")):
            networks[name] = changed(networks[name], lambda arrays: arrays["0.bias"].fill(np.nan))
    save_checkpoint(tmp_path / "broken", "skat", networks)
    with pytest.raises(ParseError, match="finite"):
        PolicyInference(k=50, model=str(tmp_path / "broken"), game="skat")


def test_replays_check_what_they_are_given():
    view = game_of_views(11, 0)[2]
    rows = Belief(view).sample(3, np.random.default_rng(0))
    deals = SKAT.deals(view, rows, np.zeros(3, np.int64))
    with pytest.raises(ValueError, match="as many deals as hidden cards"):
        Replays(view, rows[0], deals.dealt, deals.hidden[:2])
    replays = Replays(view, rows[0], deals.dealt, deals.hidden)
    replays.advance(1)
    for step in (0, len(view.history()) + 1):
        with pytest.raises(ValueError, match="cannot play on"):
            replays.advance(step)
    features, masks = np.empty((3, 35), np.float32), np.zeros(3, np.uint64)
    with pytest.raises(ValueError, match="klaverjas"):
        replays.write(get_encoder("klaverjas.cardplay"), features, masks, masks)
    with pytest.raises(ValueError, match="not step 1"):
        replays.write(get_encoder("skat.declare"), np.empty((3, 163), np.float32), masks, masks)
    with pytest.raises(ValueError, match="features, legal and did"):
        replays.write(get_encoder("skat.bid_answer"), features[:2], masks, masks)
    with pytest.raises(ValueError, match="needs"):
        log_chances(np.zeros((3, 5), np.float32), masks, masks, masks)


@settings(max_examples=60, deadline=None)
@given(
    outputs=st.integers(1, 64),
    spread=st.sampled_from([0.0, 0.1, 3.0, 60.0, 500.0, 2000.0]),
    seed=st.integers(0, 2**32 - 1),
)
def test_chances_are_those_of_a_softmax(outputs, spread, seed):
    rng = np.random.default_rng(seed)
    logits = (spread * rng.normal(size=(20, outputs))).astype(np.float32)
    needs = np.uint64(1) << np.arange(outputs, dtype=np.uint64)
    legal = rng.integers(0, 2**64, 20, np.uint64, endpoint=False) | np.uint64(1)
    did = legal & rng.integers(0, 2**64, 20, np.uint64) | np.uint64(1)
    is_legal, is_did = ((mask[:, None] & needs) > 0 for mask in (legal, did))
    exact = np.where(is_legal, logits.astype(np.float64), -np.inf)
    expected = logsumexp(exact, axis=1, b=is_did) - logsumexp(exact, axis=1)
    found = log_chances(logits, needs, legal, did)
    # Below exp(-745) a probability is 0 in doubles.
    assert (found[expected < -750] == -np.inf).all()
    common = expected > -700
    # Differences of logits are rounded to floats.
    np.testing.assert_allclose(found[common], expected[common], rtol=1e-6, atol=1e-5)


@settings(max_examples=60, deadline=None)
@given(
    outputs=st.integers(65, 520),
    spread=st.sampled_from([0.0, 3.0, 60.0, 2000.0]),
    items=st.integers(12, 64),
    seed=st.integers(0, 2**32 - 1),
)
def test_chances_of_many_outputs_are_those_of_a_softmax(outputs, spread, items, seed):
    rng = np.random.default_rng(seed)
    logits = (spread * rng.normal(size=(20, outputs))).astype(np.float32)
    pairs = np.array([rng.choice(items, 2, replace=False) for _ in range(outputs)]).astype(np.uint64)
    needs = (np.uint64(1) << pairs).sum(axis=1, dtype=np.uint64)
    # Each row may take its own output, and holds half of what the others need.
    own = needs[rng.integers(outputs, size=20)]
    legal = own | rng.integers(0, 2**64, 20, np.uint64, endpoint=False)
    is_legal, is_did = ((needs & ~mask[:, None]) == 0 for mask in (legal, own))
    exact = np.where(is_legal, logits.astype(np.float64), -np.inf)
    expected = logsumexp(exact, axis=1, b=is_did) - logsumexp(exact, axis=1)
    found = log_chances(logits, needs, legal, own)
    common = expected > -700
    np.testing.assert_allclose(found[common], expected[common], rtol=1e-6, atol=1e-5)


def test_chances_of_logits_that_are_no_numbers():
    needs, every = np.uint64(1) << np.arange(3, dtype=np.uint64), np.full(3, 7, np.uint64)
    logits = np.array([[np.nan, 0, 1], [0, np.nan, 1], [-np.inf, 0, 1]], np.float32)
    found = log_chances(logits, needs, every, every // np.uint64(7))
    assert np.isnan(found[:2]).all()
    assert found[2] == -np.inf


def test_bad_options_are_named(tmp_path):
    with pytest.raises(ValueError, match="k=0"):
        PolicyInference(k=0, game="skat")
    with pytest.raises(UnknownName, match="states of policy inference"):
        PolicyInference(states="half", game="skat")
    with pytest.raises(ValueError, match="floor=1"):
        PolicyInference(floor=1, game="skat")
    with pytest.raises(ValueError, match="temper=-1"):
        PolicyInference(temper=-1, game="skat")
    with pytest.raises(UnknownName, match="checkpoint"):
        PolicyInference(model="nobody", game="skat")
    with pytest.raises(ParseError, match="expected one of skat"):
        PolicyInference(model="klaverjas-policy", game="skat")
    with pytest.raises(UnknownName, match="nobody"):
        PolicyInference(model="skat-policy+nobody", game="skat")
    with pytest.raises(ParseError, match="expected one of klaverjas"):
        PolicyInference(model="skat-imitation", game="klaverjas")
    with pytest.raises(ParseError, match=r"has networks grand_bdci, .*: expected some of bid_answer"):
        PolicyInference(model="skat-locations", game="skat")
    with pytest.raises(ParseError, match="has networks bdci, bdi: expected some of cardplay"):
        PolicyInference(model="klaverjas-locations", game="klaverjas")
    with pytest.raises(ValueError, match="cheating"):
        PolicyInference(proposal="cheating", game="skat")
    with pytest.raises(ValueError, match="cannot use the prior 'cheating'"):
        PolicyInference(prior="cheating", game="skat")
    inexact = PolicyInference(k=20, game="skat")
    plugin = SimpleNamespace(name="mine", cheats=False, posterior=inexact.posterior, worlds=inexact.worlds)
    for place in ("proposal", "prior"):
        for belief in (inexact, "tables"):
            with pytest.raises(ValueError, match=f"the {place} .* has no exact probabilities"):
                PolicyInference(k=20, **{place: belief}, game="skat")
        sampler = PolicyInference(k=20, **{place: plugin}, game="skat")
        with pytest.raises(ValueError, match=f"the {place} 'mine' has no exact probabilities"):
            sampler.posterior(game_of_views(11, 0)[2], np.random.default_rng(0))
    save_checkpoint(
        tmp_path / "bids", "skat", {"bid_answer": random_network(NetworkSpec("skat.bid_answer", 64, (8,)))}
    )
    sampler = PolicyInference(k=20, model=str(tmp_path / "bids"), game="skat")
    with pytest.raises(ParseError, match="has no network"):
        sampler.posterior(game_of_views(11, 0)[5], np.random.default_rng(0))


def test_other_versions_of_an_encoder_are_refused(tmp_path):
    save_checkpoint(
        tmp_path / "old", "skat", {"bid_answer": random_network(NetworkSpec("skat.bid_answer", 64, (8,)))}
    )
    manifest = tmp_path / "old" / "checkpoint.json"
    manifest.write_text(manifest.read_text().replace('"encoder_version": 1', '"encoder_version": 9'))
    with pytest.raises(ParseError, match="version 9"):
        PolicyInference(model=str(tmp_path / "old"), game="skat")


@pytest.mark.parametrize(
    "name",
    [
        "policy",
        "policy(k=30, states=full)",
        "policy(k=30, model=skat-policy, temper=0.5, floor=0.01)",
        "policy(proposal=uniform)",
        "policy(k=30, prior=locations(features=BDI, temper=0.5))",
    ],
)
def test_names_make_what_they_name(name):
    sampler = make_belief(name, "skat")
    assert make_belief(sampler.name, "skat").name == sampler.name
    assert isinstance(make_belief("uniform", "skat"), UniformSampler)


@pytest.mark.parametrize(
    ("game", "spec"),
    [
        ("skat", "pimc(worlds=4, belief=policy(k=200), bidder=rule)"),
        ("skat", "ismcts(simulations=20, belief=policy(k=200), bidder=rule)"),
        ("skat", "hybrid(policy=rule, search=pimc(worlds=4, belief=policy(k=200), bidder=rule), trick=5)"),
        ("klaverjas", "pimc(worlds=4, belief=policy(k=200), bidder=rule)"),
        ("klaverjas", "ismcts(simulations=20, belief=policy(k=200), bidder=rule)"),
    ],
)
def test_agents_play_with_it(game, spec):
    from skat_env.play.lockstep import play_game
    from skat_env.registry import get_game

    agent = make_agent(spec, game)
    seats = len(get_game(game).seats)
    for deal in range(2):
        state = get_game(game).state.random(np.random.default_rng(deal))
        play_game(state, [agent] * seats, [np.random.default_rng(seat) for seat in range(seats)])
        assert state.is_over
