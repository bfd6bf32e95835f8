"""The random generator of the C code, written plainly: the slow twin of `skat_env/_random.pxd`."""

MASK = 2**64 - 1


class Stream:
    """SplitMix64 (Steele, Lea & Flood 2014)."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def next(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def below(self, bound: int) -> int:
        return ((self.next() >> 32) * bound) >> 32

    def choice(self, actions: list[int]) -> int:
        return actions[self.below(len(actions))]
