"""The README's examples run, and what it names exists."""

import re

import pytest

from tests.conftest import ROOT

README = (ROOT / "README.md").read_text()
EXAMPLES = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)


@pytest.mark.parametrize("code", EXAMPLES, ids=range(len(EXAMPLES)))
def test_python_examples_run(code: str) -> None:
    exec(compile(code, "README.md", "exec"), {})


def test_named_files_exist() -> None:
    for name in re.findall(r"(?:python|replay) ((?:benchmarks|skat_env)/[\w./]+)", README):
        assert (ROOT / name).exists(), name
