"""Collects a release: the command with manual pages and completions, licenses, checksums.

``python packaging/dist.py target/dist --command BINARY --name x86_64-linux`` adds to that folder.
"""

import argparse
import gzip
import hashlib
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

import dependencies

ROOT = pathlib.Path(__file__).resolve().parents[1]
SHELLS = {"bash": "sqfa.bash", "zsh": "_sqfa", "fish": "sqfa.fish", "powershell": "_sqfa.ps1"}
PAGES = ("README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE", "CITATION.cff")


def main() -> None:
    """Make the archive, the lists and the checksums."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--command", type=pathlib.Path, required=True, help="the stripped binary")
    parser.add_argument("--name", required=True, help="the platform, as the archive calls it")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    name = f"sqfa-{run(given.command, '--version').split()[1]}-{given.name}"
    # What is linked differs between platforms, so the platform is part of every name.
    listing = given.folder / f"{name}.dependencies.txt"
    listing.write_text(dependencies.listing(), encoding="utf-8")
    (given.folder / f"{name}.cdx.json").write_text(dependencies.sbom(), encoding="utf-8")
    archive(given.folder / f"{name}.tar.gz", given.command, listing)
    checksums(given.folder)


def run(command: pathlib.Path, *words: str) -> str:
    """What the command prints."""
    return subprocess.run([command, *words], check=True, capture_output=True, text=True).stdout


def archive(path: pathlib.Path, command: pathlib.Path, listing: pathlib.Path) -> None:
    """The binary and what belongs beside it, in one folder; the same files give the same archive."""
    name = path.name.removesuffix(".tar.gz")
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch) / name
        (root / "completions").mkdir(parents=True)
        shutil.copy(command, root / "sqfa")
        run(command, "man", "--out", str(root / "man" / "man1"))
        for shell, file in SHELLS.items():
            (root / "completions" / file).write_text(
                run(command, "completions", shell), encoding="utf-8"
            )
        for page in PAGES:
            shutil.copy(ROOT / page, root)
        shutil.copy(listing, root / "dependencies.txt")
        # A compressed file names neither itself nor the hour.
        with (
            path.open("wb") as file,
            gzip.GzipFile("", "wb", fileobj=file, mtime=0) as thin,
            tarfile.open(fileobj=thin, mode="w") as packed,
        ):
            for member in sorted(root.rglob("*")):
                if member.is_file():
                    packed.add(member, member.relative_to(scratch).as_posix(), filter=nobody)


def nobody(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """A member without the builder's name and clock."""
    entry.uid = entry.gid = entry.mtime = 0
    entry.uname = entry.gname = ""
    return entry


def checksums(folder: pathlib.Path) -> None:
    """SHA-256 of everything, as ``sha256sum -c`` reads it."""
    files = [file for file in sorted(folder.iterdir()) if file.is_file() and file.name != "SHA256SUMS"]
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files]
    (folder / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")
    print("".join(lines), end="")


if __name__ == "__main__":
    sys.exit(main())
