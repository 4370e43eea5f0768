"""Every block of code in the documents runs: Python, shell with the command, Rust by doctests.

A ``text`` block that follows a block of Python or shell is its output. ``UPDATE_SNAPSHOTS=1`` writes
it again.
"""

import contextlib
import gzip
import io
import os
import pathlib
import re
import struct
import subprocess
import sys
import tomllib

import numpy as np
import pytest
from patience import PATIENCE
from sklearn.datasets import load_digits, load_wine

ROOT = pathlib.Path(__file__).parents[2]
if not (ROOT / "docs").exists():
    pytest.skip("the documents are not part of this installation", allow_module_level=True)
COMMAND = pathlib.Path(os.environ.get("SQFA_COMMAND", ROOT / "target" / "debug" / "sqfa"))
PAGES = [ROOT / "README.md", ROOT / "python" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", flags=re.M | re.S)
BLOCKS = [
    (page.relative_to(ROOT).as_posix(), language, text)
    for page in PAGES
    for language, text in FENCE.findall(page.read_text(encoding="utf-8"))
]
# Pages whose Rust is compiled by the doctests of the crate.
COMPILED = re.findall(
    r'include_str!\("\.\./\.\./\.\./([^"]+)"\)', (ROOT / "crates/sqfa/src/lib.rs").read_text("utf-8")
)
# Lines that take hours.
HEAVY = ("sqfa-paper all", "cargo build")
# A place for the user's own data, and numbers that would take minutes.
SMALLER = {"compare DATA": "compare data.csv", ":1000": ":60", "--seeds 10": "--seeds 1"}

# A block, at most a paragraph, and the output of the block.
SHOWN = re.compile(
    r"^```(python|sh)\n((?:(?!```).*\n)*)```\n\n(?:[^`\n][^\n]*\n(?:[^`\n][^\n]*\n)*\n)?```text\n((?:(?!```).*\n)*)```$",
    flags=re.M,
)
OUTPUTS = [
    pytest.param(page, language, text, output, id=f"{page.relative_to(ROOT).as_posix()}-{at}")
    for page in PAGES
    for at, (language, text, output) in enumerate(SHOWN.findall(page.read_text(encoding="utf-8")))
]


def blocks(language):
    """The blocks of a language, by page and place."""
    found = [(page, text) for page, own, text in BLOCKS if own == language]
    return [pytest.param(page, text, id=f"{page}-{at}") for at, (page, text) in enumerate(found)]


def test_every_block_is_in_a_language_that_runs():
    assert {language for _, language, _ in BLOCKS} <= {"python", "sh", "rust", "text"}
    # Other text is the output of the block above it. This page shows two packages side by side.
    texts = [page for page, language, _ in BLOCKS if language == "text"]
    outputs = [parameters.values[0].relative_to(ROOT).as_posix() for parameters in OUTPUTS]
    assert sorted(texts) == sorted([*outputs, "docs/user-guide/migrating.md"])


@pytest.mark.parametrize(("page", "text"), blocks("rust"))
def test_rust(page, text):
    if page in COMPILED:
        return
    # Otherwise it is taken from the crate's own example, which is compiled and run.
    example = (ROOT / "crates/sqfa/src/lib.rs").read_text(encoding="utf-8").replace("//!", "")
    assert "".join(text.split()) in "".join(example.split())


@pytest.mark.parametrize(("page", "text"), blocks("python"))
def test_python(page, text, tmp_path, monkeypatch):
    if ">>>" in text:
        pytest.skip("test_docs runs what is written as a session, test_dask what needs Dask")
    if "spark" in text or "sqfa_rs.ray" in text:
        pytest.skip("test_spark and test_ray run these")
    monkeypatch.chdir(tmp_path)
    names = dict(zip(("X", "y"), load_digits(return_X_y=True), strict=True))
    if "loss.backward" in text or "import torch" in text:
        torch = pytest.importorskip("torch", reason="PyTorch is not installed: make test-torch")
        from sqfa_rs.torch import separation_loss

        points, labels = (torch.tensor(part[:300]) for part in (names["X"], names["y"]))
        network = torch.nn.Linear(64, 3, dtype=torch.float64)
        names |= {"points": points, "labels": labels, "network": network}
        names["separation_loss"] = separation_loss
    exec(text, names)
    if "model" in names:
        model = names["model"]
        fitted = model if hasattr(model, "components_") else model.fit(names["X"], names["y"])
        assert fitted.components_.shape[1] == 64


@pytest.mark.skipif(not COMMAND.exists(), reason="the command sqfa was not built; set SQFA_COMMAND")
@pytest.mark.parametrize(("page", "text"), blocks("sh"))
def test_shell(page, text, tmp_path):
    lines = []
    for line in text.splitlines():
        if line.startswith("make "):
            word = line.split()[1]
            assert re.search(rf"^{word}:", (ROOT / "Makefile").read_text("utf-8"), flags=re.M)
        elif line.startswith("pip install "):
            project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
            assert line.split()[2] in {project["name"], "."}
        elif not line.startswith(HEAVY):
            for written, small in SMALLER.items():
                line = line.replace(written, small)
            lines.append(line)
    if not lines:
        return
    prepare(tmp_path, "species" if "species" in text else "class")
    shell("\n".join(lines), tmp_path)
    for named in re.findall(r"--(?:out|report) (\S+)", "\n".join(lines)):
        assert (tmp_path / named.replace("$K", "1")).exists(), named


def shell(script, folder):
    """What a script prints that calls the command ``sqfa``."""
    bin_folder = folder / "bin"
    bin_folder.mkdir()
    (bin_folder / "sqfa").symlink_to(COMMAND)
    (bin_folder / "sqfa-paper").symlink_to(COMMAND.with_name("sqfa-paper"))
    path = f"{bin_folder}:{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", f"set -eu\n{script}"],
        cwd=folder,
        env=os.environ | {"PATH": path, "SLURM_ARRAY_TASK_ID": "1"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(("page", "language", "text", "output"), OUTPUTS)
def test_outputs_are_those_shown(page, language, text, output, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if language == "python":
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(text, {})
        actual = printed.getvalue()
    elif not COMMAND.exists():
        pytest.skip("the command sqfa was not built; set SQFA_COMMAND")
    else:
        actual = shell(text, tmp_path)
    actual = actual.replace(str(tmp_path), "/home/you")
    actual = "".join(f"{line.rstrip()}\n" for line in actual.splitlines())
    if os.environ.get("UPDATE_SNAPSHOTS"):
        before = page.read_text(encoding="utf-8")
        shown = f"```text\n{output}```"
        page.write_text(before.replace(shown, f"```text\n{actual}```", 1), encoding="utf-8")
    else:
        assert without_numbers(output) == without_numbers(actual)


def without_numbers(text):
    """The words of an output, which do not depend on the machine or its load."""
    return re.sub(r"\s+", " ", re.sub(r"\d[\d.e-]*( m?s\b)?", "#", text)).strip()


def prepare(folder, label):
    """Every file that a page names, small."""
    rng = np.random.default_rng(0)
    wine = load_wine(as_frame=True)
    frame = wine.frame.rename(columns={"target": "cultivar"})
    frame.to_csv(folder / "wine.csv", index=False)
    frame.iloc[::3].to_csv(folder / "test.csv", index=False)

    X = rng.normal(size=(180, 9)) * (1 + np.arange(180)[:, None] % 3)
    species = np.array(["setosa", "versicolor", "virginica"])[np.arange(180) % 3]
    write(folder / "data.csv", X, species, label)
    for part in ("1", "2", "3"):
        (folder / "parts").mkdir(exist_ok=True)
        write(folder / "parts" / f"{part}.csv", X, species, "species")
        data = (folder / "parts" / f"{part}.csv").read_bytes()
        (folder / f"part-{part}.csv.gz").write_bytes(gzip.compress(data))
    (folder / "sums").mkdir()
    write(folder / "table.csv", np.column_stack([X, np.arange(180) % 4 + 1]), species, "class", "count")
    np.save(folder / "big.npy", X)
    np.save(folder / "y.npy", np.arange(180) % 3)
    for day in ("monday", "tuesday"):
        subprocess.run(
            [
                COMMAND,
                "stats",
                folder / "data.csv",
                "--label",
                label,
                "--out",
                folder / f"{day}.stats",
            ],
            check=True,
            capture_output=True,
        )
    # Sums of jobs that are done.
    for job, day in (("7", "monday"), ("8", "tuesday")):
        (folder / "sums" / f"{job}.stats").write_bytes((folder / f"{day}.stats").read_bytes())
    digits, labels = load_digits(return_X_y=True)
    # Four by four pixels, as many as the most filters that a page asks for.
    images = digits.reshape(-1, 4, 2, 4, 2).sum(axis=(2, 4)).astype(np.uint8)
    (folder / "mnist").mkdir()
    for name, rows in (("train", slice(0, 300)), ("t10k", slice(300, 400))):
        idx(folder / "mnist" / f"{name}-images-idx3-ubyte", images[rows])
        idx(folder / "mnist" / f"{name}-labels-idx1-ubyte", labels[rows].astype(np.uint8))
    np.savez(folder / "new.npz", X=images[:20].reshape(20, 16))
    # Two pages call what has no labels the same: columns of both, of which each model takes its own.
    unlabeled = frame.drop(columns="cultivar").iloc[:20].reset_index(drop=True)
    for column in range(9):
        unlabeled[f"x{column}"] = X[:20, column]
    unlabeled.to_csv(folder / "new.csv", index=False)


def write(path, X, labels, label, last=None):
    """A table with named columns; the last one may have a name of its own."""
    names = [f"x{column}" for column in range(X.shape[1])]
    if last is not None:
        names[-1] = last
    rows = [",".join([*names, label])]
    rows += [
        ",".join([*(f"{value:g}" for value in row), name]) for row, name in zip(X, labels, strict=True)
    ]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")


def idx(path, array):
    """An IDX file of bytes, as the digits are distributed."""
    head = struct.pack(">HBB", 0, 8, array.ndim) + struct.pack(f">{array.ndim}I", *array.shape)
    path.write_bytes(head + np.ascontiguousarray(array).tobytes())
