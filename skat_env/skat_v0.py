"""Skat as a PettingZoo AEC environment: three players, one soloist against two defenders.

| | |
|---|---|
| Import | `from skat_env import skat_v0` |
| Make | `skat_v0.env()`, or after `import skat_env`: `pettingzoo.make("aec", "skat_env/skat_v0")` (PettingZoo 1.27+) |
| Agents | `player_0`, `player_1`, `player_2`; by default they sit as forehand, middlehand, rearhand |
| Actions | discrete, 46 |
| Observation | `{"observation": int8 [1142], "action_mask": int8 [46]}` |
| Rewards | at the end of the deal, tournament points by default |

## The game

Each player gets ten of 32 cards; the other two are the skat. In the auction middlehand bids to forehand, then rearhand
bids to the one who did not pass. The winner is the soloist and plays against the other two. It picks up the skat, names
a game and discards two cards, or it plays hand, without seeing the skat.

In suit games the four jacks and one suit are trumps, in grand only the jacks; the soloist needs 61 of the 120 card
points. In null there are no trumps, and the soloist must not take a trick. A player who can follow the led suit must do
so; otherwise any card may be played. Null ends with the first trick that the soloist takes, and a game with schwarz
announced with the first one that the defenders take, unless the rules have `play_out`; cards that were not played count
as the defenders'.

The rules are those of the International Skat Order: matadors over twelve cards, schneider and schwarz both ways,
announcements, ouvert games and overbidding.

## Actions

| id | action | when |
|---|---|---|
| 0..31 | the card `suit * 8 + rank`, suits D H S C, ranks 7 8 9 T J Q K A | played to a trick, or discarded into the skat |
| 32 | pass | in the auction |
| 33 | yes: bid the next value (18, 20, 22, ... 264), or hold the value bid | in the auction |
| 34, 35 | pick up the skat; play hand | after the auction |
| 36..41 | diamonds, hearts, spades, clubs, grand, null | then |
| 42..45 | announce nothing, schneider, schwarz, ouvert | in hand games; in null only nothing or ouvert |

The order after the auction is pick up, contract, (null: announcement), two discards; or hand, contract, announcement.
Then forehand leads. The mask in the observation is all zero for a player who is not to act; the player to act also
has it in the info.

## Observation

Every feature is one bit. Relative seats count from the observer: 0 is the observer, 1 the player after it, 2 the
player before it.

| slice | feature | shape | meaning |
|---|---|---|---|
| 0:8 | phase | 8 | to decide now: bid, answer, pick up, contract, announce, discard, play, over |
| 8:11 | seat | 3 | the observer is forehand, middlehand, rearhand |
| 11:14 | to_act | 3 | relative seat to act |
| 14:46 | hand | 32 | own cards |
| 46:78 | picked_up | 32 | the two cards that the observer found in the skat |
| 78:110 | discards | 32 | the cards that the observer has laid into the skat |
| 110:299 | bids | 3 x 63 | by relative seat, thermometer of the highest value that the seat has bid or held |
| 299:302 | passed | 3 | by relative seat: has passed in the auction |
| 302:305 | soloist | 3 | relative seat of the soloist |
| 305:307 | skat_decision | 2 | the soloist has picked up; the soloist plays hand |
| 307:309 | discarded | 2 | thermometer of the cards that the soloist has laid into the skat |
| 309:315 | contract | 6 | diamonds, hearts, spades, clubs, grand, null |
| 315:318 | announced | 3 | schneider, schwarz, ouvert; each level of suit and grand includes those before it |
| 318:350 | open_hand | 32 | cards left in the soloist's hand of an ouvert game |
| 350:446 | trick | 3 x 32 | cards on the table, by the relative seat that played them |
| 446:542 | played | 3 x 32 | all cards played so far, by relative seat |
| 542:862 | trick_of_card | 10 x 32 | cards played, by number of the trick |
| 862:892 | leaders | 10 x 3 | relative seat that led each trick begun so far |
| 892:902 | void | 2 x 5 | by relative seat 1 and 2: has failed to follow D, H, S, C, trumps |
| 902:1022 | soloist_points | 120 | thermometer of the soloist's card points in tricks |
| 1022:1142 | defender_points | 120 | thermometer of the defenders' card points in tricks |

## Rewards

All players get their reward when the deal ends, multiplied by `scale`; it is 0 when everybody passes.

| `reward` | soloist | each defender |
|---|---|---|
| `tournament_points` (default) | value + 50, or -2 value - 50 (Seeger-Fabian) | 40 if the soloist loses, else 0 |
| `list_score` | value, or -2 value | 0 |
| `win` | +1 or -1 | -1 or +1 |
| `card_points` | own card points, skat included | 120 minus those |

An illegal action ends the game in `env()`: the player gets `illegal_reward` (-1, before `scale`), the others 0.
`raw_env` raises.

## Arguments

| argument | meaning |
|---|---|
| `render_mode` | `human` shows the table in a window, `rgb_array` returns it as uint8 [540, 720, 3], `ansi` as text |
| `reward`, `scale` | the unit of the rewards, and their factor |
| `start` | `deal`; `declaration` or `cardplay`: `bidder` plays the auction, or everything before the first trick; `random_declaration`: the cardplay after a declaration drawn at random; or a function from a numpy Generator to a state: `skat_env.skat.starts.FixedAuction(declarer=0, bid=18)` |
| `bidder` | an agent or its name |
| `rules` | `SkatRules` |
| `illegal_reward` | reward of an illegal action, before `scale`; `env()` only |

Options of `reset`: `deal` and `state` (objects or their texts) and `dealer` (the number of the player who deals; default 2).

Beyond PettingZoo: `view(agent)` is the information set of a player, which any agent of this library accepts. A game in
progress is copied by the raw environment's `clone()`, by `copy.deepcopy` and by pickle.

## Version history

v0: initial version.
"""

from typing import Any

from pettingzoo import AECEnv

from skat_env.envs import aec
from skat_env.skat import GAME

__all__ = ["env", "raw_env"]


class raw_env(aec.raw_env):
    """Skat without wrappers: an illegal action raises `IllegalAction`. The module's page lists the arguments."""

    def __init__(self, render_mode: str | None = None, **options: Any) -> None:
        super().__init__(GAME, render_mode, **options)


def env(
    render_mode: str | None = None, illegal_reward: float = -1.0, **options: Any
) -> AECEnv[str, aec.Observation, int]:
    """Skat in PettingZoo's standard wrappers. The module's page lists the arguments."""
    return aec.wrapped(raw_env(render_mode, **options), illegal_reward)
