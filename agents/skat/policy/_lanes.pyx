"""The decisions of `policy` in C, for games played in lanes: the twin of `SkatPolicy`."""

from libc.stdint cimport int8_t, uint8_t, uint32_t
from libc.stdlib cimport abs
from libc.string cimport memcpy

import numpy as np

from skat_env.agents.networks._choice cimport choose_card, chosen, masked
from skat_env.agents.networks._evaluated cimport EvaluatedNetwork
from skat_env._bits cimport trailing_zeros
from skat_env._encoder cimport Encoder
from skat_env.play._lanes cimport FORCED, Choice, LanePlayer, Turn, drawn
from skat_env.skat._rules cimport (
    ACT_PASS, ACT_YES, ANNOUNCE, ANSWER, BID, DISCARD, GRAND_CONTRACT, PICK_UP, PLAY, SKAT, UNDECIDED, SkatData,
    begin_play, matadors,
)

from skat_env.agents.skat.policy.networks import (
    BID_OUTPUTS, GAME_ACTIONS, LIKELY as LIKELY_GAMES, OUTPUT_GAMES, PAIR_MASKS, PAIR_NUMBERS, POINTS,
    POLICY_OUTPUTS, SHORTLIST, VALUE_OUTPUTS,
)
from skat_env.agents.skat.policy.networks import BID_POINTS as UNIT_OF_BIDS
from skat_env.skat.rules import BASE_VALUES as BASES, BID_VALUES, NULL_VALUES, Announcement, Contract, Phase

cdef enum:  # the questions, in the order of POLICY_OUTPUTS
    CONTINUE_ANSWER = 1
    HAND_PICKUP = 2
    DECLARE = 3
    FIRST_DISCARD = 4
    FIRST_CARD = 10

cdef enum:
    LEVELS = 64
    PAIRS = 496
    MAX_GAMES = 13      # outputs of HAND_PICKUP
    LISTED = 12         # SHORTLIST
    MAX_PAIRS = 66      # of twelve cards

ctypedef struct OutputGame:
    # The game that an output of HAND_PICKUP or DECLARE stands for.
    int contract        # UNDECIDED: picking up the skat
    int extra           # levels above the matadors', without those announced
    int announcement
    int value           # of null and of picking up: what it is worth
    int8_t action[ANNOUNCE + 1]     # by phase, what leads towards it

cdef int[6] BASE_VALUES = (*BASES, 0)
cdef int[64] BIDS = (0, *BID_VALUES)
cdef float BID_POINTS = UNIT_OF_BIDS
cdef float LIKELY = LIKELY_GAMES
cdef uint32_t[PAIRS] PAIR = PAIR_MASKS.tolist()
cdef int[32][32] PAIR_NUMBER = PAIR_NUMBERS.tolist()
cdef OutputGame GAMES[2][MAX_GAMES]
cdef int[2] GAME_OUTPUTS = (len(OUTPUT_GAMES["hand_pickup"]), len(OUTPUT_GAMES["declare"]))

NETWORKS = tuple(POLICY_OUTPUTS)
"""The networks of the questions."""
VARIANTS = {"DI.M": 0, "DI.S": 1, "AB": 2, "MV": 3, "MLV": 4, "V": 5}

cdef enum:  # the same
    DI_M, DI_S, AB, MV, MLV, V


cdef int fill_games() except -1:
    """Fills GAMES from `networks` and the rules."""
    cdef OutputGame* out
    for row, network in enumerate(("hand_pickup", "declare")):
        for output, game in enumerate(OUTPUT_GAMES[network]):
            out = &GAMES[row][output]
            out.extra, out.value, out.contract, out.announcement = 0, max(BID_VALUES), UNDECIDED, 0
            if game is not None:
                out.contract, out.announcement = game.contract, game.announcement
                if game.contract == Contract.NULL:
                    out.value = NULL_VALUES[game.hand, game.announcement == Announcement.OUVERT]
                else:
                    out.extra = game.hand
            for phase in (Phase.PICK_UP, Phase.CONTRACT, Phase.ANNOUNCE):
                out.action[<int>phase] = GAME_ACTIONS[network, phase][output]
    return 0


assert NETWORKS.index("continue_answer") == CONTINUE_ANSWER and NETWORKS.index("hand_pickup") == HAND_PICKUP
assert NETWORKS.index("declare") == DECLARE and NETWORKS.index("discard_diamonds") == FIRST_DISCARD
assert NETWORKS.index("suit_soloist") == FIRST_CARD and BID_OUTPUTS == LEVELS
assert SHORTLIST == LISTED and POINTS == 0
fill_games()


cdef void declarable(const SkatData* s, int seat, int row, uint8_t* legal) noexcept:
    """The games that the soloist may declare: the twin of `game_values.declarable`."""
    cdef uint32_t known = s.hands[seat] | (s.hands[SKAT] if s.picked_up else 0)
    cdef int i, value
    cdef int[5] levels
    cdef bint reached = False
    cdef bint is_open[MAX_GAMES]
    cdef const OutputGame* game
    for i in range(GRAND_CONTRACT + 1):
        levels[i] = abs(matadors(known, i)) + 1
    for i in range(GAME_OUTPUTS[row]):
        game = &GAMES[row][i]
        if game.contract == UNDECIDED:
            is_open[i] = s.phase == PICK_UP
        else:
            is_open[i] = s.contract == UNDECIDED or s.contract == game.contract
        value = game.value
        if game.contract <= GRAND_CONTRACT:
            value = BASE_VALUES[game.contract] * (levels[game.contract] + game.extra)
        legal[i] = is_open[i] and value >= BIDS[s.bid]
        reached |= legal[i]
    if not reached:
        for i in range(GAME_OUTPUTS[row]):
            legal[i] = is_open[i]


cdef class SkatLanes(LanePlayer):
    """`policy` in lanes."""

    cdef readonly list networks     # EvaluatedNetwork by question
    cdef EvaluatedNetwork hand_value    # of HAND_PICKUP; None: the variant has no use for it
    cdef EvaluatedNetwork declare_value
    cdef EvaluatedNetwork soloist_value # of the auction; None as well
    cdef EvaluatedNetwork declared_value
    cdef Encoder declared           # its encoder
    cdef float[:, ::1] discard_rows # the features and outputs of one row for a network of discards
    cdef float[:, ::1] discard_out
    cdef float[:, ::1] listed_rows  # the same of a shortlist for `declared_value`
    cdef float[:, ::1] listed_out
    cdef int variant
    cdef double aggression
    cdef float threshold
    cdef float boldness
    cdef bint samples_bidding
    cdef bint samples_cards

    def __init__(self, networks, variant, double aggression, float threshold, float boldness, bint samples_cards):
        """Takes `Network`s by name."""
        self.variant = VARIANTS[variant]
        self.aggression, self.threshold, self.boldness = aggression, threshold, boldness
        self.samples_bidding, self.samples_cards = self.variant == DI_S, samples_cards
        names = list(NETWORKS)
        if self.variant == V:
            names[0] = names[CONTINUE_ANSWER] = "pass_value"
        self.networks = [networks[name].evaluated for name in names]
        outputs = [{**POLICY_OUTPUTS, **VALUE_OUTPUTS}[name] for name in names]
        if self.variant >= MV:
            self.hand_value = networks["hand_pickup_value"].evaluated
            outputs[HAND_PICKUP] += VALUE_OUTPUTS["hand_pickup_value"]
        if self.variant == MV or self.variant == MLV:
            self.declare_value = networks["declare_value"].evaluated
            outputs[DECLARE] += VALUE_OUTPUTS["declare_value"]
        if self.variant == V:
            self.soloist_value = networks["soloist_value"].evaluated
            self.declared_value = networks["declared_value"].evaluated
            self.declared = networks["declared_value"].encoder
            self.discard_rows = np.empty((1, networks["discard_null"].encoder.width), np.float32)
            self.discard_out = np.empty((1, PAIRS), np.float32)
            self.listed_rows = np.empty((LISTED, self.declared.width), np.float32)
            self.listed_out = np.empty((LISTED, self.declared_value.outputs), np.float32)
            for question in (0, CONTINUE_ANSWER):
                outputs[question] += VALUE_OUTPUTS["soloist_value"]
        self.encoders = tuple([networks[name].encoder for name in names])
        self.widths = tuple(outputs)
        self.draws = self.samples_bidding or samples_cards

    cdef int question(self, const Turn* turn) noexcept:
        cdef const SkatData* s = <const SkatData*>turn.state
        if not turn.legal & (turn.legal - 1):
            return FORCED
        if s.phase == PLAY:
            return FIRST_CARD + 2 * max(0, s.contract - (GRAND_CONTRACT - 1)) + (turn.seat != s.soloist)
        if s.phase == BID or s.phase == ANSWER:
            # The auction's first part ends when forehand or middlehand has passed.
            return CONTINUE_ANSWER if s.passed & 3 else 0
        if s.phase == DISCARD:
            return FIRST_DISCARD + s.contract
        return HAND_PICKUP if s.phase == PICK_UP or s.hand_game else DECLARE

    cdef int answer(self, int question, const float* rows, Py_ssize_t count, float* out) except -1:
        cdef EvaluatedNetwork network = self.networks[question]
        cdef EvaluatedNetwork value = None
        cdef int width = self.widths[question]
        network.evaluate(rows, count, out, width)
        if question < HAND_PICKUP and self.variant == V:
            self.value_of_soloists(rows, count, network.inputs, out + network.outputs, width)
        elif question == HAND_PICKUP:
            value = self.hand_value
        elif question == DECLARE:
            value = self.declare_value
        if value is not None:
            value.evaluate(rows, count, out + network.outputs, width)
        return 0

    cdef int value_of_soloists(
        self, const float* rows, Py_ssize_t count, int features, float* out, Py_ssize_t width
    ) except -1:
        """The values of being the soloist at the bid that the rows of an auction ask for."""
        # If all others pass, the decision on the skat has the same features, but for the last ones.
        cdef int needed = self.soloist_value.inputs
        cdef float[:, ::1] won = np.empty((count, needed), np.float32)
        cdef Py_ssize_t row
        for row in range(count):
            memcpy(&won[row, 0], rows + row * features, needed * sizeof(float))
        self.soloist_value.evaluate(&won[0, 0], count, out, width)
        return 0

    cdef int choose(self, int question, const Turn* turn, const float* answer, Choice* out) except -1:
        cdef const SkatData* s = <const SkatData*>turn.state
        if question >= FIRST_CARD:
            choose_card(self.encoders[question], answer, self.samples_cards, turn, out)
        elif question < HAND_PICKUP and self.variant == V:
            self.bid_by_value(answer, out)
        elif question < HAND_PICKUP:
            self.bid(s, turn, answer, out)
        elif question < FIRST_DISCARD:
            self.declare(s, turn, question - HAND_PICKUP, answer, out)
        elif self.variant == V:
            self.discard_by_value(s, turn, answer, out)
        else:
            self.discard(s, turn, answer, out)
        return 0

    cdef void bid(self, const SkatData* s, const Turn* turn, const float* answer, Choice* out) noexcept:
        """Bids and answers by the predicted maximum bid of the seat (Rebstock 2019, equations 3.2 and 3.3)."""
        cdef uint8_t all_levels[LEVELS]
        cdef float chances[LEVELS]
        cdef double reaches[LEVELS]
        cdef double accepts, above = 0
        cdef int asked = s.bid + (s.phase == BID)
        cdef int level
        cdef bint bids
        for level in range(LEVELS):
            all_levels[level] = True
        masked(answer, all_levels, LEVELS, chances)
        for level in range(LEVELS - 1, -1, -1):
            above += chances[level]
            reaches[level] = above
        accepts = reaches[asked] / max(reaches[s.bids[turn.seat]], 1e-12)
        if self.samples_bidding:
            # Drawing each answer from its conditional probability equals drawing the maximum bid once.
            bids = drawn(turn) < accepts
        elif self.variant == DI_M:
            bids = chosen(chances, LEVELS, False, turn) >= asked
        else:
            # The first level whose cumulated probability reaches the percentile is `asked` or more.
            bids = 1 - reaches[asked] < self.aggression
        out.weights[ACT_YES], out.weights[ACT_PASS] = <float>accepts, <float>(1 - accepts)
        out.weighed = True
        out.action = ACT_YES if bids else ACT_PASS

    cdef void bid_by_value(self, const float* answer, Choice* out) noexcept:
        """Bids and answers by the values of passing and of being the soloist at this bid."""
        cdef EvaluatedNetwork network = self.networks[0]
        cdef float playing = answer[1] * <float>self.soloist_value.scale + self.boldness
        cdef float[2] both = [answer[0] * <float>network.scale, playing]
        cdef float[2] points = [both[0] / BID_POINTS, both[1] / BID_POINTS]
        cdef uint8_t[2] legal = [True, True]
        cdef float[2] chances
        cdef bint bids = both[1] > both[0]
        masked(points, legal, 2, chances)
        out.weights[ACT_PASS], out.weights[ACT_YES] = chances[0], chances[1]
        out.weighed = out.valued = True
        out.value = both[bids]
        out.action = ACT_YES if bids else ACT_PASS

    cdef int declare(
        self, const SkatData* s, const Turn* turn, int row, const float* answer, Choice* out
    ) except -1:
        """Picks up or plays hand, and declares the game; `row` is that of GAMES."""
        cdef uint8_t legal[MAX_GAMES]
        cdef float chances[MAX_GAMES]
        cdef const float* after = answer + GAME_OUTPUTS[row]
        cdef float values[MAX_GAMES]
        cdef bint by_discards = self.variant == V and row == 1
        cdef float threshold = 0 if self.variant == MV else LIKELY if by_discards else self.threshold
        cdef int i, best, probable
        cdef uint32_t pair
        declarable(s, turn.seat, row, legal)
        masked(answer, legal, GAME_OUTPUTS[row], chances)
        if self.variant < MV:
            best = chosen(chances, GAME_OUTPUTS[row], self.samples_bidding, turn)
        else:
            best = -1
            # The most probable game always qualifies.
            probable = chosen(chances, GAME_OUTPUTS[row], False, turn)
            for i in range(GAME_OUTPUTS[row]):
                if i == probable or (legal[i] and chances[i] >= threshold):
                    if by_discards:
                        values[i] = self.weigh(
                            s, turn.seat, GAMES[row][i].contract, GAMES[row][i].announcement, NULL, &pair
                        )
                    else:
                        values[i] = after[i] * (self.declare_value if row else self.hand_value).scale
                    if best < 0 or values[i] > values[best]:
                        best = i
            out.valued = True
            out.value = values[best]
        for i in range(GAME_OUTPUTS[row]):
            out.weights[GAMES[row][i].action[s.phase]] += chances[i]
        out.weighed = True
        out.action = GAMES[row][best].action[s.phase]
        return 0

    cdef float weigh(
        self, const SkatData* s, int seat, int contract, int announcement, const float* logits, uint32_t* pair
    ) except? -1:
        """The points of a game with the best discards on its shortlist, `pair`.

        `logits` are those of the game's network of discards; NULL: not known.
        """
        cdef EvaluatedNetwork network = self.networks[FIRST_DISCARD + contract]
        cdef Encoder encoder = self.encoders[FIRST_DISCARD + contract]
        cdef uint32_t known = s.hands[seat] | s.hands[SKAT]
        cdef uint32_t laid = s.hands[SKAT]
        cdef uint32_t[LISTED] listed
        cdef int[MAX_PAIRS] open_pairs      # those that are possible and not listed, in ascending order
        cdef SkatData declared
        cdef uint32_t low, high
        cdef int i, number, best, pairs = 0, count = 0
        memcpy(&declared, s, sizeof(SkatData))
        declared.contract, declared.announcement = contract, announcement
        if logits == NULL:
            encoder.write(&declared, seat, &self.discard_rows[0, 0])
            network.evaluate(&self.discard_rows[0, 0], 1, &self.discard_out[0, 0], PAIRS)
            logits = &self.discard_out[0, 0]
        low = known
        while low:
            high = low & (low - 1)
            while high:
                number = PAIR_NUMBER[trailing_zeros(low)][trailing_zeros(high)]
                if PAIR[number] & laid == laid:
                    open_pairs[pairs] = number
                    pairs += 1
                high &= high - 1
            low &= low - 1
        begin_play(&declared)
        declared.picked_up = True
        while count < LISTED and pairs:
            best = 0
            for i in range(1, pairs):
                if logits[open_pairs[i]] > logits[open_pairs[best]]:
                    best = i
            number = open_pairs[best]
            pairs -= 1
            for i in range(best, pairs):
                open_pairs[i] = open_pairs[i + 1]
            listed[count] = declared.hands[SKAT] = PAIR[number]
            declared.hands[seat] = known & ~PAIR[number]
            self.declared.write(&declared, seat, &self.listed_rows[count, 0])
            count += 1
        number = self.declared_value.outputs
        self.declared_value.evaluate(&self.listed_rows[0, 0], count, &self.listed_out[0, 0], number)
        best = 0
        for i in range(1, count):
            if self.listed_out[i, 0] > self.listed_out[best, 0]:
                best = i
        pair[0] = listed[best]
        return self.listed_out[best, 0] * self.declared_value.scale

    cdef int discard_by_value(self, const SkatData* s, const Turn* turn, const float* answer, Choice* out) except -1:
        """Discards a card of the pair of the highest value."""
        cdef uint32_t pair
        out.valued = out.weighed = True
        out.value = self.weigh(s, turn.seat, s.contract, s.announcement, answer, &pair)
        out.action = trailing_zeros(pair & s.hands[turn.seat])
        out.weights[out.action] = 1
        return 0

    cdef void discard(self, const SkatData* s, const Turn* turn, const float* answer, Choice* out) noexcept:
        """Discards a card of the chosen pair; the second decision is among pairs with the first card."""
        cdef uint8_t legal[PAIRS]
        cdef float chances[PAIRS]
        cdef uint32_t laid = s.hands[SKAT]
        cdef uint32_t held = s.hands[turn.seat]
        cdef uint32_t rest
        cdef float total = 0
        cdef int pair, card
        for pair in range(PAIRS):
            legal[pair] = not PAIR[pair] & ~(held | laid) and PAIR[pair] & laid == laid
        masked(answer, legal, PAIRS, chances)
        out.action = trailing_zeros(PAIR[chosen(chances, PAIRS, self.samples_bidding, turn)] & held)
        for pair in range(PAIRS):
            if legal[pair]:
                rest = PAIR[pair] & held
                while rest:
                    out.weights[trailing_zeros(rest)] += chances[pair]
                    rest &= rest - 1
        for card in range(32):
            total += out.weights[card]
        for card in range(32):
            out.weights[card] /= total
        out.weighed = True
