# The words of this project: demo · test · check · bench (bench-peers, fuzz and soak are never part of the tests).
# test-parquet is on its own because parquet takes longer to build than the rest of the tests' dependencies.
.PHONY: help demo test test-rust test-python test-matrix test-oldest test-parquet test-spark test-ray test-torch nightly wheel-installed check deny coverage bench bench-memory bench-peers fuzz soak \
	docs docs-serve docs-test wheel dist packages clean

# Folder that holds mnist/, svhn/svhn_gray.npz and natural/gray.npz, for benchmarks only.
DATA ?= data
DATE ?= $(shell date +%F)
VENV ?= .venv
PORT ?= 8000
PYTHON ?= python3
export CARGO_TERM_COLOR ?= auto
TARGET := $(or $(CARGO_TARGET_DIR),target)

help:
	@echo "make demo        compare methods on built-in data and write a report to look at"
	@echo "make test        every test, installing what they need"
	@echo "make test-parquet the reader of parquet tables, a feature that other builds leave out"
	@echo "make test-spark  the estimators on a Spark of two executors (downloads Spark, needs Java)"
	@echo "make test-ray    the statistics on a Ray of two workers (downloads Ray)"
	@echo "make test-torch  the loss of PyTorch (downloads PyTorch)"
	@echo "make test-matrix every method on all kinds of data and settings, by the command and by the package"
	@echo "make test-oldest the Python tests with the oldest NumPy, SciPy and scikit-learn that are supported"
	@echo "make nightly     all tests that make test leaves out: the matrix, the oldest packages, parquet, Spark, Ray, PyTorch"
	@echo "make check       formatting, lints, documentation"
	@echo "make deny        known faults, licenses and sources of all dependencies (cargo-deny, needs the network)"
	@echo "make coverage    lines that the Rust tests run, as a figure and as pages in target/coverage (cargo-llvm-cov)"
	@echo "make docs        the documentation site in target/site; docs-serve shows it, docs-test tries it in a browser"
	@echo "make wheel       a wheel for all Linux of the last years, and a source distribution"
	@echo "make dist        everything a release consists of, in target/dist"
	@echo "make bench       benchmarks (DATA=folder), dated records in benchmarks/runs"
	@echo "make bench-peers the same problems with the authors' Python package (downloads torch)"
	@echo "make fuzz        coverage-guided fuzzing of every file reader (SECONDS each)"
	@echo "make soak        random kills, mutants and fuzzing for MINUTES, a dated record in benchmarks/runs"

# Ends with the path of the report.
demo:
	mkdir -p $(TARGET)/demo
	cargo run --release -p sqfa-cli -- demo --report $(TARGET)/demo/speed.html

test: test-rust test-python

test-rust:
	cargo test --workspace

test-parquet:
	cargo test -p sqfa-io --features parquet --test parquet

# What the Python tests and checks need, in an environment of their own.
$(VENV)/.ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --disable-pip-version-check "maturin>=1.9,<2" pytest numpy scipy scikit-learn \
		pandas polars pyarrow matplotlib playwright mypy ruff "dask[array,dataframe]" distributed \
		pynwb xarray array-api-strict numpydoc
	touch $@

# The browser of the report's tests, installed where that asks for no password; without one they are skipped loudly, and on
# CI they fail.
$(VENV)/.browser: $(VENV)/.ready
	command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
		&& apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; } \
		|| echo "no chromium: the report will not be tested in a browser"
	touch $@

# The wheel is built on the same profile and in the same target folder as the Rust tests.
test-python: wheel-installed $(VENV)/.browser
	SQFA_COMMAND=$(abspath $(TARGET))/debug/sqfa $(VENV)/bin/pytest -q --ignore python/tests/test_spark.py --ignore python/tests/test_ray.py \
		--ignore python/tests/test_torch.py

wheel-installed: $(VENV)/.ready
	test -x $(TARGET)/debug/sqfa || cargo build --workspace --bins
	rm -f $(TARGET)/wheels/*.whl
	CARGO_TARGET_DIR=$(TARGET) $(VENV)/bin/maturin build --quiet --profile dev --interpreter $(VENV)/bin/python \
		--out $(TARGET)/wheels
	$(VENV)/bin/pip install --quiet --disable-pip-version-check --force-reinstall --no-deps $(TARGET)/wheels/sqfa_rs-*.whl

# All cells, of which test-python runs a sample.
test-matrix: wheel-installed
	SQFA_MATRIX=all $(VENV)/bin/pytest -q python/tests/test_matrix.py

# The lower bounds of pyproject.toml, those of the extra `all` included. Tests that need other packages are skipped. The wheel is that of
# the other tests.
OLDEST := $(TARGET)/oldest
test-oldest: wheel-installed
	test -x $(OLDEST)/bin/python || $(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/pip install --quiet --disable-pip-version-check pytest polars \
		$$($(PYTHON) packaging/oldest.py) $(TARGET)/wheels/sqfa_rs-*.whl
	$(OLDEST)/bin/pip install --quiet --disable-pip-version-check --force-reinstall --no-deps $(TARGET)/wheels/sqfa_rs-*.whl
	SQFA_COMMAND=$(abspath $(TARGET))/debug/sqfa $(OLDEST)/bin/python -m pytest -q python/tests \
		--ignore python/tests/test_spark.py --ignore python/tests/test_ray.py --ignore python/tests/test_torch.py

# Engines of their own, in the same environment: 0.5 GB each, so not part of every test run.
test-spark: wheel-installed
	command -v java >/dev/null || { echo "Spark needs Java 17: install it first"; exit 1; }
	$(VENV)/bin/pip install --quiet --disable-pip-version-check "pyspark[connect]>=4.1"
	$(VENV)/bin/pytest -q python/tests/test_spark.py

test-ray: wheel-installed
	$(VENV)/bin/pip install --quiet --disable-pip-version-check "ray[data]>=2.40"
	$(VENV)/bin/pytest -q python/tests/test_ray.py

test-torch: wheel-installed
	$(VENV)/bin/pip install --quiet --disable-pip-version-check "torch>=2.2"
	$(VENV)/bin/pytest -q python/tests/test_torch.py python/tests/test_blocks.py -k 'not shell'

# What make test leaves out because of Java, downloads or time; one after the other, and to the end whatever fails.
nightly:
	@failed=; for word in test-matrix test-oldest test-parquet test-spark test-ray test-torch; do \
		echo "== $$word"; $(MAKE) --no-print-directory $$word || failed="$$failed $$word"; done; \
	if [ -n "$$failed" ]; then echo "failed:$$failed"; exit 1; fi; echo "all passed"

# Linters of workflow files, which cannot run here; neither asks the network.
$(VENV)/.workflows: $(VENV)/.ready
	$(VENV)/bin/pip install --quiet --disable-pip-version-check "check-jsonschema>=0.33" "zizmor>=1.16"
	touch $@

check: $(VENV)/.ready $(VENV)/.workflows
	cargo fmt --all -- --check
	cargo clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet
	$(VENV)/bin/ruff check python examples benchmarks docs packaging
	$(VENV)/bin/ruff format --check python examples benchmarks docs packaging
	$(VENV)/bin/mypy
	$(VENV)/bin/python packaging/dependencies.py check
	$(VENV)/bin/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(VENV)/bin/check-jsonschema --quiet --builtin-schema vendor.dependabot .github/dependabot.yml
	$(VENV)/bin/zizmor --quiet --offline .github

# Not part of check: the database of advisories comes from the network.
deny:
	cargo deny --version >/dev/null || { echo "first: cargo install cargo-deny --locked"; exit 1; }
	cargo deny check

# Once per release; no test depends on the figure. The last line of the table is the total.
coverage:
	cargo llvm-cov --version >/dev/null || { echo "first: rustup component add llvm-tools && cargo install cargo-llvm-cov --locked (or set LLVM_COV and LLVM_PROFDATA to those of LLVM 19 or newer)"; exit 1; }
	cargo llvm-cov --workspace --exclude sqfa-bench --exclude sqfa-python --html --output-dir $(TARGET)/coverage
	cargo llvm-cov report

bench:
	cargo build --release -p sqfa-bench
	target/release/sqfa-bench kernels --out benchmarks/runs --date $(DATE)
	target/release/sqfa-bench scaling --out benchmarks/runs --date $(DATE)
	target/release/sqfa-bench growth --out benchmarks/runs --date $(DATE)
	target/release/sqfa-bench fits --data $(DATA) --out benchmarks/runs --date $(DATE)
	target/release/sqfa-bench accuracy --set mnist --data $(DATA) --out benchmarks/runs --date $(DATE)
	target/release/sqfa-bench accuracy --set svhn --data $(DATA) --out benchmarks/runs --date $(DATE)

bench-peers:
	benchmarks/peers/run.sh $(DATA) $(DATE)

SECONDS ?= 60
fuzz:
	fuzz/run.sh $(SECONDS)

MINUTES ?= 10
# Half of the time kills and mutants, half fuzzing; without cargo-fuzz (FUZZ=) all of it kills and mutants.
FUZZ ?= fuzz/run.sh
soak:
	cargo build -p sqfa-cli -p sqfa-paper
	cargo test -p sqfa-lab --test mutants --no-run
	$(PYTHON) benchmarks/soak.py --minutes $(MINUTES) --command $(TARGET)/debug/sqfa \
		--mutants "$$(ls -t $(TARGET)/debug/deps/mutants-* | grep -v '\.d$$' | head -1)" \
		$(if $(FUZZ),--fuzz $(FUZZ)) --out benchmarks/runs --date $(DATE)

bench-memory:
	cargo build --release -p sqfa-cli
	$(PYTHON) benchmarks/memory.py target/release/sqfa $(TARGET)/memory --out benchmarks/runs --date $(DATE)

# Sphinx and its extensions, only where the site is built.
$(VENV)/.docs: $(VENV)/.ready
	$(VENV)/bin/pip install --quiet --disable-pip-version-check "sphinx>=8" "sphinx-gallery>=0.19" "numpydoc>=1.9" \
		"myst-parser>=4" "pydata-sphinx-theme>=0.16" "latex2mathml>=3.77"
	touch $@

# Needs no network once the packages are there; ends with the first page.
docs: wheel-installed $(VENV)/.docs
	$(VENV)/bin/python docs/build.py $(TARGET)/site --command $(TARGET)/debug/sqfa

docs-serve: docs
	$(VENV)/bin/python -m http.server --bind 127.0.0.1 --directory $(TARGET)/site $(PORT)

docs-test: docs $(VENV)/.browser
	SQFA_SITE=$(abspath $(TARGET))/site $(VENV)/bin/pytest -q python/tests/test_site.py

# Rust's own word for what glibc 2.28 (RHEL 8, Debian 10) and later run; zig links against it on any machine.
ARCH ?= $(shell uname -m)
LINUX := $(ARCH)-unknown-linux-gnu
GLIBC := 2.28
DIST := $(TARGET)/dist
PACKAGES := sqfa sqfa-io sqfa-lab sqfa-alloc sqfa-cli

$(VENV)/.packaging: $(VENV)/.ready
	$(VENV)/bin/pip install --quiet --disable-pip-version-check "ziglang>=0.13" "cargo-zigbuild>=0.20"
	touch $@

# One wheel for CPython 3.11 and later with the command inside, and sources that build it elsewhere.
wheel: $(VENV)/.packaging
	rm -f $(DIST)/sqfa_rs-*
	PATH="$(abspath $(VENV))/bin:$$PATH" CARGO_TARGET_DIR=$(TARGET) $(VENV)/bin/maturin build --release --zig \
		--compatibility manylinux_$(subst .,_,$(GLIBC)) --target $(LINUX) --out $(DIST)
	$(VENV)/bin/python packaging/glibc.py $(GLIBC) $(DIST)/sqfa_rs-*.whl
	$(VENV)/bin/maturin sdist --out $(DIST)

# What a registry of crates would get, in target/package.
packages:
	cargo package --no-verify --allow-dirty $(addprefix -p ,$(PACKAGES))

# A release: wheel, sources, the binary with manual pages and completions, licenses of dependencies, checksums. Built with the features of the
# whole workspace, the binary links what the wheel has compiled.
dist: wheel packages
	PATH="$(abspath $(VENV))/bin:$$PATH" $(VENV)/bin/cargo-zigbuild zigbuild --release --workspace --bin sqfa \
		--target $(LINUX).$(GLIBC) --target-dir $(TARGET)
	strip -o $(TARGET)/$(LINUX)/sqfa $(TARGET)/$(LINUX)/release/sqfa
	$(VENV)/bin/python packaging/glibc.py $(GLIBC) $(TARGET)/$(LINUX)/sqfa
	$(VENV)/bin/python packaging/dist.py $(DIST) --command $(TARGET)/$(LINUX)/sqfa --name $(ARCH)-linux

clean:
	cargo clean
	rm -rf $(VENV)
