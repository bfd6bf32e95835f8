"""Products of matrices in bfloat16, where the device multiplies in it.

Elsewhere they are emulated, and training takes thirty times as long as in float32.
"""

import torch


def has_bfloat16(device: str = "cpu") -> bool:
    """Whether a device multiplies in bfloat16; a processor needs AVX-512 BF16 or AMX for it."""
    if torch.device(device).type != "cpu":
        return True
    return bool(torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported())


def autocast(bfloat16: bool, device: str = "cpu") -> torch.autocast:
    """A context in which products of matrices are in bfloat16, if that is asked for and the device has it."""
    return torch.autocast(
        torch.device(device).type, torch.bfloat16, enabled=bfloat16 and has_bfloat16(device)
    )
