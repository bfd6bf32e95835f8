"""The reactive players of suit games and grand: six of them, one for each role and place in the trick (Edelkamp 2020,
section 5).

The paper prints the soloist's in forehand and middlehand; the other four are by the same principles. A player asks the
opening tables where they know the situation, and a rule where they do not. The expert rules that the paper names are
functions of their own, each of which can be switched off: see `reactive.py`.
"""

from libc.stdint cimport uint32_t

from skat_env.agents.skat.expert._cards cimport (
    cheapest, dearest, dearest_low, expected_to_fall, expected_to_stand, follows, full_cards, opened_suits,
    over_best, safe, standing,
)
from skat_env.agents.skat.expert._openings cimport (
    SUIT_CARDS, Openings, balance, side_table, suit_table, trick_to_cut, trump_pattern, trump_table,
)
from skat_env.agents.skat.expert._situation cimport (
    DIAMOND_JACK, GRAND_GAME, NOTHING, SUIT_RANKS, Situation, card_of, group_cards, look, points_of,
    suit_state,
)
from skat_env._bits cimport popcount, single, top, trailing_zeros
from skat_env.skat._rules cimport GRAND_CONTRACT, NOBODY, PLAY
from skat_env.skat._state cimport SkatPosition

cdef enum:      # the rules that can be switched off, a bit each; the same order as in reactive.py
    TRUMP_TABLES_RULE, SUIT_PRIORITIES, TRUMP_OR_SUIT, CUT_OR_DROP, UNDER_ACE
    RETURN_SUIT, NO_THIRD_SUIT, ANTISUIT, PAIRING_DISCARD, RED_JACK
    SECURE_FULLS, FEW_TRUMPS, DECISIVE_TRICK, DRAW_TRUMPS

cdef enum:
    ACE = 6             # the rank of the ace in a plain suit
    SOLOIST_GOAL = 61   # card points
    OPPONENTS_GOAL = 60


cdef class Reactive:
    """The six players.

    Args:
        openings: the opening tables.
        rules: a bit for each rule that is on.
    """

    cdef Openings openings
    cdef int rules

    def __init__(self, Openings openings not None, int rules):
        self.openings, self.rules = openings, rules

    def __reduce__(self):
        return Reactive, (self.openings, self.rules)

    def card(self, SkatPosition view not None):
        """The card that the seat to act plays.

        Raises:
            ValueError: if the position is of null, not of the cardplay, or a view of a seat that is not to act.
        """
        cdef Situation s
        if (
            view.d.phase != PLAY
            or view.d.contract > GRAND_CONTRACT
            or view.d.viewer not in (NOBODY, view.d.to_act)
        ):
            raise ValueError(
                "reactive players play the cards of suit games and grand: expected a position, or the view of the seat"
                " that is to act, of such a cardplay"
            )
        look(&view.d, &s)
        return card_of(&s, self.code(&s))

    cdef bint on(self, int rule) noexcept nogil:
        return self.rules >> rule & 1

    cdef int code(self, const Situation* s) noexcept nogil:
        """The code that is played."""
        cdef int code
        if single(s.legal):
            return trailing_zeros(s.legal)
        if self.on(DECISIVE_TRICK):
            code = decisive(s)
            if code != NOTHING:
                return code
        if s.seat == s.soloist:
            if s.position == 0:
                return self.soloist_forehand(s)
            if s.position == 1:
                return self.soloist_middlehand(s)
            return self.soloist_rearhand(s)
        if s.position == 0:
            code = self.opponent_forehand(s)
        elif s.position == 1:
            code = self.opponent_middlehand(s)
        else:
            code = self.opponent_rearhand(s)
        return red_jack(s, code) if self.on(RED_JACK) else code

    # The soloist.

    cdef int soloist_forehand(self, const Situation* s) noexcept nogil:
        if self.leads_trump(s):
            return self.trump_to_lead(s)
        return self.suit_to_lead(s, s.hand & ~s.trumps)

    cdef int soloist_middlehand(self, const Situation* s) noexcept nogil:
        cdef int behind = (s.seat + 1) % 3
        cdef uint32_t winners = over_best(s)
        return self.take_or_drop(s, safe(s, winners, behind) if follows(s) else winners, behind)

    cdef int soloist_rearhand(self, const Situation* s) noexcept nogil:
        return self.take_or_drop(s, over_best(s), NOTHING)

    # The opponents.

    cdef int opponent_forehand(self, const Situation* s) noexcept nogil:
        cdef uint32_t plain = s.hand & ~s.trumps, some
        cdef int suit
        if self.on(RETURN_SUIT) and s.partner_suit != NOTHING and plain & group_cards(s, s.partner_suit):
            return self.card_of_suit(s, s.partner_suit)
        if self.on(PAIRING_DISCARD) and s.partner_drop != NOTHING:
            suit = paired(s, s.partner_drop)
            if suit != NOTHING and plain & group_cards(s, suit):
                return self.card_of_suit(s, suit)
        if self.on(ANTISUIT):
            suit = antisuit(s)
            if suit != NOTHING:
                return top(s.hand & group_cards(s, suit))
        if self.leads_trump(s):
            return self.trump_to_lead(s)
        if self.on(NO_THIRD_SUIT):
            some = plain & opened_suits(s)
            if some and popcount(s.opened) >= 2:
                plain = some
        return self.suit_to_lead(s, plain)

    cdef int opponent_middlehand(self, const Situation* s) noexcept nogil:
        cdef int behind = (s.seat + 1) % 3
        cdef uint32_t winners = over_best(s)
        if behind == s.soloist:
            # The partner has led.
            if expected_to_stand(s, behind, s.best):
                return self.smear(s)
            return self.take_or_drop(s, safe(s, winners, behind), behind)
        # The soloist has led: what takes the trick from it keeps it, unless the partner takes it over.
        if follows(s):
            if winners:
                return self.taking(s, winners)
            return self.smear(s) if expected_to_fall(s, behind, s.best) else cheapest(s, s.legal)
        if self.cuts(s, winners):
            return self.trump_to_cut(s, winners, NOTHING)
        return self.smear(s) if expected_to_fall(s, behind, s.best) else self.card_to_drop(s)

    cdef int opponent_rearhand(self, const Situation* s) noexcept nogil:
        return self.smear(s) if s.best_seat == s.partner else self.take_or_drop(s, over_best(s), NOTHING)

    # What they share.

    cdef int take_or_drop(self, const Situation* s, uint32_t winners, int behind) noexcept nogil:
        """Takes the trick with one of the winners, or gives as little as possible; NOTHING: nobody is behind."""
        if follows(s):
            return self.taking(s, winners) if winners else cheapest(s, s.legal)
        return self.trump_to_cut(s, winners, behind) if self.cuts(s, winners) else self.card_to_drop(s)

    cdef bint leads_trump(self, const Situation* s) noexcept nogil:
        """Whether a trump is led, rather than a plain suit."""
        cdef uint32_t mine = s.hand & s.trumps
        cdef float chance
        if not mine or not s.hand & ~s.trumps:
            return mine != 0
        if self.on(FEW_TRUMPS) and few_trumps(s):
            return False
        if self.on(DRAW_TRUMPS) and s.seat == s.soloist:
            return draw_trumps(s)
        if self.on(TRUMP_OR_SUIT):
            chance = self.openings.lead_trump[side_table(s), balance(s)]
            if chance >= 0:
                return chance >= 0.5
        return False

    cdef bint cuts(self, const Situation* s, uint32_t winners) noexcept nogil:
        """Whether one who cannot follow takes the trick with a trump, rather than drop a card."""
        cdef float chance
        if not winners or not s.hand & ~s.trumps:
            return winners != 0
        if self.on(CUT_OR_DROP):
            chance = self.openings.cut[side_table(s), trick_to_cut(s)]
            if chance >= 0:
                return chance >= 0.5
        return s.table_points >= 4

    cdef int trump_to_lead(self, const Situation* s) noexcept nogil:
        """The trump of the tables; otherwise the highest if no hidden one beats it, else the lowest."""
        cdef uint32_t mine = s.hand & s.trumps
        cdef int code = self.trump_of_table(s, mine, False)
        if code != NOTHING:
            return code
        return top(mine) if mine > s.hidden & s.trumps else cheapest(s, mine)

    cdef int trump_to_cut(self, const Situation* s, uint32_t winners, int behind) noexcept nogil:
        """The trump of the tables; otherwise the cheapest that the player behind cannot be expected to beat."""
        cdef int code = self.trump_of_table(s, winners, True)
        cdef uint32_t sure
        if code != NOTHING:
            return code
        sure = winners if behind == NOTHING else safe(s, winners, behind)
        return self.taking(s, sure) if sure else cheapest(s, winners)

    cdef int trump_of_table(self, const Situation* s, uint32_t trumps, bint cutting) noexcept nogil:
        """The best of some trumps by the tables; NOTHING: they do not know."""
        cdef int table = trump_table(s, cutting), at = trump_pattern(s), code, best = NOTHING
        cdef float chance, highest = 0
        if not self.on(TRUMP_TABLES_RULE):
            return NOTHING
        while trumps:
            code = trailing_zeros(trumps)
            chance = self.openings.trump[table, at, code - s.first_trump]
            if chance > highest:
                best, highest = code, chance
            trumps &= trumps - 1
        return best

    cdef int suit_to_lead(self, const Situation* s, uint32_t plain) noexcept nogil:
        """The card of the plain suit with the highest priority, of those in which some cards are."""
        cdef int suit, best = NOTHING
        cdef float priority, highest = -1
        for suit in range(s.plain):
            if plain & group_cards(s, suit):
                priority = self.priority(s, suit)
                if priority > highest:
                    best, highest = suit, priority
        return self.card_of_suit(s, best)

    cdef float priority(self, const Situation* s, int suit) noexcept nogil:
        """D^O: the chance of the best card of a plain suit; a guess where the tables do not know the holding."""
        cdef uint32_t held = s.hand & group_cards(s, suit)
        cdef const float* chances = &self.openings.suit[suit_table(s), suit_state(s, suit), 0]
        cdef float best = 0
        cdef int rank
        if self.on(SUIT_PRIORITIES) and chances[0] >= 0:
            for rank in range(SUIT_CARDS):
                best = max(best, chances[rank])
            return best
        if held > s.hidden & group_cards(s, suit):
            return 0.5
        return 0.3 - 0.02 * popcount(held)

    cdef int card_of_suit(self, const Situation* s, int suit) noexcept nogil:
        """D^S: the card to lead of a plain suit."""
        cdef uint32_t held = s.hand & group_cards(s, suit)
        cdef const float* chances = &self.openings.suit[suit_table(s), suit_state(s, suit), 0]
        cdef int rank, best = NOTHING
        if s.seat != s.soloist and not self.on(UNDER_ACE) and held >> (SUIT_RANKS * suit + ACE) & 1:
            return SUIT_RANKS * suit + ACE
        if self.on(SUIT_PRIORITIES) and chances[0] >= 0:
            for rank in range(SUIT_CARDS):
                if held >> (SUIT_RANKS * suit + rank) & 1 and (best == NOTHING or chances[rank] > chances[best]):
                    best = rank
            return SUIT_RANKS * suit + best
        return top(held) if held > s.hidden & group_cards(s, suit) else cheapest(s, held)

    cdef int card_to_drop(self, const Situation* s) noexcept nogil:
        """The card that is dropped on a trick which the others keep."""
        cdef uint32_t plain = s.legal & ~s.trumps, held
        cdef const float* chances
        cdef int suit, rank, code, best = NOTHING
        cdef float highest = -1, chance
        if not plain:
            return cheapest(s, s.legal)
        if self.on(PAIRING_DISCARD):
            code = pairing_discard(s)
            if code != NOTHING:
                return code
        for suit in range(s.plain):
            held = plain & group_cards(s, suit)
            if not held:
                continue
            chances = &self.openings.suit[suit_table(s), suit_state(s, suit), 0]
            for rank in range(SUIT_CARDS):
                if held >> (SUIT_RANKS * suit + rank) & 1:
                    code = SUIT_RANKS * suit + rank
                    if self.on(SUIT_PRIORITIES) and chances[0] >= 0:
                        chance = chances[rank]
                    else:
                        # The fewest points; of the last card of a suit, as it can then be ruffed.
                        chance = 0.3 - 0.025 * points_of(s, code) + 0.05 * (single(held) and s.seat == s.soloist)
                    if chance > highest:
                        best, highest = code, chance
        return best

    cdef int smear(self, const Situation* s) noexcept nogil:
        """The card of most points on a trick that the partner has; of full cards the one that would not stand."""
        cdef uint32_t plain = s.legal & ~s.trumps
        cdef uint32_t full = full_cards(s, plain if plain else s.legal), weak = full & ~standing(s, full)
        if self.on(SECURE_FULLS) and weak:
            return dearest(s, weak)
        return dearest(s, plain) if plain else dearest_low(s, s.legal)

    cdef int taking(self, const Situation* s, uint32_t winners) noexcept nogil:
        """The card to take a trick with: a full card that would not stand later, else the dearest plain card or the
        cheapest trump that would not stand, else the cheapest that would.
        """
        cdef uint32_t weak = winners & ~standing(s, winners), full = full_cards(s, weak)
        if self.on(SECURE_FULLS) and full:
            return dearest(s, full)
        if weak:
            return dearest(s, weak) if not weak & s.trumps else cheapest(s, weak)
        return cheapest(s, winners)


# The expert rules.


cdef int red_jack(const Situation* s, int code) noexcept nogil:
    """The jack of hearts in place of that of diamonds, if the player holds both: so the partner learns who has it."""
    return code + 1 if code == DIAMOND_JACK and s.legal >> (code + 1) & 1 else code


cdef bint few_trumps(const Situation* s) noexcept nogil:
    """Whether the soloist of a suit game needs its trumps: no more than two, and no more than the others have."""
    cdef int mine = popcount(s.hand & s.trumps)
    return (
        s.seat == s.soloist and s.kind != GRAND_GAME and mine <= 2 and mine <= popcount(s.hidden & s.trumps)
    )


cdef bint draw_trumps(const Situation* s) noexcept nogil:
    """Whether the others still have trumps, and no more than twice as many as the soloist."""
    cdef int others = popcount(s.hidden & s.trumps)
    return others != 0 and 2 * popcount(s.hand & s.trumps) >= others


cdef int antisuit(const Situation* s) noexcept nogil:
    """In grand, the opponents' strong suit: three cards or more, the highest of which stands, from the top.

    NOTHING: none.
    """
    cdef int suit, best = NOTHING, longest = 2, length
    cdef uint32_t held
    if s.kind != GRAND_GAME:
        return NOTHING
    for suit in range(s.plain):
        held = s.hand & group_cards(s, suit)
        length = popcount(held)
        if length > longest and held > s.hidden & group_cards(s, suit):
            best, longest = suit, length
    return best


cdef int paired(const Situation* s, int plain) noexcept nogil:
    """The plain suit of the same colour; NOTHING: it is the trump suit. Suits are in the order D H S C."""
    cdef int suit = plain + (s.kind != GRAND_GAME and plain >= s.contract)
    cdef int other = suit ^ 1
    if s.kind == GRAND_GAME:
        return other
    return NOTHING if other == s.contract else other - (other > s.contract)


cdef int pairing_discard(const Situation* s) noexcept nogil:
    """An opponent who holds an ace drops a card without points of the suit of the same colour; NOTHING: it cannot.

    Only the first card that it drops tells it.
    """
    cdef int suit, other
    cdef uint32_t held
    if s.seat == s.soloist or s.own_drops:
        return NOTHING
    for suit in range(s.plain):
        other = paired(s, suit)
        if other == NOTHING or not s.hand >> (SUIT_RANKS * other + ACE) & 1:
            continue
        held = s.hand & group_cards(s, suit)
        if held and points_of(s, trailing_zeros(held)) == 0 and popcount(held) > 1:
            return trailing_zeros(held)
    return NOTHING


cdef int decisive(const Situation* s) noexcept nogil:
    """The card that decides the game with this trick, if the player is last; otherwise NOTHING.

    The dearest card that takes it, if the points suffice or if losing the trick loses the game; on the partner's trick
    the dearest card, if the points suffice.
    """
    cdef bint alone = s.seat == s.soloist
    cdef int own = s.banked[0 if alone else 1], other = s.banked[1 if alone else 0], code
    cdef int goal = SOLOIST_GOAL if alone else OPPONENTS_GOAL
    cdef uint32_t winners = over_best(s)
    if s.position != 2 or own >= goal:
        return NOTHING
    if not alone and s.best_seat == s.partner:
        code = dearest(s, s.legal)
        return code if own + s.table_points + points_of(s, code) >= goal else NOTHING
    if not winners:
        return NOTHING
    code = dearest(s, winners)
    if own + s.table_points + points_of(s, code) >= goal:
        return code
    code = cheapest(s, s.legal & ~winners) if s.legal & ~winners else NOTHING
    if code != NOTHING and other + s.table_points + points_of(s, code) >= (OPPONENTS_GOAL if alone else SOLOIST_GOAL):
        return dearest(s, winners)
    return NOTHING
