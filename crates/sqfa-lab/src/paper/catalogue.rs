//! Every name that `sqfa paper` knows, and what it needs.

use sqfa::nearest;

use super::PaperError;

/// A table or a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Numbers beside the printed ones.
    Table,
    /// A picture.
    Figure,
}

/// What an item is made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Formulas alone.
    Nothing,
    /// Fits to one of the paper's data sets.
    Fits(&'static str),
    /// Fits to all of them.
    AllFits,
}

/// A table or figure by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item {
    /// Its name.
    pub name: &'static str,
    /// Table or figure.
    pub kind: Kind,
    /// What it shows.
    pub title: &'static str,
    /// What it is made from.
    pub needs: Needs,
}

const fn item(name: &'static str, kind: Kind, title: &'static str, needs: Needs) -> Item {
    Item { name, kind, title, needs }
}

/// All of them, tables first.
pub const ITEMS: [Item; 17] = [
    item("qda-svhn", Kind::Table, "SVHN, QDA accuracy (%)", Needs::Fits("svhn")),
    item("qda-mnist", Kind::Table, "MNIST, QDA accuracy (%)", Needs::Fits("mnist")),
    item("qda-speed", Kind::Table, "Speed, QDA accuracy (%)", Needs::Fits("speed")),
    item("knn-svhn", Kind::Table, "SVHN, kNN accuracy (%)", Needs::Fits("svhn")),
    item("knn-mnist", Kind::Table, "MNIST, kNN accuracy (%)", Needs::Fits("mnist")),
    item("knn-speed", Kind::Table, "Speed, kNN accuracy (%)", Needs::Fits("speed")),
    item("variability", Kind::Table, "Width of QDA accuracies over starts (%)", Needs::AllFits),
    item("training-time", Kind::Table, "Training time at m = 8 (s)", Needs::AllFits),
    item("fr-distance", Kind::Table, "Mean exact Fisher–Rao distance of classes", Needs::AllFits),
    item("growth", Kind::Figure, "Growth of three distances", Needs::Nothing),
    item("bayes-1d", Kind::Figure, "Bayes error of two Gaussians in 1-D", Needs::Nothing),
    item("distances-2d", Kind::Figure, "Three distances over two variances", Needs::Nothing),
    item("calvo-oller", Kind::Figure, "Calvo–Oller at equal covariance", Needs::Nothing),
    item("toy-6d", Kind::Figure, "SQFA, LDA and PCA in six dimensions", Needs::Nothing),
    item("toy-4d", Kind::Figure, "SQFA and smSQFA in four dimensions", Needs::Nothing),
    item("toy-lda", Kind::Figure, "SQFA and LDA on four classes", Needs::Nothing),
    item("co-vs-fr", Kind::Figure, "Calvo–Oller against exact Fisher–Rao", Needs::AllFits),
];

impl Item {
    /// The items of a name: one, or everything for `all`. The error suggests the nearest name and lists all.
    pub fn named(name: &str) -> Result<Vec<Self>, PaperError> {
        if name == "all" {
            return Ok(ITEMS.to_vec());
        }
        ITEMS.into_iter().find(|item| item.name == name).map(|item| vec![item]).ok_or_else(|| {
            let near = nearest(name, ITEMS.iter().map(|item| item.name));
            PaperError::Unknown {
                name: name.to_owned(),
                near: near.map(|near| format!(" (did you mean '{near}'?)")).unwrap_or_default(),
                choices: ITEMS.map(|item| item.name).join(", ") + ", all",
            }
        })
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
