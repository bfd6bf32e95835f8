"""Products of matrices in bfloat16, where the device multiplies in it.

Elsewhere they are emulated, and training takes thirty times as long as in float32.
"""

from typing import Literal

import torch

Precision = Literal["bfloat16", "float32"]
"""The precision of products of matrices; weights are float32."""


def has_bfloat16(device: str = "cpu") -> bool:
    """Whether a device multiplies in bfloat16; a processor needs AVX-512 BF16 or AMX for it."""
    if torch.device(device).type != "cpu":
        return True
    return bool(torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported())


def product_type(precision: Precision, device: str = "cpu") -> torch.dtype:
    """The type of products of matrices: float32 where the device does not multiply in bfloat16."""
    return torch.bfloat16 if precision == "bfloat16" and has_bfloat16(device) else torch.float32


def autocast(precision: Precision, device: str = "cpu") -> torch.autocast:
    """A context in which products of matrices are of `product_type`."""
    half = product_type(precision, device) == torch.bfloat16
    return torch.autocast(torch.device(device).type, torch.bfloat16, enabled=half)
