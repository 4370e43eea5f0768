"""Threads, forks and Ctrl-C."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from patience import PATIENCE
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from sqfa_rs import QDA, SQFA


def fit_in_child(X, y, queue):
    queue.put(SQFA(2, random_state=0).fit(X, y).components_)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_fork_after_first_use_does_not_hang(digits):
    X, y = digits
    here = SQFA(2, random_state=0).fit(X, y).components_
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=fit_in_child, args=(X, y, queue))
    child.start()
    there = queue.get(timeout=PATIENCE)
    child.join(timeout=PATIENCE)
    assert child.exitcode == 0
    np.testing.assert_array_equal(here, there)


@pytest.mark.parametrize("backend", ["threading", "loky", "multiprocessing"])
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_cross_validation_in_parallel(digits, backend):
    import joblib

    X, y = digits
    pipeline = make_pipeline(SQFA(3, random_state=0), QDA())
    alone = cross_val_score(pipeline, X, y, cv=3)
    with joblib.parallel_config(backend=backend):
        together = cross_val_score(pipeline, X, y, cv=3, n_jobs=2)
    np.testing.assert_array_equal(alone, together)


def test_other_python_threads_go_on(digits):
    X, y = digits
    ticks, done = [], threading.Event()

    def tick():
        while not done.wait(0.001):
            ticks.append(None)

    thread = threading.Thread(target=tick)
    thread.start()
    during = 0
    # A busy machine may not wake the other thread in a short fit; with the interpreter held no
    # number of fits would do.
    for _ in range(100):
        before = len(ticks)
        SQFA(6, random_state=0, n_init=8, tol=1e-9).fit(X, y)
        # One tick may fall between the count and the moment in which the interpreter is let go.
        during += max(0, len(ticks) - before - 1)
        if during > 3:
            break
    done.set()
    thread.join()
    assert during > 3


# Fits that would take days; the signal comes while they run.
INTERRUPTED = """
import os, signal, sys, threading
import numpy as np
from sqfa_rs import SQFA

stage = sys.argv[1]
rng = np.random.default_rng(0)
if stage == "climbing":
    X, y = rng.normal(size=(3000, 300)), rng.integers(0, 30, 3000)
else:
    X, y = rng.normal(size=(60_000, 1500)).astype(np.float32), rng.integers(0, 4, 60_000)
sqfa = SQFA(10, n_init=20, tol=0.0, max_iter=10**9)
try:
    # However late it comes on a busy machine, somebody is there to catch it.
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    sqfa.fit(X, y)
except KeyboardInterrupt:
    print("interrupted", hasattr(sqfa, "components_"))
"""


@pytest.mark.parametrize("stage", ["climbing", "collecting"])
def test_ctrl_c_ends_a_fit_between_two_iterations(stage):
    result = subprocess.run([sys.executable, "-c", INTERRUPTED, stage], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == ["interrupted", "False"]


def test_thread_counts(monkeypatch):
    from sqfa_rs._threads import thread_count

    available = os.process_cpu_count() if hasattr(os, "process_cpu_count") else os.cpu_count()
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.delenv("RAYON_NUM_THREADS", raising=False)
    assert 1 <= thread_count(None) <= available
    assert thread_count(1) == 1
    assert thread_count(-1) == thread_count(None) == thread_count(10_000)
    assert thread_count(-10_000) == 1
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert thread_count(None) == 1


def test_a_signal_handler_that_returns_does_not_disturb(digits):
    X, y = digits
    seen = []
    before = signal.signal(signal.SIGALRM, lambda *_: seen.append(1))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        SQFA(6, random_state=0, n_init=8).fit(X, y)
    finally:
        # A fit that was faster than the timer must not leave it running without a handler.
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
