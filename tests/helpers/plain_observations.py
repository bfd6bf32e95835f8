"""The observations of both games, slice by slice, from the public facts of a view."""

from skat_env.cards import mask_of, parse_card
from skat_env.klaverjas import KlaverjasState, KlaverjasView
from skat_env.klaverjas.rules import ACTION_TEXTS, PASS
from skat_env.klaverjas.rules import Phase as KlaverjasPhase
from skat_env.skat import SkatView
from skat_env.skat.rules import BID_LEVEL, HIDDEN, Contract, Phase, Start
from tests.helpers.plain_klaverjas import allowed

Slices = dict[str, list[int]]


def bits(mask: int) -> list[int]:
    return [mask >> card & 1 for card in range(32)]


def one_hot(index: int, width: int) -> list[int]:
    return [int(i == index) for i in range(width)]


def thermometer(value: int, width: int) -> list[int]:
    return [int(i < value) for i in range(width)]


def skat(view: SkatView) -> Slices:
    me = view.seat
    seats = [me, (me + 1) % 3, (me + 2) % 3]
    mine = view.is_soloist and view.picked_up
    plays = view.plays()
    opened = view.announcement == 3 and view.phase in (Phase.PLAY, Phase.OVER)
    played = [sum(1 << card for who, card in plays if who == seat) for seat in seats]
    tricks = [plays[i : i + 3] for i in range(0, 30, 3)]
    leaders = [trick[0][0] if trick else None for trick in tricks]
    if view.phase == Phase.PLAY and len(plays) % 3 == 0:
        leaders[len(plays) // 3] = view.leader
    before_play = view.history()[: len(view.history()) - len(plays)]
    level = 0 if view.contract == Contract.NULL else int(view.announcement)
    return {
        "phase": one_hot(view.phase, 8),
        "seat": one_hot(me, 3),
        "to_act": one_hot((view.to_act - me) % 3 if view.to_act >= 0 else -1, 3),
        "hand": bits(view.hand),
        "picked_up": bits(view.dealt[3] if mine and view.start != Start.CARDPLAY else 0),
        "discards": bits(view.skat if mine else 0),
        "bids": sum((thermometer(BID_LEVEL.get(view.bids[seat], 0), 63) for seat in seats), []),
        "passed": [int(view.passed[seat]) for seat in seats],
        "soloist": one_hot((view.soloist - me) % 3 if view.soloist >= 0 else -1, 3),
        "skat_decision": [int(view.picked_up), int(view.hand_game)],
        "discarded": thermometer(sum(a < 32 or a == HIDDEN for a in before_play), 2),
        "contract": one_hot(-1 if view.contract is None else view.contract, 6),
        "announced": [int(level >= 1), int(level >= 2), int(view.announcement == 3)],
        "open_hand": bits(view.hands[view.soloist] if opened else 0),
        "trick": sum(
            (bits(sum(1 << card for who, card in view.trick() if who == seat)) for seat in seats), []
        ),
        "played": sum(map(bits, played), []),
        "trick_of_card": sum((bits(sum(1 << card for _, card in trick)) for trick in tricks), []),
        "leaders": sum((one_hot(-1 if who is None else (who - me) % 3, 3) for who in leaders), []),
        "void": [int(view.is_void(seat, group)) for seat in seats[1:] for group in range(5)],
        "soloist_points": thermometer(view.points[0], 120),
        "defender_points": thermometer(view.points[1], 120),
    }


def defined_exclusions(state: KlaverjasState | KlaverjasView, seat: int) -> int:
    """The cards with which one of the seat's plays would have been illegal, by trying each card beside each play."""
    rules, trump = state.rules, "DHSC"[state.trump]
    plays = state.plays()
    excluded = set()
    for number, (who, card) in enumerate(plays):
        if who != seat:
            continue
        trick = [ACTION_TEXTS[each] for _, each in plays[number & ~3 : number]]
        name = ACTION_TEXTS[card]
        for other in set(ACTION_TEXTS[:32]) - {name}:
            if name not in allowed({name, other}, trick, trump, rules.legality):
                excluded.add(other)
    return mask_of(parse_card(name) for name in excluded)


def klaverjas(view: KlaverjasView) -> Slices:
    me = view.seat
    seats = [(me + i) % 4 for i in range(4)]
    teams = [me % 2, 1 - me % 2]
    plays = view.plays()
    tricks = [plays[i : i + 4] for i in range(0, 32, 4)]
    leaders = [trick[0][0] if trick else None for trick in tricks]
    if view.phase == KlaverjasPhase.PLAY and len(plays) % 4 == 0:
        leaders[len(plays) // 4] = view.leader
    passes = view.history().count(PASS)
    excluded = [0 if view.trump is None else defined_exclusions(view, seat) for seat in seats[1:]]
    return {
        "phase": one_hot(view.phase, 3),
        "forehand": one_hot((view.forehand - me) % 4, 4),
        "to_act": one_hot((view.to_act - me) % 4 if view.to_act >= 0 else -1, 4),
        "hand": bits(view.hand),
        "passed": [int((seat - view.forehand) % 4 < passes) for seat in seats],
        "declarer": one_hot((view.declarer - me) % 4 if view.declarer >= 0 else -1, 4),
        "trump": one_hot(-1 if view.trump is None else view.trump, 4),
        "trick": sum(
            (bits(sum(1 << card for who, card in view.trick() if who == seat)) for seat in seats), []
        ),
        "played": sum((bits(sum(1 << card for who, card in plays if who == seat)) for seat in seats), []),
        "trick_of_card": sum((bits(sum(1 << card for _, card in trick)) for trick in tricks), []),
        "leaders": sum((one_hot(-1 if who is None else (who - me) % 4, 4) for who in leaders), []),
        "excluded": sum(map(bits, excluded), []),
        "points": sum((thermometer(view.points[team], 162) for team in teams), []),
        "roem": sum((thermometer(view.roem[team] // 10, 50) for team in teams), []),
        "tricks": sum((thermometer(view.tricks[team], 8) for team in teams), []),
    }
