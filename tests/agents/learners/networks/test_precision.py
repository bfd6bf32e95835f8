"""Products in bfloat16 where the processor has them, and only there."""

import pytest
import torch

from skat_env.agents.learners.networks.precision import autocast, has_bfloat16, product_type


@pytest.mark.parametrize("instructions", ["_is_avx512_bf16_supported", "_is_amx_tile_supported", None])
def test_bfloat16_where_the_processor_multiplies_in_it(
    instructions: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("_is_avx512_bf16_supported", "_is_amx_tile_supported"):
        monkeypatch.setattr(torch.cpu, name, lambda name=name: name == instructions)
    has = instructions is not None
    assert has_bfloat16() == has
    for precision in ("bfloat16", "float32"):
        with autocast(precision):
            product = torch.ones(2, 2) @ torch.ones(2, 2)
        assert product.dtype == product_type(precision)
        assert product.dtype == (torch.bfloat16 if precision == "bfloat16" and has else torch.float32)


def test_other_devices_have_it() -> None:
    assert has_bfloat16("cuda")
