"""Files of lines, compressed or not, read and written as streams: no copy is unpacked."""

import bz2
import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, Final, cast

from skat_env.errors import ParseError
from skat_env.tools.files import naming

_SAMPLE_BYTES: Final = 1 << 16
"""The bytes at the start of a file that are searched for a line of a known format; a game has about 1,000 bytes."""
_BUFFER: Final = 1 << 20
_DAMAGE: Final = (
    EOFError,
    OSError,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
    # How zipfile refuses methods that it does not know, and members with a password.
    NotImplementedError,
    RuntimeError,
)
MAX_GAME_LINES: Final = 200
"""The most lines of one game: its properties, and every move on a line of its own, are fewer."""
_MAX_MORE_LINES: Final = 10_000
"""The most lines that a block may have beyond those asked for: each may close one game and begin another."""
COMPRESSED: Final = (".gz", ".bz2", ".xz", ".zip")
"""The endings of files that are written compressed. When a file is read, its content counts, not its name."""
_REFUSED: Final = {b"\x28\xb5\x2f\xfd": ("Zstandard", "zstd -d"), b"7z\xbc\xaf": ("7-Zip", "7z x")}
"""First bytes -> (kind of archive, the command that unpacks it)."""


class LineFile:
    """A context manager for a file of lines; its content shows whether it is plain, .gz, .bz2, .xz or .zip.

    Raises:
        ParseError: if it is an archive of another kind, or a .zip of more or fewer files than one; from `blocks` and
            `sample`, if it is truncated or damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.bytes = path.stat().st_size
        self._raw = path.open("rb")
        try:
            self._lines = self._open()
        except _DAMAGE as error:
            self._raw.close()
            raise ParseError(f"{path} cannot be read: {error}") from None
        except BaseException:
            self._raw.close()
            raise
        self._at_end = False

    def _open(self) -> IO[bytes]:
        """The stream of lines in the raw file."""
        begins = self._raw.read(6)
        self._raw.seek(0)
        for magic, (kind, command) in _REFUSED.items():
            if begins.startswith(magic):
                raise ParseError(
                    f"{self.path} is compressed with {kind}: unpack it with {command}, "
                    "or use .gz, .bz2, .xz or .zip"
                )
        if begins.startswith(b"\x1f\x8b"):
            return io.BufferedReader(gzip.GzipFile(fileobj=self._raw), _BUFFER)
        if begins.startswith(b"BZh"):
            return io.BufferedReader(bz2.BZ2File(self._raw), _BUFFER)
        if begins == b"\xfd7zXZ\x00":
            return io.BufferedReader(lzma.LZMAFile(self._raw), _BUFFER)
        if begins[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
            return _only_member(zipfile.ZipFile(self._raw), self.path)
        return self._raw

    def __enter__(self) -> "LineFile":
        return self

    def __exit__(self, *error: object) -> None:
        self._lines.close()
        self._raw.close()

    @property
    def position(self) -> int:
        """The number of bytes read so far, before decompression."""
        return self.bytes if self._at_end else self._raw.tell()

    def blocks(
        self, lines: int, unclosed: Callable[[Sequence[bytes]], bool] | None = None
    ) -> Iterator[tuple[int, int, bytes]]:
        """(number of the first line, number of lines, their bytes) of blocks of `lines` lines.

        Args:
            lines: the number of lines; the last block may have fewer.
            unclosed: lines, possibly none -> whether they end within a game: then the block has more
                lines, until it ends. None: no game has more than one line.
        """
        first = 1
        while True:
            try:
                block = list(islice(self._lines, lines))
                most = len(block) + _MAX_MORE_LINES
                while unclosed is not None and len(block) < most and unclosed(block):
                    line = self._lines.readline()
                    if not line:
                        break
                    block.append(line)
            except _DAMAGE as error:
                raise ParseError(f"{self.path} cannot be read beyond line {first}: {error}") from None
            if not block:
                self._at_end = True
                return
            yield first, len(block), b"".join(block)
            first += len(block)

    def sample(self) -> bytes:
        """The first bytes. It advances the file, so open the file anew to read the lines."""
        try:
            return self._lines.read(_SAMPLE_BYTES)
        except _DAMAGE as error:
            raise ParseError(f"{self.path} cannot be read: {error}") from None


def _only_member(archive: zipfile.ZipFile, path: Path) -> IO[bytes]:
    """The one file of an archive; what macOS adds to it does not count."""
    names = [each.filename for each in archive.infolist() if not each.is_dir()]
    names = [name for name in names if not name.startswith("__MACOSX/")]
    if len(names) != 1:
        raise ParseError(
            f"{path} holds {len(names)} files: expected a .zip of one file of games"
            + (f", not of {', '.join(names[:3])}{' …' if len(names) > 3 else ''}" if names else "")
        )
    return archive.open(names[0])


@contextmanager
def new_line_file(path: Path) -> Iterator[IO[bytes]]:
    """A new file of lines, compressed by the ending of its name, that gets its name only when it is complete.

    The same lines give the same bytes: there are no times in it.

    Raises:
        FileExistsError: if the file exists.
    """
    if path.exists():
        raise FileExistsError(f"{path} exists already: nothing is changed")
    partial = path.with_name(f".{path.name}.partial")
    try:
        with naming(path), partial.open("wb") as raw:
            if path.suffix == ".gz":
                with gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as file:
                    yield cast(IO[bytes], file)
            elif path.suffix == ".bz2":
                with bz2.BZ2File(raw, "wb") as file:
                    yield file
            elif path.suffix == ".xz":
                with lzma.LZMAFile(raw, "wb") as file:
                    yield file
            elif path.suffix == ".zip":
                member = zipfile.ZipInfo(path.stem)
                member.compress_type = zipfile.ZIP_DEFLATED
                with (
                    zipfile.ZipFile(raw, "w") as archive,
                    archive.open(member, "w", force_zip64=True) as file,
                ):
                    yield file
            else:
                yield raw
        partial.replace(path)
    except OSError as error:
        if error.filename != str(partial):
            raise
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        partial.unlink(missing_ok=True)
