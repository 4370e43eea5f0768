"""Draw random sentences of everything that people read, so that somebody can rate them.

``python docs/sentences.py --count 200 --seed 1`` prints the kind of text, the file and the sentence,
the same ones for the same seed. Kinds are drawn from equally often. Rate each sentence as fine, stiff,
hard to understand or wrong; somebody who did not write the texts should do it.
"""

from __future__ import annotations

import argparse
import ast
import pathlib
import random
import re
import subprocess
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parents[1]
# The fewest words of a sentence: shorter ones are headings and labels.
WORDS = 5
CONTRIBUTORS = ("CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md", "RELEASING.md")


def main() -> None:
    """Print the sample."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=200, help="number of sentences")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", nargs="*", help="only these kinds of text")
    given = parser.parse_args()
    found: dict[str, set[tuple[str, str]]] = {}
    for kind, file, text in texts():
        if not given.kinds or kind in given.kinds:
            found.setdefault(kind, set()).update((file, one) for one in sentences(text))
    generator = random.Random(given.seed)
    kinds = sorted(found)
    for at, kind in enumerate(kinds):
        share = given.count // len(kinds) + (at < given.count % len(kinds))
        pool = sorted(found[kind])
        for file, sentence in generator.sample(pool, min(share, len(pool))):
            print(f"{kind}\t{file}\t{sentence}")


def texts() -> Iterator[tuple[str, str, str]]:
    """Yield the kind of each text, its file and the text."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    for file in listed.stdout.split():
        path = ROOT / file
        if file == "README.md":
            yield "readme", file, prose(path)
        elif file == "CHANGELOG.md":
            yield "changelog", file, prose(path)
        elif file in CONTRIBUTORS:
            yield "contributors", file, prose(path)
        elif file.startswith("docs/") and file.endswith(".md"):
            yield "documentation", file, prose(path)
        elif "/tests/help/" in file and file.endswith(".txt"):
            yield "help", file, path.read_text(encoding="utf-8")
        elif file.startswith("examples/tutorials/") and file.endswith(".py"):
            lines = path.read_text(encoding="utf-8").splitlines()
            yield "tutorials", file, "\n".join(line[2:] for line in lines if line.startswith("# "))
        elif file.startswith("python/sqfa_rs/") and file.endswith(".py"):
            yield from of_python(file, path)
        elif file.startswith("crates/") and "/src/" in file and file.endswith(".rs"):
            yield from of_rust(file, path)


def prose(path: pathlib.Path) -> str:
    """Return the text of a page of Markdown without code, tables and marks."""
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    kept = [line for line in text.splitlines() if not line.lstrip().startswith(("|", "#", ":::", "!["))]
    return re.sub(r"\]\([^)]*\)", "]", "\n".join(kept)).replace("[", "").replace("]", "")


def of_python(file: str, path: pathlib.Path) -> Iterator[tuple[str, str, str]]:
    """Yield docstrings and the messages of errors and warnings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            text = re.sub(r"^\s*(>>>|\.\.\.).*$", "", ast.get_docstring(node) or "", flags=re.M)
            yield "docstrings", file, text
        elif isinstance(node, ast.Raise) and node.exc is not None:
            parts = [one.value for one in ast.walk(node.exc) if isinstance(one, ast.Constant)]
            yield "messages", file, " … ".join(part for part in parts if isinstance(part, str))


def of_rust(file: str, path: pathlib.Path) -> Iterator[tuple[str, str, str]]:
    """Yield doc comments and the messages of error types."""
    text = path.read_text(encoding="utf-8")
    for block in re.findall(r"((?:^[ \t]*//[/!].*\n)+)", text, flags=re.M):
        lines = re.sub(r"^[ \t]*//[/!] ?", "", block, flags=re.M)
        yield "doc comments", file, re.sub(r"^```.*?^```", "", lines, flags=re.M | re.S)
    for found in re.findall(r"#\[error\(\s*\"((?:[^\"\\]|\\.)*)\"", text):
        yield "messages", file, found


def sentences(text: str) -> list[str]:
    """Return the sentences of a text that are long enough to be rated."""
    found = []
    for paragraph in re.split(r"\n\s*\n|\n\s*(?=[-*] |\d+\. )", text):
        joined = " ".join(paragraph.split())
        for one in re.split(r"(?<=[.!?])\s+(?=[A-Z`*])", joined):
            if len(re.findall(r"[A-Za-z]{2,}", one)) >= WORDS:
                found.append(one.strip("-* "))
    return found


if __name__ == "__main__":
    main()
