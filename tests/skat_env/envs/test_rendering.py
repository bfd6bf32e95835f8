"""Rendering of environments: pixels, windows, videos; a seat's picture has nothing that is hidden from it."""

import copy
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

from skat_env import klaverjas_v0, skat_v0
from skat_env.beliefs.belief import UniformSampler
from skat_env.envs import rendering
from skat_env.envs.seat_vector import SeatVectorEnv
from skat_env.envs.single_seat import SingleSeatEnv
from skat_env.envs.vector import SelfPlayVector
from skat_env.errors import UnknownName
from skat_env.registry import get_game

pygame = pytest.importorskip("pygame")
both_games = pytest.mark.parametrize("game", ["skat", "klaverjas"])
MODULES = {"skat": skat_v0, "klaverjas": klaverjas_v0}


@pytest.fixture(autouse=True)
def without_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr(rendering, "RENDER_FPS", 0)  # no waiting


def is_picture(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype == np.uint8 and value.shape == (540, 720, 3)


@both_games
def test_pictures_of_the_environments(game: str) -> None:
    table = MODULES[game].env(render_mode="rgb_array")
    table.reset(seed=1)
    assert is_picture(table.render())
    single = SingleSeatEnv(game, seat=1, render_mode="rgb_array")
    single.reset(seed=1)
    before = single.render()
    assert is_picture(before)
    single.step(int(single.action_masks().argmax()))
    assert (single.render() != before).any()


@both_games
def test_the_picture_of_a_seat_has_nothing_hidden(game: str) -> None:
    renderer = rendering.Renderer(get_game(game), "rgb_array")
    rng = np.random.default_rng(3)
    for moves in (0, 9, 15):
        state = get_game(game).state.random(rng)
        for _ in range(moves):
            state.apply(int(rng.choice(state.legal_actions())))
            if state.is_over:
                state.undo()
                break
        for seat in range(len(get_game(game).seats)):
            expected = renderer.render(state, seat)
            for world in UniformSampler().worlds(state.view(seat), 3, rng):
                assert (renderer.render(world.state, seat) == expected).all()
        assert (renderer.render(state, 0) != renderer.render(state, None)).any()


@both_games
def test_gymnasium_checks_rendering(game: str) -> None:
    made = gymnasium.make(
        f"skat_env/{game.capitalize()}-v0", illegal_action="random_legal", render_mode="rgb_array"
    )
    check_env(made.unwrapped)


@both_games
def test_a_window_opens_once_and_closes(game: str) -> None:
    for environment in (MODULES[game].raw_env("human"), SingleSeatEnv(game, seat=0, render_mode="human")):
        environment.reset(seed=2)
        screen = pygame.display.get_surface()
        assert screen.get_size() == (720, 540)
        environment.render()
        assert pygame.display.get_surface() is screen
        for again in (copy.deepcopy(environment), pickle.loads(pickle.dumps(environment))):
            assert again._renderer._window is None
        environment.close()
        assert not pygame.display.get_init()
        environment.render()  # opens again
        environment.close()
        environment.close()


@both_games
def test_the_window_shows_the_picture(game: str) -> None:
    shown = MODULES[game].raw_env("human")
    drawn = MODULES[game].raw_env("rgb_array")
    shown.reset(seed=4)
    drawn.reset(seed=4)
    screen = pygame.surfarray.array3d(pygame.display.get_surface()).transpose(1, 0, 2)
    assert (screen == drawn.render()).all()
    shown.close()


@both_games
def test_vector_environments_show_all_their_games(game: str) -> None:
    environment = SeatVectorEnv(game, 3, seat=1, render_mode="rgb_array")
    environment.reset(seed=1)
    pictures = environment.render()
    assert len(pictures) == 3
    assert all(map(is_picture, pictures))
    assert (pictures[0] != pictures[1]).any()
    environment.step(environment.action_masks().argmax(1))
    assert (environment.render()[0] != pictures[0]).any()
    text = SeatVectorEnv(game, 3, seat=1, render_mode="ansi")
    text.reset(seed=1)
    assert get_game(game).seats[1] in text.render()[0]
    with pytest.raises(UnknownName, match="human"):
        SeatVectorEnv(game, 3, render_mode="human")
    silent = SeatVectorEnv(game, 3)
    silent.reset(seed=1)
    with pytest.warns(UserWarning, match="render_mode"):
        assert silent.render() is None


@both_games
def test_vector_environments_show_any_of_their_games(game: str) -> None:
    about = get_game(game)
    pixels, text = (SelfPlayVector(game, 3, render_mode=mode) for mode in ("rgb_array", "ansi"))
    plain = rendering.Renderer(about, "rgb_array")
    for vector in (pixels, text):
        step = vector.reset(seed=1)
        for _ in range(20):
            step = vector.step(step.action_mask.argmax(1))
    for lane in range(3):
        assert (pixels.render(lane) == plain.render(pixels.state(lane), None)).all()
        assert text.render(game=lane) == about.render(text.state(lane), None)
    assert is_picture(pixels.render())
    assert (pixels.render() != pixels.render(1)).any()
    one = SeatVectorEnv(game, 3, seat=1, render_mode="ansi")
    one.reset(seed=1)
    assert len({one.render(lane) for lane in range(3)}) == 3
    assert one.render() == tuple(text for lane in range(3) for text in one.render(lane))
    for vector in (pixels, one):
        with pytest.raises(IndexError, match=r"index 3 of a game is not one of 0\.\.2"):
            vector.render(3)
    with pytest.raises(UnknownName, match="human"):
        SelfPlayVector(game, 3, render_mode="human")
    with pytest.raises(ResetNeeded):
        SelfPlayVector(game, 3, render_mode="ansi").render()
    silent = SelfPlayVector(game, 3)
    silent.reset(seed=1)
    with pytest.warns(UserWarning, match="render_mode"):
        assert silent.render() is None


def test_videos_are_recorded(tmp_path: Path) -> None:
    pytest.importorskip("moviepy", reason="RecordVideo needs moviepy")
    environment = gymnasium.make(
        "skat_env/Skat-v0", seat=0, render_mode="rgb_array", illegal_action="random_legal"
    )
    recorded = gymnasium.wrappers.RecordVideo(environment, str(tmp_path), episode_trigger=lambda _: True)
    recorded.reset(seed=3)
    over = False
    while not over:
        over = recorded.step(int(environment.unwrapped.action_masks().argmax()))[2]
    recorded.close()
    [video] = tmp_path.glob("*.mp4")
    assert video.stat().st_size > 1000


@pytest.mark.skipif(
    not hasattr(gymnasium.wrappers.vector, "RecordVideo"),
    reason="an older gymnasium records no vector environment",
)
def test_videos_of_many_games_are_recorded(tmp_path: Path) -> None:
    pytest.importorskip("moviepy", reason="RecordVideo needs moviepy")
    environment = SeatVectorEnv("skat", 2, seat=0, render_mode="rgb_array")
    recorded = gymnasium.wrappers.vector.RecordVideo(
        environment, str(tmp_path), episode_trigger=lambda number: number == 0
    )
    recorded.reset(seed=3)
    for _ in range(3):
        recorded.step(environment.action_masks().argmax(1))
    recorded.close()
    [video] = tmp_path.glob("*.mp4")
    assert video.stat().st_size > 1000


def test_without_pygame_one_sentence_names_the_extra() -> None:
    code = (
        "import sys; sys.modules['pygame'] = None\n"
        "from skat_env import skat_v0\n"
        "skat_v0.env(render_mode='ansi')\n"
        "try:\n    skat_v0.env(render_mode='rgb_array')\n"
        "except ImportError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "this needs pygame: pip install '.[pictures]' in the checkout of skat_env\n"
