"""The parts of Klaverjas that its rules and records give to generic code: where each is; the registry says what."""

from typing import Final

PARTS: Final = {
    "encoders": "skat_env.klaverjas.encoders:ENCODERS",
    "formats": "skat_env.klaverjas.formats:FORMATS",
    "suit_features": "skat_env.klaverjas.observation:SUITS",
    "picture": "skat_env.klaverjas.picture:table",
    "fresh_heads": "skat_env.klaverjas.starts:fresh_heads",
    "limits": "skat_env.klaverjas.scoring:LIMITS",
    "facts": "skat_env.klaverjas.playouts:facts",
    "start_table": "skat_env.klaverjas.formats:START_TABLE",
    "text": "skat_env.klaverjas.words:TEXT",
    "struct": "skat_env.klaverjas.structs:STRUCT",
    "scale": "skat_env.klaverjas.scale:SCALE",
}
