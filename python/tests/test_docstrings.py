"""Docstrings of estimators: whole in the source, true to the signature, alike where due."""

import inspect
import re
from collections import defaultdict

import pytest

import sqfa_rs
from sqfa_rs import estimators
from sqfa_rs._methods import METHODS
from sqfa_rs.estimators._settings import _text

ESTIMATORS = [
    thing
    for name in estimators.__all__
    if isinstance(thing := getattr(estimators, name), type) and hasattr(thing, "get_params")
]
# A lift is a transformer that learns no components.
REDUCERS = [cls for cls in ESTIMATORS if hasattr(cls, "transform") and cls is not estimators.Lift]


def section(cls, title):
    """The entries of one section as written: name → (type, text)."""
    lines = inspect.cleandoc(cls.__doc__).splitlines()
    if title not in lines:
        return {}
    entries, name = {}, None
    for line in lines[lines.index(title) + 2 :]:
        if line and not line.startswith(" ") and " : " not in line:
            break
        if line and not line.startswith(" "):
            name, kind = line.split(" : ", 1)
            entries[name] = (kind, "")
        elif line:
            entries[name] = (entries[name][0], (entries[name][1] + " " + line.strip()).strip())
    return entries


def test_every_method_has_a_class():
    # The others are SQFA with another distance.
    missing = set(METHODS) - {cls._method for cls in REDUCERS}
    assert all(name.startswith("sqfa-") for name in missing), missing
    assert sqfa_rs.QDA in ESTIMATORS and sqfa_rs.QDA not in REDUCERS


@pytest.mark.parametrize("cls", ESTIMATORS, ids=lambda cls: cls.__name__)
def test_written_out_in_the_source(cls):
    # What an editor shows without running anything is what help() shows.
    source = inspect.getsource(cls)
    assert source.index('"""') and inspect.cleandoc(source.split('"""')[1]) == inspect.cleandoc(
        cls.__doc__
    )
    assert not re.search(r"<\w+>", cls.__doc__)


@pytest.mark.parametrize("cls", ESTIMATORS, ids=lambda cls: cls.__name__)
def test_parameters_are_those_of_the_signature(cls):
    parameters = inspect.signature(cls).parameters
    documented = section(cls, "Parameters")
    assert list(documented) == list(parameters)
    for name, (kind, text) in documented.items():
        default = kind.rpartition("default=")[2]
        assert default and eval(default) == parameters[name].default, name
        assert text.endswith(".")


# Parameters that are not settings of a method.
GENERAL = {
    "n_components",
    "max_components",
    "scaling",
    "covariance_estimator",
    "priors",
    # Of LDA, for compatibility with scikit-learn.
    "solver",
    "fixed",
    "pair_weights",
    "refine",
    "cv",
    "warm_start",
    "n_jobs",
    "random_state",
    "verbose",
    "callback",
}


@pytest.mark.parametrize("cls", REDUCERS, ids=lambda cls: cls.__name__)
def test_settings_are_those_of_the_table(cls):
    settings = {setting.parameter: setting for setting in METHODS[cls._method]["settings"]}
    parameters = inspect.signature(cls).parameters
    documented = section(cls, "Parameters")
    # A parameter that the method does not use would be ignored.
    assert not set(documented) - set(settings) - GENERAL
    for name in set(documented) & set(settings):
        default, own = parameters[name].default, settings[name].default
        if default is not None:
            assert _text(name, default) == own or float(default) == float(own), name
        elif own not in (None, "0"):
            # None stands for the method's own number, which the text names.
            assert own in documented[name][1], name


@pytest.mark.parametrize("title", ["Parameters", "Attributes"])
def test_the_same_is_said_the_same_way(title):
    texts = defaultdict(lambda: defaultdict(list))
    for cls in REDUCERS:
        for name, entry in section(cls, title).items():
            texts[name, entry[0]][entry[1]].append(cls.__name__)
    # Methods differ in how many components they can give, and in what they optimize.
    own = {"n_components", "pca_dims", "n_neighbors_", "components_", "converged_", "n_iter_"}
    own |= {"termination_", "explained_variance_ratio_"}
    differing = {key: dict(text) for key, text in texts.items() if len(text) > 1 and key[0] not in own}
    assert not differing
    everywhere = {
        "Parameters": "refine n_jobs random_state",
        "Attributes": "classes_ mean_ feature_means_",
    }
    for cls in REDUCERS:
        assert set(everywhere[title].split()) <= set(section(cls, title))


@pytest.mark.parametrize("cls", ESTIMATORS, ids=lambda cls: cls.__name__)
def test_attributes_are_there_after_a_fit(cls, blobs):
    documented = section(cls, "Attributes")
    fitted = cls().fit(*blobs)
    # These are there only when they were asked for, or when the data had names.
    optional = {"feature_names_in_", "curve_", "refinement_"}
    for name in documented:
        assert hasattr(fitted, name) or name in optional, name


@pytest.mark.parametrize("name", ["SQFA", "SecondMomentSQFA", "HeavyTailedSQFA"])
def test_help_begins_with_an_example(name):
    lines = inspect.getdoc(getattr(sqfa_rs, name)).splitlines()
    assert any(f"{name}(n_components=2).fit(X, y)" in line for line in lines[:7])


def public_docstrings():
    modules = ["baselines", "covariance", "datasets", "distances", "geometry", "plots", "preprocessing"]
    for module in (sqfa_rs, *(getattr(sqfa_rs, name) for name in modules)):
        for name in module.__all__:
            if name == "__version__" or inspect.ismodule(getattr(module, name)):
                continue
            thing = getattr(module, name)
            yield f"{module.__name__}.{name}", inspect.getdoc(thing) or ""
            if isinstance(thing, type):
                for method, function in vars(thing).items():
                    if method[0] != "_" and callable(function):
                        yield f"{name}.{method}", inspect.getdoc(getattr(thing, method)) or ""


@pytest.mark.parametrize(("name", "text"), public_docstrings(), ids=lambda value: value[:40])
def test_no_word_is_taken_for_markup(name, text):
    # Code and examples are literal; the names of entries are set by the tools that know the format.
    text = re.sub(r"^ *>>>.*?(?:\n\s*\n|\Z)", "", text, flags=re.M | re.S)
    text = re.sub(r"``.*?``|`[^`]+`", "", text, flags=re.S)
    text = re.sub(r"^[\w*, ]+ : ", "", text, flags=re.M)
    assert not re.findall(r"\b\w+_(?![\w`])", text), "a word that ends with an underscore is a link"
    assert not re.findall(r"\|\w+\|", text), "bars around a word are a substitution"
