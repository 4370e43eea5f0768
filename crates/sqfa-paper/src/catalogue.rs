//! Every name that `sqfa paper` knows, and what it needs.

use sqfa::names::Unknown;

use super::PaperError;

/// What an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Numbers beside the printed ones.
    Table,
    /// A picture.
    Figure,
    /// Statements that are tested.
    Claims,
}

/// What an item is made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Formulas alone.
    Nothing,
    /// Data sets and fits of its own, or none.
    Data(&'static [&'static str]),
    /// The fits that all tables of these data sets share.
    Fits(&'static [&'static str]),
}

/// A table or figure by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub kind: Kind,
    /// Which item of the paper it makes again.
    pub paper: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// What it is made from.
    pub needs: Needs,
    /// About how long it takes on two cores.
    pub takes: &'static str,
}

const fn item(
    name: &'static str,
    kind: Kind,
    paper: &'static str,
    title: &'static str,
    needs: Needs,
    takes: &'static str,
) -> Item {
    Item { name, kind, paper, title, needs, takes }
}

use Kind::{Claims, Figure, Table};
use Needs::{Data, Fits, Nothing};

const SVHN: Needs = Fits(&["svhn"]);
const MNIST: Needs = Fits(&["mnist"]);
const SPEED: Needs = Fits(&["speed"]);
const ALL: Needs = Fits(&["svhn", "mnist", "speed"]);
const DIGITS: Needs = Data(&["svhn", "mnist"]);
const VIDEOS: Needs = Data(&["speed"]);

/// All methods with ten seeds; WDA takes most of it.
const LONG: &str = "half an hour";

/// All of them: tables, figures, claims.
pub const ITEMS: [Item; 25] = [
    item("qda-svhn", Table, "Table 1", "SVHN, QDA accuracy", SVHN, LONG),
    item("qda-mnist", Table, "Table 2", "MNIST, QDA accuracy", MNIST, LONG),
    item("qda-speed", Table, "Table 3", "speed, QDA accuracy", SPEED, "half an hour"),
    item("knn-svhn", Table, "Table 10", "SVHN, kNN accuracy", SVHN, "as qda-svhn"),
    item("knn-mnist", Table, "Table 11", "MNIST, kNN accuracy", MNIST, "as qda-mnist"),
    item("knn-speed", Table, "Table 12", "speed, kNN accuracy", SPEED, "as qda-speed"),
    item("variability", Table, "Table 6", "width of accuracies over starts", ALL, "minutes"),
    item("training-time", Table, "Table 9", "training time at m = 8", ALL, LONG),
    item("fr-distance", Table, "Table 5", "mean exact Fisher–Rao distance", ALL, "minutes"),
    item(
        "scaling-dimension",
        Table,
        "Table 7",
        "accuracy and seconds up to n = 20 000",
        Nothing,
        "seconds",
    ),
    item(
        "scaling-filters",
        Table,
        "Table 8",
        "accuracy and seconds up to m = 500",
        Nothing,
        "a minute; m = 500 ten more",
    ),
    item(
        "geometry",
        Figure,
        "Figure 1",
        "classes as points of a curved space",
        Nothing,
        "a second",
    ),
    item("growth", Figure, "Figure 2", "growth of three distances", Nothing, "a second"),
    item("toy-6d", Figure, "Figure 3A", "SQFA, LDA and PCA in six dimensions", Nothing, "a second"),
    item("toy-4d", Figure, "Figure 3B", "SQFA and smSQFA in four dimensions", Nothing, "a second"),
    item("videos", Figure, "Figure 4A", "example videos", VIDEOS, "seconds"),
    item(
        "speed-filters",
        Figure,
        "Figure 4C",
        "filters of every method for speed",
        VIDEOS,
        "minutes",
    ),
    item("co-vs-fr", Figure, "Figure 5", "Calvo–Oller against exact Fisher–Rao", ALL, "a minute"),
    item(
        "bayes-1d",
        Figure,
        "Figure 6",
        "Bayes error of two Gaussians in 1-D",
        Nothing,
        "a second",
    ),
    item("bayes-2d", Figure, "Figure 7", "Bayes error of two Gaussians in 2-D", Nothing, "seconds"),
    item("calvo-oller", Figure, "Figure 8", "Calvo–Oller at equal covariance", Nothing, "a second"),
    item("toy-lda", Figure, "Figure 9", "SQFA and LDA on four classes", Nothing, "a second"),
    item(
        "distances-2d",
        Figure,
        "Figure 10",
        "three distances over two variances",
        Nothing,
        "a second",
    ),
    item("sensitivity", Figure, "Figure 11", "accuracy over the feature noise", DIGITS, "minutes"),
    item("claims", Claims, "text", "what the paper says, tested", VIDEOS, "minutes"),
];

impl Item {
    /// The items of a name: one, or everything for `all`. The error suggests the nearest name and lists all.
    pub fn named(name: &str) -> Result<Vec<Self>, PaperError> {
        if name == "all" {
            return Ok(ITEMS.to_vec());
        }
        let names = ITEMS.iter().map(|item| item.name).chain(["all"]);
        let known = ITEMS.into_iter().find(|item| item.name == name);
        Ok(vec![known.ok_or_else(|| Unknown::new("name", name, names))?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_wrong_ones_meet_the_nearest() {
        for item in ITEMS {
            assert_eq!(Item::named(item.name).unwrap(), [item]);
        }
        assert_eq!(Item::named("all").unwrap().len(), ITEMS.len());
        let error = Item::named("qda-mnst").unwrap_err().to_string();
        assert!(error.contains("did you mean 'qda-mnist'?") && error.contains("growth"), "{error}");
    }
}
