MARCH: str
LEVELS: dict[str, int]

def require(march: str = ...) -> None: ...
