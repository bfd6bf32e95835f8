"""Networks as ONNX files: what they say is what the networks say."""

import json
from pathlib import Path

import numpy as np
import pytest

from skat_env.agents.networks.checkpoint import load_checkpoint
from skat_env.agents.networks.onnx_file import FEATURES, OUTPUTS, onnx_of, write_onnx
from skat_env.cli import main
from skat_env.encoders import get_encoder
from skat_env.play.starts import PlayedTo
from skat_env.registry import make_agent

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("name", "game"),
    [("klaverjas-policy", "klaverjas"), ("klaverjas-locations", "klaverjas"), ("skat-world", "skat")],
)
def test_files_say_what_networks_say(name: str, game: str, tmp_path: Path) -> None:
    runtime = pytest.importorskip("onnxruntime", reason="needs onnxruntime, of the extra 'dev'")
    pytest.importorskip("onnx", reason="needs the extra 'onnx'")
    checkpoint = load_checkpoint(name, game)
    rng = np.random.default_rng(1)
    for path in write_onnx(checkpoint, tmp_path / "files"):
        network = checkpoint.network(path.stem)
        session = runtime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        assert [each.name for each in session.get_inputs()] == [FEATURES]
        for count in (1, 7):
            rows = (rng.random((count, network.encoder.width)) < 0.1).astype(np.float32)
            (outputs,) = session.run([OUTPUTS], {FEATURES: rows})
            assert np.allclose(outputs, network(rows), rtol=1e-4, atol=1e-3)
        facts = session.get_modelmeta().custom_metadata_map
        assert facts["encoder"] == network.spec.encoder
        assert facts["encoder_version"] == str(network.encoder.version)
        slices = json.loads(facts["slices"])
        assert max(end for _, end in slices.values()) == network.encoder.width


def test_policies_choose_by_the_softmax_of_their_files(tmp_path: Path) -> None:
    runtime = pytest.importorskip("onnxruntime", reason="needs onnxruntime, of the extra 'dev'")
    pytest.importorskip("onnx", reason="needs the extra 'onnx'")
    (path,) = write_onnx(load_checkpoint("klaverjas-policy", "klaverjas"), tmp_path / "files")
    session = runtime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    encoder = get_encoder("klaverjas.cardplay")
    policy = make_agent("policy", "klaverjas")
    rng = np.random.default_rng(1)
    start = PlayedTo("klaverjas", "cardplay", "rule")
    spread = 0.0
    for view in (state.view(state.to_act) for state in (start(rng) for _ in range(20))):
        (outputs,) = session.run([OUTPUTS], {FEATURES: encoder.encode([view])})[0]
        cards = view.legal_actions()
        odds = np.exp(outputs[encoder.labels([view])[0][cards]].astype(np.float64))
        decision = policy.decide(view, rng)
        assert decision.weights is not None
        assert np.allclose(odds / odds.sum(), decision.weights[cards], atol=1e-4)
        scale = float(session.get_modelmeta().custom_metadata_map["scale"])
        assert decision.value == pytest.approx(scale * outputs[32], abs=1e-2)
        spread = max(spread, 1 - decision.weights.max())
    assert spread > 0.3


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("onnx", reason="needs the extra 'onnx'")
    out = tmp_path / "files"
    assert main(["onnx", "klaverjas-world", "--game", "klaverjas", "--out", str(out)]) == 0
    assert [path.name for path in out.iterdir()] == ["world.onnx"]
    assert main(["onnx", "klaverjas-world", "--game", "klaverjas", "--out", str(out)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert main(["onnx", "klaverjas-world", "--out", str(tmp_path / "other")]) == 2
    assert "is of klaverjas, expected one of skat" in capsys.readouterr().err
    assert onnx_of(load_checkpoint("klaverjas-world", "klaverjas").network("world"), "klaverjas")
