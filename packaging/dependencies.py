"""What the binaries are made of: licenses and versions of all crates, as ``cargo metadata`` tells them.

``check`` refuses licenses that are not on the list, versions that stand twice without a reason, and
crates that need a younger compiler than we promise. ``list FILE`` writes name, version, license and
source of every crate; ``sbom FILE`` does so as CycloneDX JSON. No network is needed.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tomllib
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[1]
# Licenses that allow what MIT and Apache-2.0 allow, with notices at most.
ALLOWED = {
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
}
# Crates that stand in the tree in more than one version, and why we cannot help it.
TWICE = {
    "equator": "assertions of faer and of two crates below it; no code of weight",
    "equator-macro": "the same",
    "hashbrown": "safetensors is one version behind indexmap",
    "miniz_oxide": "png is one version behind flate2",
    "syn": "macros at compile time only; some crates have not moved to 3",
}
# What our binaries link; tests and benchmarks may use more.
SHIPPED = ("sqfa-cli", "sqfa-python")


def packages() -> list[dict[str, Any]]:
    """Everything the shipped crates link on this platform, ours left out, sorted."""
    host = re.search(r"host: (\S+)", run("rustc", "-vV"))
    assert host is not None
    told = json.loads(
        run("cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", host[1])
    )
    known = {package["id"]: package for package in told["packages"]}
    edges = {
        node["id"]: [
            dependency["pkg"]
            for dependency in node["deps"]
            # Not what only tests or build scripts use.
            if any(kind["kind"] is None for kind in dependency["dep_kinds"])
        ]
        for node in told["resolve"]["nodes"]
    }
    waiting = [key for key, package in known.items() if package["name"] in SHIPPED]
    seen: set[str] = set()
    while waiting:
        key = waiting.pop()
        if key not in seen:
            seen.add(key)
            waiting.extend(edges[key])
    found = [known[key] for key in seen if known[key]["source"] is not None]
    return sorted(found, key=lambda package: (package["name"], package["version"]))


def run(*command: str) -> str:
    """The output of a command."""
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def allowed(expression: str) -> bool:
    """Whether a license expression offers a choice that is on the list: AND needs all, OR needs one."""
    expression = expression.replace("/", " OR ").strip()
    if expression.startswith("(") and _closes(expression) == len(expression) - 1:
        return allowed(expression[1:-1])
    for word, judge in ((" OR ", any), (" AND ", all)):
        parts = _split(expression, word)
        if len(parts) > 1:
            return judge(allowed(part) for part in parts)
    return expression in ALLOWED


def _closes(text: str) -> int:
    """Where the parenthesis that opens a text is closed."""
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return at
    return -1


def _split(text: str, word: str) -> list[str]:
    """The parts between words outside parentheses."""
    parts, depth, start, at = [], 0, 0, 0
    while at < len(text):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0 and text.startswith(word, at):
            parts.append(text[start:at])
            at = start = at + len(word)
        else:
            at += 1
    return [*parts, text[start:]]


def number(version: str) -> tuple[int, ...]:
    """A version as numbers that compare."""
    return tuple(map(int, version.split(".")))


def stated(key: str) -> str:
    """What ``workspace.package`` says of itself."""
    with (ROOT / "Cargo.toml").open("rb") as file:
        return str(tomllib.load(file)["workspace"]["package"][key])


def check() -> int:
    """Complain about licenses, doubled versions and compilers; returns how many complaints there are."""
    found = packages()
    complaints = [
        f"{package['name']} {package['version']}: license {package['license']!r} is not on the list"
        for package in found
        if not allowed(package["license"] or "")
    ]
    versions = collections.defaultdict(list)
    for package in found:
        versions[package["name"]].append(package["version"])
    for name, several in versions.items():
        if len(several) > 1 and name not in TWICE:
            complaints.append(
                f"{name} is there in versions {', '.join(several)}: settle on one, or say why"
            )
    for name in TWICE:
        if len(versions[name]) < 2:
            complaints.append(f"{name} is no longer there twice: take it off the list")
    promised = stated("rust-version")
    complaints += [
        f"{package['name']} {package['version']} needs Rust {package['rust_version']}, not {promised}"
        for package in found
        if number(package["rust_version"] or "0") > number(promised)
    ]
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    print(f"{len(found)} crates, {len({package['license'] for package in found})} license expressions")
    return len(complaints)


def listing() -> str:
    """One line a crate."""
    rows = [
        f"{package['name']} {package['version']}  {package['license']}  {package['repository'] or ''}"
        for package in packages()
    ]
    return "Crates linked into sqfa, with their licenses.\n\n" + "\n".join(rows) + "\n"


def sbom() -> str:
    """CycloneDX 1.5: https://cyclonedx.org/docs/1.5/json."""
    lock = (ROOT / "Cargo.lock").read_text(encoding="utf-8")
    pattern = r'name = "([^"]+)"\nversion = "([^"]+)"\nsource[^\n]*\nchecksum = "([^"]+)"'
    checksums = {(name, number): checksum for name, number, checksum in re.findall(pattern, lock)}
    components = [
        {
            "type": "library",
            "name": package["name"],
            "version": package["version"],
            "purl": f"pkg:cargo/{package['name']}@{package['version']}",
            "licenses": [{"expression": (package["license"] or "NONE").replace("/", " OR ")}],
            "hashes": [{"alg": "SHA-256", "content": checksums[package["name"], package["version"]]}],
        }
        for package in packages()
    ]
    told = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "sqfa", "version": stated("version")}},
        "components": components,
    }
    return json.dumps(told, indent=2) + "\n"


def main() -> int:
    """Do what the first word says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("check", "list", "sbom"))
    parser.add_argument("file", type=pathlib.Path, nargs="?")
    given = parser.parse_args()
    if given.what == "check":
        return min(check(), 1)
    given.file.write_text(listing() if given.what == "list" else sbom(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
