"""Klaverjas as a PettingZoo AEC environment: four players in two teams of partners.

| | |
|---|---|
| Import | `from skat_env import klaverjas_v0` |
| Make | `klaverjas_v0.env()`, or after `import skat_env`: `pettingzoo.make("aec", "skat_env/klaverjas_v0")` (PettingZoo 1.27+) |
| Agents | `player_0` ... `player_3`, clockwise; by default they sit as south, west, north, east |
| Teams | south and north against west and east: seats 0 and 2 against 1 and 3 |
| Actions | discrete, 37 |
| Observation | `{"observation": int8 [1135], "action_mask": int8 [37]}` |
| Rewards | at the end of the deal, the difference of the teams' scores by default |

## The game

Each player gets eight of 32 cards. The declarer has chosen the trump suit, and the declarer's team has to win more
points than the other. Trumps rank J 9 A 10 K Q 8 7 and count 20 14 11 10 4 3 0 0; the other suits rank
A 10 K Q J 9 8 7 and count 11 10 4 3 2 0 0 0. With 10 for the last trick a deal has 162 card points.

Forehand leads to the first trick, the winner of a trick to the next. A player who can follow the led suit must do so,
and where trumps are led must beat the best trump if possible. A player who cannot follow a plain suit must trump, and
beat the trumps in the trick if possible: always in Rotterdam rules, in Amsterdam rules only while an opponent wins the
trick. In Amsterdam rules a lower trump may be played only by a player who has nothing else.

The team that wins a trick scores the roem (bonus points) in it: a run of three cards in one suit (7 8 9 10 J Q K A) 20,
a run of four 50; king and queen of trumps 20 more; four of a kind 100, four jacks 200. If the declaring team has more
card points and roem than the other, each team scores its own. If not, the deal is *nat*: the declaring team scores 0,
the other 162 and all roem. The declaring team gets 100 for winning all eight tricks (*pit*).

By default trumps and declarer come with the deal, as in the papers on cardplay; `rules` changes that.

## Actions

| id | action | when |
|---|---|---|
| 0..31 | the card `suit * 8 + rank`, suits D H S C, ranks 7 8 9 T J Q K A | played to a trick |
| 32 | pass | when trumps are chosen freely: each player once, but not forehand after all have passed |
| 33..36 | name diamonds, hearts, spades, clubs as trumps, and declare | when trumps are chosen |

The mask in the observation is all zero for a player who is not to act; the player to act also has it in the info.

## Observation

Every feature is one bit. Relative seats count from the observer: 0 is the observer, 1 the player after it, 2 its
partner, 3 the player before it.

| slice | feature | shape | meaning |
|---|---|---|---|
| 0:3 | phase | 3 | to decide now: choose trumps, play, over |
| 3:7 | forehand | 4 | relative seat that leads to the first trick |
| 7:11 | to_act | 4 | relative seat to act |
| 11:43 | hand | 32 | own cards |
| 43:47 | passed | 4 | by relative seat: has passed when trumps were chosen |
| 47:51 | declarer | 4 | relative seat of the declarer |
| 51:55 | trump | 4 | diamonds, hearts, spades, clubs |
| 55:183 | trick | 4 x 32 | cards on the table, by the relative seat that played them |
| 183:311 | played | 4 x 32 | all cards played so far, by relative seat |
| 311:567 | trick_of_card | 8 x 32 | cards played, by number of the trick |
| 567:599 | leaders | 8 x 4 | relative seat that led each trick begun so far |
| 599:695 | excluded | 3 x 32 | by relative seat 1 to 3: cards that the seat cannot hold, given its plays |
| 695:1019 | points | 2 x 162 | thermometers of own and other team's card points in tricks |
| 1019:1119 | roem | 2 x 50 | thermometers of own and other team's roem in tens, up to 500 |
| 1119:1135 | tricks | 2 x 8 | thermometers of own and other team's tricks |

## Rewards

All players get their reward when the deal ends, multiplied by `scale`; partners get the same.

| `reward` | each player gets |
|---|---|
| `difference` (default) | the score of the own team minus the other's |
| `score` | the score of the own team |
| `made` | declaring team: +1 if it made the game, -1 if it is nat; the others the opposite |

An illegal action ends the game in `env()`: the player gets `illegal_reward` (-1, before `scale`), the others 0.
`raw_env` raises.

## Arguments

| argument | meaning |
|---|---|
| `render_mode` | `human` shows the table in a window, `rgb_array` returns it as uint8 [540, 720, 3], `ansi` as text |
| `reward`, `scale` | the unit of the rewards, and their factor |
| `start` | `deal`; `cardplay`: `bidder` chooses trumps if the rules let players choose; or a function from a numpy Generator to a state |
| `bidder` | an agent or its name |
| `rules` | `KlaverjasRules(legality, choice, tie, four_jacks, pit)`, below |
| `illegal_reward` | reward of an illegal action, before `scale`; `env()` only |

| option of `KlaverjasRules` | values, the default first |
|---|---|
| `legality` | `rotterdam`, `amsterdam`: when a player must trump and overtrump |
| `choice` | `given`: trumps and declarer come with the deal; `forced`: forehand must name a suit; `free`: from forehand on each player names a suit or passes, and forehand must name one if all pass |
| `tie` | `nat`, `made`: the result when both teams have equally many points |
| `four_jacks` | 200, 100: the roem of four jacks |
| `pit` | `declarers`, `both`: who gets 100 for all eight tricks |

Options of `reset`: `deal` and `state` (objects or their texts; a given `deal` gets random trumps) and
`dealer` (the number of the player who deals; default 3). The player after the dealer sits at seat 0, which is forehand.

Beyond PettingZoo: `view(agent)` is the information set of a player, which any agent of this library accepts. A game in
progress is copied by the raw environment's `clone()`, by `copy.deepcopy` and by pickle.

## Version history

v0: initial version.
"""

from typing import Any

from pettingzoo import AECEnv

from skat_env.envs import aec
from skat_env.klaverjas import GAME

__all__ = ["env", "raw_env"]


class raw_env(aec.raw_env):
    """Klaverjas without wrappers: an illegal action raises `IllegalAction`. The module's page lists the arguments."""

    def __init__(self, render_mode: str | None = None, **options: Any) -> None:
        super().__init__(GAME, render_mode, **options)


def env(
    render_mode: str | None = None, illegal_reward: float = -1.0, **options: Any
) -> AECEnv[str, aec.Observation, int]:
    """Klaverjas in PettingZoo's standard wrappers. The module's page lists the arguments."""
    return aec.wrapped(raw_env(render_mode, **options), illegal_reward)
