"""The Cython extensions and their three build switches; all else is declared in pyproject.toml.

SKAT_ENV_MARCH=native   the -march value of gcc and clang, "" for the compiler's own. Default on x86-64: the level of
                        the processor that builds, x86-64-v3 (Haswell, 2013), x86-64-v2 (Nehalem, 2008) or neither
SKAT_ENV_CHECKS=1       build with bounds, division and initialisation checks on (for debugging kernels)
SKAT_ENV_SANITIZE=1     build with gcc's address and undefined-behaviour sanitizers, which end the process at the first
                        fault; Python then needs LD_PRELOAD of libasan: `make sanitize`

Results are the same for every value: docs/experiments.md has what each costs.
"""

import hashlib
import os
import platform
import subprocess
import sys
from pathlib import Path

import Cython
from setuptools import Extension, setup
from setuptools.command.build import build
from setuptools.command.build_ext import build_ext

LEVELS = {
    "x86-64-v3": {"avx2", "bmi1", "bmi2", "fma", "f16c", "movbe", "abm"},
    "x86-64-v2": {"cx16", "popcnt", "sse4_2", "ssse3"},
}
"""Levels of x86-64, the highest first, with the flags of /proc/cpuinfo that tell them."""


def own_level() -> str:
    """The highest level of this processor; empty if none is known."""
    cpuinfo = Path("/proc/cpuinfo")
    if platform.machine() not in ("x86_64", "AMD64") or not cpuinfo.exists():
        return ""
    lines = cpuinfo.read_text().splitlines()
    flags = next((set(line.split()) for line in lines if line.startswith("flags")), set())
    return next((level for level, needed in LEVELS.items() if needed <= flags), "")


CHECKS = os.environ.get("SKAT_ENV_CHECKS", "") not in ("", "0")
SANITIZE = os.environ.get("SKAT_ENV_SANITIZE", "") not in ("", "0")
MARCH = os.environ.get("SKAT_ENV_MARCH", own_level())
# Without fused multiply-adds results are the same on every processor and for every march.
FLAGS = ("-O3", "-fno-math-errno", "-ffp-contract=off", "-g" if CHECKS else "-g0")
LINK_FLAGS: tuple[str, ...] = ()
if SANITIZE:
    LINK_FLAGS = ("-fsanitize=address,undefined",)
    # Less optimised code compiles in half the time. Python builds with -fwrapv, which would define signed overflow and
    # shifts of negative numbers: nothing of ours may need it.
    FLAGS = (
        "-O1",
        *FLAGS[1:3],
        "-g1",
        "-fno-wrapv",
        "-fno-omit-frame-pointer",
        *LINK_FLAGS,
        "-fno-sanitize-recover=all",
    )
PACKAGES = ("skat_env", "skat_env/solvers", "skat_env/agents")
"""The last two are links in the checkout, which a search for files does not follow."""
PROCESSOR = "skat_env._processor"
"""Checks that a processor has MARCH, so it must run on any; knows what all were compiled from."""
EXTENSIONS = [
    Extension(".".join(path.with_suffix("").parts), [path.as_posix()])
    for path in sorted({path for package in PACKAGES for path in Path(package).rglob("*.pyx")})
]
SHARED = "skat_env._cyutility"
"""Cython's own code for views of memory, once: a module that has a copy of its own takes twice as long to compile."""
SOURCES = sorted({path for package in PACKAGES for path in Path(package).rglob("*.p[yx][xd]")})


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
        self.cython_c_in_temp = True
        self.parallel = self.parallel or os.cpu_count()

    def run(self) -> None:
        """Builds what is older than its sources, or all if the last build had other switches."""
        if self.editable_mode:
            # Not in the fresh folders of an editable install, where nothing is up to date.
            plain = build(self.distribution)
            plain.ensure_finalized()
            self.build_lib, self.build_temp = plain.build_platlib, plain.build_temp
        switches = f"{FLAGS} {MARCH} {self.cython_directives} Cython {Cython.__version__}\n"
        stamp = Path(self.build_temp) / "switches"
        if not stamp.exists() or stamp.read_text() != switches:
            stamp.unlink(missing_ok=True)
            self.force = True
        shared = Path(self.build_temp, "_cyutility.c")
        if self.force or not shared.exists():
            shared.parent.mkdir(parents=True, exist_ok=True)
            # Not in a thread of this process: Cython writes it under a switch that is the same for all threads.
            subprocess.run(
                [sys.executable, "-m", "cython", "-3", "--generate-shared", str(shared)], check=True
            )
        self.ext_map[SHARED].sources = [str(shared)]
        # 20: what pip shows with -v.
        self.announce(f"compiling {len(self.extensions)} extensions on {self.parallel} cores", 20)
        super().run()
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(switches)

    def build_extension(self, ext) -> None:
        ext.extra_compile_args, ext.extra_link_args = list(FLAGS), list(LINK_FLAGS)
        if ext.name != SHARED:
            ext.shared_utility_qualified_name = SHARED
        if ext.name == PROCESSOR:
            texts = b"".join(path.read_bytes() for path in SOURCES)
            ext.define_macros = [
                ("SKAT_ENV_MARCH", f'"{MARCH}"'),
                ("SKAT_ENV_SOURCES", f'"{hashlib.sha256(texts).hexdigest()}"'),
            ]
            ext.depends = [path.as_posix() for path in SOURCES]
        elif MARCH:
            ext.extra_compile_args.append(f"-march={MARCH}")
        super().build_extension(ext)


setup(cmdclass={"build_ext": BuildExtensions}, ext_modules=[Extension(SHARED, []), *EXTENSIONS])
