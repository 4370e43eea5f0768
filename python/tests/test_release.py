"""What a release consists of agrees with itself: versions, places, licenses, workflows."""

import importlib.metadata
import importlib.util
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib

import pytest

import sqfa_rs

ROOT = pathlib.Path(__file__).parents[2]
if not (ROOT / "Cargo.lock").exists() or not (ROOT / "packaging").exists():
    pytest.skip("the repository is not part of this installation", allow_module_level=True)
yaml = pytest.importorskip("yaml")
WORKSPACE = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]
ABOUT = WORKSPACE["package"]
CRATES = sorted(path for path in (ROOT / "crates").iterdir() if (path / "Cargo.toml").exists())


def manifest(crate):
    return tomllib.loads((crate / "Cargo.toml").read_text(encoding="utf-8"))


def test_one_version_everywhere():
    for name, dependency in WORKSPACE["dependencies"].items():
        if isinstance(dependency, dict) and "path" in dependency:
            assert dependency["version"] == ABOUT["version"], name
    assert f"version: {ABOUT['version']}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    for crate in CRATES:
        assert manifest(crate)["package"]["version"] == {"workspace": True}, crate.name


def test_the_package_has_the_version_of_the_crates():
    spelled = sqfa_rs.__version__
    assert sqfa_rs._core.__version__ == ABOUT["version"]
    assert importlib.metadata.version("sqfa-rs") == spelled
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev0)?", spelled)


def test_a_released_version_has_a_date_and_a_development_version_has_none():
    released = "-dev" not in ABOUT["version"]
    assert ("date-released:" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")) is released
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    dated = rf"{re.escape(ABOUT['version'])}, \d{{4}}-\d\d-\d\d"
    assert re.search(rf"^## {dated if released else 'Unreleased'}$", changes, flags=re.M)


def test_one_place_everywhere():
    places = {ABOUT["repository"], ABOUT["homepage"], ABOUT["documentation"]}
    for page in ("python/README.md", "CITATION.cff", "README.md", "pyproject.toml"):
        text = (ROOT / page).read_text(encoding="utf-8")
        for place in re.findall(r"https://[\w./-]*sqfa[\w./-]*", text):
            assert place.rstrip(".") in places, f"{page}: {place}"


@pytest.mark.parametrize("crate", CRATES, ids=lambda crate: crate.name)
def test_crates_to_publish_say_what_they_are(crate):
    told = manifest(crate)["package"]
    if told.get("publish") is False:
        return
    for key in ("description", "keywords", "categories", "repository", "homepage", "readme", "license"):
        assert key in told, key
    for name in ("LICENSE-MIT", "LICENSE-APACHE"):
        assert (crate / name).read_bytes() == (ROOT / name).read_bytes()


@pytest.mark.skipif(shutil.which("cargo") is None, reason="no cargo")
@pytest.mark.parametrize("crate", CRATES, ids=lambda crate: crate.name)
def test_a_packaged_crate_has_what_its_sources_read(crate):
    if manifest(crate)["package"].get("publish") is False:
        return
    listed = subprocess.run(
        ["cargo", "package", "--list", "--allow-dirty", "--offline", "-p", crate.name],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    packed = set(listed.stdout.split())
    assert {"README.md", "LICENSE-MIT", "LICENSE-APACHE", "Cargo.toml"} <= packed
    for source in sorted((crate / "src").rglob("*.rs")):
        for named in re.findall(
            r'include_(?:str|bytes)!\("([^"]+)"\)', source.read_text(encoding="utf-8")
        ):
            file = (source.parent / named).resolve()
            # Pages of the repository are read by its doctests alone.
            if file.suffix != ".md":
                assert file.relative_to(crate).as_posix() in packed, named


def packaging(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "packaging" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("expression", "fine"),
    [
        ("MIT", True),
        ("MIT OR Apache-2.0", True),
        ("MIT/Apache-2.0", True),
        ("GPL-3.0", False),
        ("GPL-3.0 OR MIT", True),
        ("GPL-3.0 AND MIT", False),
        ("(GPL-3.0 OR MIT) AND Zlib", True),
        ("(GPL-3.0 AND MIT) OR LGPL-2.1", False),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", True),
        ("Apache-2.0 WITH LLVM-exception OR GPL-2.0", True),
        ("", False),
    ],
)
def test_license_expressions(expression, fine):
    assert packaging("dependencies").allowed(expression) is fine


@pytest.mark.skipif(shutil.which("cargo") is None, reason="no cargo")
def test_the_list_of_dependencies_is_that_of_the_lock_file():
    told = json.loads(packaging("dependencies").sbom())
    assert told["metadata"]["component"]["version"] == ABOUT["version"]
    names = {part["name"] for part in told["components"]}
    assert {"faer", "rayon", "clap", "pyo3"} <= names
    # What only tests use is not shipped; what is ours is no dependency.
    assert not names & {"proptest", "sqfa", "sqfa-io"}
    lock = (ROOT / "Cargo.lock").read_text(encoding="utf-8")
    for part in told["components"]:
        assert part["hashes"][0]["content"] in lock and part["licenses"][0]["expression"]


FILES = sorted((ROOT / ".github").rglob("*.yml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_workflows_call_words_of_the_makefile(file):
    told = yaml.safe_load(file.read_text(encoding="utf-8"))
    words = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.M))
    for job in told.get("jobs", {}).values():
        assert {"runs-on", "steps"} <= set(job)
        for step in job["steps"]:
            assert ("run" in step) != ("uses" in step)
            # Text from outside never becomes part of a script.
            assert "${{" not in step.get("run", "")
            for word in re.findall(r"make ([\w-]+)", step.get("run", "")):
                assert word in words, word
    if "jobs" in told:
        assert "permissions" in told


def test_the_oldest_rust_is_the_one_that_is_tried():
    text = (ROOT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8")
    assert f"cargo +{ABOUT['rust-version']} check" in text


def test_versions_of_compilers_are_compared_as_numbers():
    number = packaging("dependencies").number
    assert number("1.89") < number("1.100") and number("1.89") < number("1.89.1")


def test_artifacts_of_two_platforms_do_not_share_names():
    """The release is one folder: what differs between platforms is named after the platform."""
    text = (ROOT / "packaging" / "dist.py").read_text(encoding="utf-8")
    written = re.findall(r"given\.folder / (\S+)", text)
    assert written and all("{name}" in file for file in written), written


def test_python_versions_agree():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    oldest = project["requires-python"].removeprefix(">=")
    assert f"Programming Language :: Python :: {oldest}" in project["classifiers"]
    assert f'"{oldest}"' in (ROOT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8")
    assert sys.version_info >= tuple(map(int, oldest.split(".")))
    assert f"abi3-py{oldest.replace('.', '')}" in WORKSPACE["dependencies"]["pyo3"]["features"]


def test_versions_of_glibc_are_compared_as_numbers():
    glibc = packaging("glibc")
    assert glibc.youngest(b"x\0GLIBC_2.9\0GLIBC_2.30\0GLIBC_PRIVATE\0GLIBC_2.4\0") == (2, 30)
    assert glibc.youngest(b"nothing") == (0,)
    for name, known in (
        ("libc.so.6", True),
        ("ld-linux-x86-64.so.2", True),
        ("libopenblas.so.0", False),
    ):
        assert bool(glibc.SYSTEM.fullmatch(name)) is known


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="glibc is Linux's")
def test_what_a_shared_object_needs_is_read(tmp_path):
    import zipfile

    from sqfa_rs import _core

    glibc = packaging("glibc")
    own = pathlib.Path(_core.__file__)
    assert "libc.so.6" in glibc.needed(own.read_bytes())
    with zipfile.ZipFile(tmp_path / "own.whl", "w") as wheel:
        wheel.write(own, "sqfa_rs/_core.abi3.so")
    [(name, data)] = glibc.objects(tmp_path / "own.whl")
    assert glibc.complaints(name, data, (99, 0)) == []
    [told] = glibc.complaints(name, data, (2, 1))
    assert "younger than 2.1" in told
    with pytest.raises(ValueError, match="ELF"):
        glibc.needed(b"PE\0\0 and so on")
