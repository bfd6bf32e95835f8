"""The parts of Skat that its rules and records give to generic code: where each is; the registry says what."""

from typing import Final

PARTS: Final = {
    "encoders": "skat_env.skat.encoders:ENCODERS",
    "formats": "skat_env.skat.formats:FORMATS",
    "suit_features": "skat_env.skat.observation:SUITS",
    "picture": "skat_env.skat.picture:table",
    "fresh_heads": "skat_env.skat.starts:fresh_heads",
    "limits": "skat_env.skat.scoring:LIMITS",
    "facts": "skat_env.skat.iss.notation:facts",
    "text": "skat_env.skat.words:TEXT",
    "struct": "skat_env.skat.structs:STRUCT",
    "scale": "skat_env.skat.scale:SCALE",
}
