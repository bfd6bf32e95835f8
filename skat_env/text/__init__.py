"""Games in words, for people and language models: what a seat may know, the rules, and moves read from replies."""

from skat_env.text.describe import describe, rules
from skat_env.text.replies import ReplyError, parse_reply

__all__ = ["ReplyError", "describe", "parse_reply", "rules"]
