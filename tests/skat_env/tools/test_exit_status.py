"""How commands end."""

import pytest

from skat_env.tools.exit_status import exit_status


def raising(error: BaseException) -> int:
    raise error


def test_the_status_is_that_of_the_work() -> None:
    assert exit_status("it", lambda: None) == 0
    assert exit_status("it", lambda: 3) == 3


@pytest.mark.parametrize(
    ("error", "status", "told"),
    [
        (ValueError("5 is too many"), 2, "it: 5 is too many\n"),
        (OSError("no room"), 2, "it: no room\n"),
        (
            ModuleNotFoundError("No module named 'ray'", name="ray"),
            2,
            "it: this needs ray: pip install '.[ray]' in the checkout of skat_env\n",
        ),
        (KeyboardInterrupt(), 130, "it: interrupted\n"),
        (BrokenPipeError(), 0, ""),
    ],
)
def test_an_error_of_the_user_is_one_sentence(
    error: BaseException, status: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_status("it", lambda: raising(error)) == status
    assert capsys.readouterr().err == told


def test_work_that_is_kept_goes_on_after_ctrl_c(capsys: pytest.CaptureFixture[str]) -> None:
    exit_status("it", lambda: raising(KeyboardInterrupt()), is_kept=True)
    assert capsys.readouterr().err == "it: interrupted; the same command continues\n"


def test_an_error_of_ours_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError):
        exit_status("it", lambda: 1 // 0)
