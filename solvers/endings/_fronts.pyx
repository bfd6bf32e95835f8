"""The best pure strategy of a seat against opponents who see all cards: fronts of the vectors of values by world.

A strategy is worth a vector, a value for each world, as opponents who know the world and the strategy choose. A *front*
has the vectors of a node's strategies that no other one's dominates (Cazenave and Ventos 2019, section 3). Four things
keep fronts small, and the result exact:

- No strategy gets more in a world than with open cards, neither here nor at any node above: vectors are cut off at that
  *target*, so that many become equal. Worlds in which the worst play reaches the target need no search.
- A vector may lose at most `slack`, the weighted sum of what it stays behind the target. The slack grows until a
  strategy is found: the best then is among those found.
- Where nothing but the sum over worlds depends on a world any more, the loss in it is added up, and vectors are
  compared in the other worlds: choices that do not meet in a world are made one by one.
- Where opponents choose, the target of each card is what the vectors of the cards before still reach. Where partners
  choose, what the cards before reach at least is the *floor* of each card.
"""

cimport cython
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset

from skat_env.solvers.endings._tree cimport Node, Tree

cdef enum:
    GOOD, OUT_OF_MEMORY, TOO_LARGE

cdef double ROUNDING = 1e-9     # of weighted sums


ctypedef struct Front:
    int32_t width               # worlds of the node
    int32_t count               # vectors
    int32_t room
    int32_t* vectors            # [count, width]
    double* lost                # [count]: the losses in worlds that are not live, where the vectors have the target


cdef inline void front_free(Front* front) noexcept nogil:
    if front:
        free(front.vectors)
        free(front.lost)
        free(front)


cdef Front* front_new(int32_t width) noexcept nogil:
    cdef Front* front = <Front*>malloc(sizeof(Front))
    if not front:
        return NULL
    front.width = width
    front.count = 0
    front.room = 4
    front.vectors = <int32_t*>malloc(<size_t>4 * width * sizeof(int32_t))
    front.lost = <double*>malloc(4 * sizeof(double))
    if not front.vectors or not front.lost:
        front_free(front)
        return NULL
    return front


cdef inline double least_lost(const Front* front) noexcept nogil:
    cdef double lost = INFINITY
    cdef int32_t i
    for i in range(front.count):
        lost = min(lost, front.lost[i])
    return lost


cdef inline bint reaches(const int32_t* a, const int32_t* b, int32_t width) noexcept nogil:
    """Whether a is at least b in every world."""
    cdef int32_t i
    for i in range(width):
        if a[i] < b[i]:
            return False
    return True


cdef bint front_add(Front* front, const int32_t* vector, double lost) noexcept nogil:
    """Adds a vector unless one dominates it, and removes those that it dominates; False: out of memory."""
    cdef int32_t width = front.width
    cdef int32_t i, kept
    cdef void* moved
    for i in range(front.count):
        if front.lost[i] <= lost and reaches(front.vectors + <int64_t>i * width, vector, width):
            return True
    kept = 0
    for i in range(front.count):
        if front.lost[i] < lost or not reaches(vector, front.vectors + <int64_t>i * width, width):
            if kept != i:
                memcpy(
                    front.vectors + <int64_t>kept * width, front.vectors + <int64_t>i * width, width * sizeof(int32_t)
                )
                front.lost[kept] = front.lost[i]
            kept += 1
    front.count = kept
    if front.count == front.room:
        moved = realloc(front.vectors, <size_t>2 * front.room * width * sizeof(int32_t))
        if not moved:
            return False
        front.vectors = <int32_t*>moved
        moved = realloc(front.lost, <size_t>2 * front.room * sizeof(double))
        if not moved:
            return False
        front.lost = <double*>moved
        front.room *= 2
    memcpy(front.vectors + <int64_t>front.count * width, vector, width * sizeof(int32_t))
    front.lost[front.count] = lost
    front.count += 1
    return True


ctypedef struct Window:
    # What is asked of a node, each [worlds].
    int32_t* target             # more is as good
    int32_t* floor              # less is as bad
    int32_t* soft               # what other cards may still reach: at least the floor; less than this is no loss
    int32_t* live               # 0: nothing outside the node depends on its value in the world but the sum; soft is
                                # floor


cdef inline bint window_new(Window* window, int32_t width) noexcept nogil:
    window.target = <int32_t*>malloc(<size_t>4 * width * sizeof(int32_t))
    window.floor = window.target + width
    window.soft = window.floor + width
    window.live = window.soft + width
    return window.target != NULL


cdef inline void window_free(Window* window) noexcept nogil:
    free(window.target)


@cython.final
cdef class Fronts:
    """Searches a tree in which every seat has tried every card."""

    cdef Tree tree
    cdef int seat
    cdef uint32_t partners
    cdef int32_t* most          # [pairs]: the seat's side's value if all cards are open
    cdef int32_t* least         # [pairs]: if the seat plays worst
    cdef readonly int64_t limit
    cdef readonly int64_t work  # vectors made
    cdef readonly double short      # how much more slack the last search needed at least; infinite: it had enough
    cdef int failed

    def __cinit__(self, Tree tree not None, int seat, uint32_t partners, int sign, int64_t limit):
        cdef int64_t number, pair
        cdef Node* node
        self.tree = tree
        self.seat = seat
        self.partners = partners
        self.limit = limit
        self.most = <int32_t*>malloc(tree.pair_count * sizeof(int32_t))
        self.least = <int32_t*>malloc(tree.pair_count * sizeof(int32_t))
        if not self.most or not self.least:
            raise MemoryError()
        with nogil:
            for number in range(tree.node_count - 1, -1, -1):
                node = &tree.nodes[number]
                if node.seat < 0:
                    for pair in range(node.first, node.first + node.pairs):
                        self.most[pair] = self.least[pair] = sign * tree.value[pair]
                else:
                    self.back_up(node)

    def __dealloc__(self):
        free(self.most)
        free(self.least)

    cdef void back_up(self, const Node* node) noexcept nogil:
        """Sets the bounds of a node's pairs from those of its children."""
        cdef bint ours = node.seat == self.seat or self.partners >> node.seat & 1
        cdef bint own = node.seat == self.seat
        cdef const Node* child
        cdef int64_t pair, at
        cdef int i
        for pair in range(node.first, node.first + node.pairs):
            self.most[pair] = -(1 << 30) if ours else 1 << 30
            self.least[pair] = -(1 << 30) if ours and not own else 1 << 30
        for i in range(node.children):
            child = &self.tree.nodes[node.child + i]
            at = node.first
            for pair in range(child.first, child.first + child.pairs):
                while self.tree.world[at] != self.tree.world[pair]:
                    at += 1
                if ours:
                    self.most[at] = max(self.most[at], self.most[pair])
                else:
                    self.most[at] = min(self.most[at], self.most[pair])
                if ours and not own:
                    self.least[at] = max(self.least[at], self.least[pair])
                else:
                    self.least[at] = min(self.least[at], self.least[pair])

    cdef double behind(
        self, const Node* node, const int32_t* high, const int32_t* low, const int32_t* soft
    ) noexcept nogil:
        """The weighted sum of the differences of two vectors of a node; below `soft` nothing counts."""
        cdef double total = 0
        cdef int32_t i
        for i in range(node.pairs):
            total += self.tree.reach[node.first + i] * (max(high[i], soft[i]) - max(low[i], soft[i]))
        return total

    cdef bint fits(self, double lost, double slack) noexcept nogil:
        """Whether a loss is within the slack; else notes by how much it is not."""
        if lost <= slack:
            return True
        self.short = min(self.short, lost - slack)
        return False

    cdef Front* fail(self, int reason, Front* front) noexcept nogil:
        self.failed = reason
        front_free(front)
        return NULL

    cdef bint add(
        self, Front* front, const Node* node, const Window* window, int32_t* vector, double lost, double slack
    ) noexcept nogil:
        """Adds a vector to a front if it is within the slack; False: out of memory, or over the limit.

        In worlds that are not live, the losses are added up and the vector is set to the target.
        """
        cdef int32_t i
        if not self.fits(lost + self.behind(node, window.target, vector, window.soft), slack):
            return True
        for i in range(node.pairs):
            if not window.live[i]:
                lost += self.tree.reach[node.first + i] * (window.target[i] - vector[i])
                vector[i] = window.target[i]
        self.work += 1 + front.count
        if self.work > self.limit:
            self.failed = TOO_LARGE
        elif not front_add(front, vector, lost):
            self.failed = OUT_OF_MEMORY
        return self.failed == GOOD

    cdef Front* search(self, int64_t number, const Window* window, double slack) noexcept nogil:
        """The front of a node: vectors cut off to the window that lose no more than the slack. NULL: failed."""
        cdef const Node* node = &self.tree.nodes[number]
        cdef const int32_t* least = self.least + node.first
        cdef const int32_t* most = self.most + node.first
        cdef int32_t width = node.pairs
        cdef int32_t i
        cdef bint settled = True
        cdef int32_t* vector
        cdef Front* front
        self.work += 1
        if self.work > self.limit:
            return self.fail(TOO_LARGE, NULL)
        if node.seat >= 0:
            for i in range(width):
                if least[i] < window.target[i] and most[i] > window.floor[i]:
                    settled = False
                    break
        if not settled:
            if node.seat == self.seat:
                return self.search_own(node, window, slack)
            if self.partners >> node.seat & 1:
                return self.search_partner(node, window, slack)
            return self.search_opponent(node, window, slack)
        front = front_new(width)
        if not front:
            return self.fail(OUT_OF_MEMORY, NULL)
        vector = <int32_t*>malloc(width * sizeof(int32_t))
        if not vector:
            return self.fail(OUT_OF_MEMORY, front)
        for i in range(width):
            vector[i] = min(window.target[i], max(window.floor[i], least[i]))
        self.add(front, node, window, vector, 0, slack)
        free(vector)
        return self.fail(self.failed, front) if self.failed else front

    cdef Front* search_own(self, const Node* node, const Window* window, double slack) noexcept nogil:
        """Every card is a strategy: the union of the fronts."""
        cdef int32_t width = node.pairs
        cdef const int32_t* most
        cdef Window inner
        cdef Front* front = front_new(width)
        cdef Front* after = NULL
        cdef int32_t i, j
        cdef double lost
        cdef bint done = False
        if not window_new(&inner, width) or not front:
            self.failed = OUT_OF_MEMORY
        for i in range(node.children):
            if self.failed or done:
                break
            most = self.most + self.tree.nodes[node.child + i].first
            for j in range(width):
                inner.target[j] = min(window.target[j], max(window.floor[j], most[j]))
                inner.floor[j] = window.floor[j]
                inner.soft[j] = window.soft[j]
                inner.live[j] = window.live[j]
            lost = self.behind(node, window.target, inner.target, window.soft)
            if not self.fits(lost, slack):
                continue
            after = self.search(node.child + i, &inner, slack - lost)
            if not after:
                break
            for j in range(after.count):
                done = done or (
                    after.lost[j] <= 0 and reaches(after.vectors + <int64_t>j * width, window.target, width))
                if not self.add(front, node, window, after.vectors + <int64_t>j * width, after.lost[j], slack):
                    break
            front_free(after)
        window_free(&inner)
        return self.fail(self.failed, front) if self.failed else front

    cdef Front* search_opponent(self, const Node* node, const Window* window, double slack) noexcept nogil:
        """The opponents choose in each world: the minima of all combinations of vectors after each card."""
        cdef int32_t width = node.pairs
        cdef const Node* child
        cdef Window inner, now
        cdef int32_t* open_in = <int32_t*>malloc(width * sizeof(int32_t))
        cdef int32_t* later = <int32_t*>malloc(width * sizeof(int32_t))
        cdef int32_t* place = <int32_t*>malloc(width * sizeof(int32_t))
        cdef int32_t* vector = <int32_t*>malloc(width * sizeof(int32_t))
        cdef int32_t* top = <int32_t*>malloc(width * sizeof(int32_t))
        cdef Front* front = front_new(width)
        cdef Front* after = NULL
        cdef int32_t i, j, k
        cdef double lost
        cdef bint room = window_new(&inner, width)
        room = window_new(&now, width) and room
        if not room or not open_in or not later or not place or not vector or not top or not front:
            self.failed = OUT_OF_MEMORY
        else:
            memcpy(front.vectors, window.target, width * sizeof(int32_t))
            front.lost[0] = 0
            front.count = 1
            # In how many of the cards still to come, and in all, the value in a world is open.
            memset(open_in, 0, width * sizeof(int32_t))
            for i in range(node.children):
                self.count_open(node, &self.tree.nodes[node.child + i], window, open_in, 1)
            memcpy(later, open_in, width * sizeof(int32_t))
            memcpy(now.target, window.target, width * sizeof(int32_t))
            memcpy(now.floor, window.floor, width * sizeof(int32_t))
            memcpy(now.soft, window.soft, width * sizeof(int32_t))
        for i in range(node.children):
            if self.failed or not front.count:
                break
            child = &self.tree.nodes[node.child + i]
            self.places(node, child, place)
            self.count_open(node, child, window, later, -1)
            for k in range(width):
                now.live[k] = window.live[k] or later[k] > 0
            # What the cards before leave.
            memcpy(top, front.vectors, width * sizeof(int32_t))
            for j in range(1, front.count):
                for k in range(width):
                    top[k] = max(top[k], front.vectors[<int64_t>j * width + k])
            lost = least_lost(front) + self.behind(node, window.target, top, window.soft)
            for k in range(child.pairs):
                inner.target[k] = top[place[k]]
                inner.floor[k] = window.floor[place[k]]
                inner.soft[k] = window.soft[place[k]]
                inner.live[k] = window.live[place[k]] or open_in[place[k]] > 1
            after = self.search(node.child + i, &inner, slack - lost)
            if not after:
                break
            front = self.joined(node, &now, front, after, place, False, vector, slack)
        window_free(&inner)
        window_free(&now)
        free(open_in)
        free(later)
        free(place)
        free(vector)
        free(top)
        return self.fail(self.failed, front) if self.failed else front

    cdef Front* search_partner(self, const Node* node, const Window* window, double slack) noexcept nogil:
        """A partner who sees all cards chooses in each world: the maxima of all combinations after each card."""
        cdef int32_t width = node.pairs
        cdef const Node* child
        cdef Window inner, now
        cdef int32_t* place = <int32_t*>malloc(width * sizeof(int32_t))
        cdef int32_t* vector = <int32_t*>malloc(width * sizeof(int32_t))
        cdef int32_t* sure = <int32_t*>malloc(width * sizeof(int32_t))     # what the cards before reach at least
        cdef int32_t* hope = <int32_t*>malloc(width * sizeof(int32_t))     # what all cards but this reach at most
        cdef int32_t* rest = <int32_t*>malloc(width * sizeof(int32_t))     # what the cards after reach at most
        cdef Front* front = front_new(width)
        cdef Front* after = NULL
        cdef int32_t i, j, k
        cdef double lost
        cdef const int32_t* other
        cdef bint room = window_new(&inner, width)
        room = window_new(&now, width) and room
        if not room or not place or not vector or not sure or not hope or not rest or not front:
            self.failed = OUT_OF_MEMORY
        else:
            for k in range(width):
                front.vectors[k] = min(window.target[k], max(window.floor[k], self.least[node.first + k]))
            front.lost[0] = 0
            front.count = 1
            memcpy(now.target, window.target, width * sizeof(int32_t))
            memcpy(now.floor, window.floor, width * sizeof(int32_t))
        for i in range(node.children):
            if self.failed or not front.count:
                break
            child = &self.tree.nodes[node.child + i]
            memcpy(rest, window.floor, width * sizeof(int32_t))
            for j in range(i + 1, node.children):
                self.raise_to_most(node, &self.tree.nodes[node.child + j], rest)
            memcpy(sure, front.vectors, width * sizeof(int32_t))
            memcpy(hope, rest, width * sizeof(int32_t))
            for j in range(front.count):
                other = front.vectors + <int64_t>j * width
                for k in range(width):
                    sure[k] = min(sure[k], other[k])
                    hope[k] = max(hope[k], other[k])
            for k in range(width):
                hope[k] = max(window.soft[k], min(hope[k], window.target[k]))
                vector[k] = hope[k]
            self.raise_to_most(node, child, vector)
            for k in range(width):
                vector[k] = min(vector[k], window.target[k])
            lost = least_lost(front) + self.behind(node, window.target, vector, window.soft)
            self.places(node, child, place)
            for k in range(child.pairs):
                j = place[k]
                inner.target[k] = min(window.target[j], max(sure[j], self.most[child.first + k]))
                inner.floor[k] = sure[j]
                inner.soft[k] = hope[j]
                inner.live[k] = window.live[j] or hope[j] > sure[j]
            if not self.fits(lost, slack):
                front.count = 0
                break
            after = self.search(node.child + i, &inner, slack - lost)
            if not after:
                break
            for k in range(width):
                now.soft[k] = max(window.soft[k], min(rest[k], window.target[k]))
                now.live[k] = window.live[k] or i + 1 < node.children
            front = self.joined(node, &now, front, after, place, True, vector, slack)
        window_free(&inner)
        window_free(&now)
        free(place)
        free(vector)
        free(sure)
        free(hope)
        free(rest)
        return self.fail(self.failed, front) if self.failed else front

    cdef Front* joined(
        self, const Node* node, const Window* window, Front* front, Front* after, const int32_t* place,
        bint are_maxima, int32_t* vector, double slack
    ) noexcept nogil:
        """The minima or maxima of all combinations of a front and that after another card; frees both.

        Args:
            place: of each of the worlds after the card among the node's.
            vector: room for one vector of the node.
        """
        cdef int32_t width = front.width
        cdef int32_t i, j, k
        cdef const int32_t* other
        cdef Front* found = front_new(width)
        if not found:
            self.failed = OUT_OF_MEMORY
        for i in range(after.count):
            other = after.vectors + <int64_t>i * after.width
            for j in range(front.count):
                if self.failed:
                    break
                memcpy(vector, front.vectors + <int64_t>j * width, width * sizeof(int32_t))
                for k in range(after.width):
                    if are_maxima:
                        vector[place[k]] = max(vector[place[k]], other[k])
                    else:
                        vector[place[k]] = min(vector[place[k]], other[k])
                self.add(found, node, window, vector, front.lost[j] + after.lost[i], slack)
        front_free(front)
        front_free(after)
        return found

    cdef void places(self, const Node* node, const Node* child, int32_t* place) noexcept nogil:
        """The place of each of a child's worlds among the node's."""
        cdef int32_t at = 0
        cdef int32_t k
        for k in range(child.pairs):
            while self.tree.world[node.first + at] != self.tree.world[child.first + k]:
                at += 1
            place[k] = at

    cdef void count_open(
        self, const Node* node, const Node* child, const Window* window, int32_t* count, int32_t by
    ) noexcept nogil:
        """Adds to a count of a node's worlds where a child's value is still open."""
        cdef int32_t at = 0
        cdef int32_t k
        for k in range(child.pairs):
            while self.tree.world[node.first + at] != self.tree.world[child.first + k]:
                at += 1
            if self.least[child.first + k] < window.target[at] and self.most[child.first + k] > window.floor[at]:
                count[at] += by

    cdef void raise_to_most(self, const Node* node, const Node* child, int32_t* vector) noexcept nogil:
        """Raises a vector of a node to what a child reaches at most."""
        cdef int32_t at = 0
        cdef int32_t k
        for k in range(child.pairs):
            while self.tree.world[node.first + at] != self.tree.world[child.first + k]:
                at += 1
            vector[at] = max(vector[at], self.most[child.first + k])

    def open_value(self, int64_t node):
        """The weighted sum of the values with open cards."""
        cdef int64_t first = self.tree.nodes[node].first
        cdef double total = 0
        cdef int32_t i
        for i in range(self.tree.nodes[node].pairs):
            total += self.tree.reach[first + i] * self.most[first + i]
        return total

    def best(self, int64_t node, double slack):
        """The least that a strategy from a node on stays behind open cards, a weighted sum.

        Returns infinity if that is more than the slack, None if it takes more work than the limit.
        """
        cdef Front* found
        cdef Window window
        cdef int64_t first = self.tree.nodes[node].first
        cdef int32_t width = self.tree.nodes[node].pairs
        cdef int32_t i
        cdef double least = INFINITY
        self.failed = GOOD
        self.work = 0
        self.short = INFINITY
        if not window_new(&window, width):
            raise MemoryError()
        for i in range(width):
            window.target[i] = self.most[first + i]
            window.floor[i] = window.soft[i] = self.least[first + i]
            window.live[i] = 0
        with nogil:
            found = self.search(node, &window, slack + ROUNDING)
        window_free(&window)
        if not found:
            if self.failed == TOO_LARGE:
                return None
            raise MemoryError()
        for i in range(found.count):
            least = min(least, found.lost[i])
        front_free(found)
        return least
