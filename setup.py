"""The Cython extensions and their two build switches; all else is declared in pyproject.toml.

SKAT_ENV_CHECKS=1       build with bounds, division and initialisation checks on (for debugging kernels)
SKAT_ENV_MARCH=native   the gcc/clang -march value; default x86-64-v3 (Haswell, 2013) on x86-64, "" for none
"""

import os
import platform
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

CHECKS = os.environ.get("SKAT_ENV_CHECKS", "") not in ("", "0")
MARCH = os.environ.get("SKAT_ENV_MARCH", "x86-64-v3" if platform.machine() in ("x86_64", "AMD64") else "")
PACKAGES = ("skat_env", "solvers", "agents")
EXTENSIONS = [
    Extension(".".join(path.with_suffix("").parts), [path.as_posix()])
    for package in PACKAGES
    for path in sorted(Path(package).rglob("*.pyx"))
]


class BuildExtensions(build_ext):
    """Builds every extension with the same directives and compiler flags."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.cython_directives = {
            "language_level": 3,
            "boundscheck": CHECKS,
            "wraparound": False,
            "initializedcheck": CHECKS,
            "cdivision": not CHECKS,
            "embedsignature": True,
        }
        self.parallel = self.parallel or os.cpu_count()

    def build_extension(self, ext) -> None:
        if self.compiler.compiler_type != "msvc":
            # Without fused multiply-adds results are the same on every processor and for every march.
            ext.extra_compile_args = [
                "-O3",
                "-fno-math-errno",
                "-ffp-contract=off",
                *([f"-march={MARCH}"] if MARCH else []),
            ]
        super().build_extension(ext)


setup(cmdclass={"build_ext": BuildExtensions}, ext_modules=EXTENSIONS)
