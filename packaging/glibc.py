"""Whether wheels and binaries run where their tag says: glibc's symbols and the libraries they load.

``python packaging/glibc.py 2.28 FILE…`` reads the shared objects of wheels (or ELF files themselves) and
refuses symbols of a younger glibc and libraries that PEP 600 does not count on.
"""

import argparse
import pathlib
import re
import struct
import sys
import zipfile
from collections.abc import Iterator

# What a manylinux system has (PEP 513, PEP 600), as far as Rust asks for it.
SYSTEM = re.compile(r"(libc|libm|libdl|libpthread|librt|libutil|libgcc_s|ld-linux[\w-]*)\.so(\.\d+)*")
DYNAMIC, NEEDED, STRINGS = 2, 1, 5


def objects(path: pathlib.Path) -> Iterator[tuple[str, bytes]]:
    """The ELF files of a wheel, or the file itself."""
    if path.suffix != ".whl":
        yield path.name, path.read_bytes()
        return
    with zipfile.ZipFile(path) as wheel:
        for name in wheel.namelist():
            if name.endswith(".so"):
                yield f"{path.name}: {name}", wheel.read(name)


def youngest(data: bytes) -> tuple[int, ...]:
    """The youngest version of glibc whose symbols a file names."""
    found = re.findall(rb"\0GLIBC_(\d+(?:\.\d+)+)(?=\0)", data)
    return max((tuple(map(int, version.split(b"."))) for version in found), default=(0,))


def needed(data: bytes) -> list[str]:
    """The libraries that a 64-bit little-endian ELF file loads (DT_NEEDED)."""
    if data[:6] != b"\x7fELF\x02\x01":
        raise ValueError("not a 64-bit little-endian ELF file")
    (start,) = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    headers = [struct.unpack_from("<IIQQQQQQ", data, start + size * at) for at in range(count)]
    segments = [(header[3], header[2], header[5]) for header in headers if header[0] == 1]
    entries = [
        struct.unpack_from("<QQ", data, at)
        for header in headers
        if header[0] == DYNAMIC
        for at in range(header[2], header[2] + header[5], 16)
    ]
    address = next((value for tag, value in entries if tag == STRINGS), 0)
    offset = next((address - v + o for v, o, size in segments if v <= address < v + size), 0)
    names = (data[offset + value :].split(b"\0", 1)[0] for tag, value in entries if tag == NEEDED)
    return [name.decode() for name in names]


def complaints(name: str, data: bytes, allowed: tuple[int, ...]) -> list[str]:
    """What keeps a file from running on a system with this glibc."""
    told = []
    if youngest(data) > allowed:
        own, most = (".".join(map(str, version)) for version in (youngest(data), allowed))
        told.append(f"{name} needs glibc {own}, younger than {most}")
    told += [
        f"{name} loads {library}, which not every system has"
        for library in needed(data)
        if not SYSTEM.fullmatch(library)
    ]
    return told


def main() -> int:
    """Complain about every file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("glibc", help="the oldest glibc, as 2.28")
    parser.add_argument("files", type=pathlib.Path, nargs="+")
    given = parser.parse_args()
    allowed = tuple(map(int, given.glibc.split(".")))
    bad = False
    for path in given.files:
        for name, data in objects(path):
            told = complaints(name, data, allowed)
            bad = bad or bool(told)
            own = ".".join(map(str, youngest(data)))
            print("\n".join(told) or f"{name}: glibc {own}, {', '.join(needed(data))}")
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
