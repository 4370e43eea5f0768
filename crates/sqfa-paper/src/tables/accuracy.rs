//! Accuracies of one data set by QDA or kNN: medians over seeds, means over the sessions and splits of recordings.

use super::{mean, median};
use crate::fits::{Cells, Fits};
use crate::printed::method;
use crate::{
    About, Context, Item, ItemKind, Made, Needs, Options, OursAndPrinted, PaperError, Printed,
    Table,
};
use sqfa_lab::compare::Evaluated;
use sqfa_lab::evaluation::Classifier;

/// The table of a classifier on a data set.
pub(crate) struct Accuracy {
    about: About,
    classifier: Classifier,
    set: &'static str,
    printed: &'static str,
}

/// All methods with ten seeds; WDA takes most of it.
const LONG: &str = "half an hour";

pub(crate) static QDA_SVHN: Accuracy = Accuracy {
    about: about("qda-svhn", "Table 1", "SVHN, QDA accuracy", LONG),
    classifier: Classifier::Qda,
    set: "svhn",
    printed: include_str!("../printed/qda_svhn.csv"),
};
pub(crate) static QDA_MNIST: Accuracy = Accuracy {
    about: about("qda-mnist", "Table 2", "MNIST, QDA accuracy", LONG),
    classifier: Classifier::Qda,
    set: "mnist",
    printed: include_str!("../printed/qda_mnist.csv"),
};
pub(crate) static QDA_SPEED: Accuracy = Accuracy {
    about: about("qda-speed", "Table 3", "speed, QDA accuracy", LONG),
    classifier: Classifier::Qda,
    set: "speed",
    printed: include_str!("../printed/qda_speed.csv"),
};
pub(crate) static KNN_SVHN: Accuracy = Accuracy {
    about: about("knn-svhn", "Table 10", "SVHN, kNN accuracy", "as qda-svhn"),
    classifier: Classifier::Knn,
    set: "svhn",
    printed: include_str!("../printed/knn_svhn.csv"),
};
pub(crate) static KNN_MNIST: Accuracy = Accuracy {
    about: about("knn-mnist", "Table 11", "MNIST, kNN accuracy", "as qda-mnist"),
    classifier: Classifier::Knn,
    set: "mnist",
    printed: include_str!("../printed/knn_mnist.csv"),
};
pub(crate) static KNN_SPEED: Accuracy = Accuracy {
    about: about("knn-speed", "Table 12", "speed, kNN accuracy", "as qda-speed"),
    classifier: Classifier::Knn,
    set: "speed",
    printed: include_str!("../printed/knn_speed.csv"),
};

pub(crate) static QDA_NEURAL: Accuracy = Accuracy {
    about: about("qda-neural", "Table 4", "neural recordings, QDA accuracy", "minutes"),
    classifier: Classifier::Qda,
    set: "neural",
    printed: include_str!("../printed/qda_neural.csv"),
};
pub(crate) static KNN_NEURAL: Accuracy = Accuracy {
    about: about("knn-neural", "Table 13", "neural recordings, kNN accuracy", "minutes"),
    classifier: Classifier::Knn,
    set: "neural",
    printed: include_str!("../printed/knn_neural.csv"),
};

const fn about(
    name: &'static str,
    paper: &'static str,
    title: &'static str,
    takes: &'static str,
) -> About {
    About { name, kind: ItemKind::Table, paper, title, takes }
}

impl Item for Accuracy {
    fn about(&self) -> About {
        self.about
    }

    fn needs(&self, options: &Options) -> Needs {
        options.of_sets(&[self.set])
    }

    fn make(&self, context: &Context<'_>) -> Result<Made, PaperError> {
        let mut cells = Cells::shared(self.set, context.options)?;
        let printed = Printed::parse(self.printed)?;
        cells.filters.retain(|filters| printed.rows.iter().any(|row| row.0 == *filters));
        let fits = context.fits(self.about.name, cells)?;
        Ok(Made::Table(self.table(&fits)?))
    }
}

impl Accuracy {
    fn table(&self, fits: &Fits) -> Result<Table, PaperError> {
        let printed = Printed::parse(self.printed)?;
        let (title, recorded) = (fits.protocol.title, fits.protocol.splits.is_some());
        let share = |scored: &&Evaluated| scored.accuracy(self.classifier.name());
        let row = |m: usize| {
            let pair = |column: &String| OursAndPrinted {
                ours: method(column).and_then(|method| {
                    let all = fits.of(method, m);
                    let shares: Vec<f64> =
                        all.iter().filter_map(share).map(|share| 100.0 * share).collect();
                    if recorded { mean(&shares) } else { median(shares) }
                }),
                printed: printed.get(m, title, column),
            };
            (format!("m = {m}"), printed.columns.iter().map(pair).collect())
        };
        let seeds = fits.seeds();
        let mut notes = vec![match recorded {
            true => {
                "means over sessions and splits; WDA and LMNN on the first split of every session"
                    .to_owned()
            }
            false => format!(
                "medians over {seeds} seed{} of the methods that use one, the paper's over 10",
                if seeds == 1 { "" } else { "s" }
            ),
        }];
        if fits.title != title {
            notes.push(
                "Simulated: no recording is in the data folder, and levels are those of a simulation that was tuned to the paper's."
                    .into(),
            );
        }
        if self.set == "speed" {
            notes.push(
                "The paper's videos are not public: ours are a stand-in, so levels differ.".into(),
            );
        }
        let classifier = match self.classifier {
            Classifier::Qda => "QDA",
            Classifier::QdaT => "QDA-t",
            Classifier::Knn => "kNN",
        };
        Ok(Table {
            name: self.about.name.into(),
            title: format!("{}, {classifier} accuracy (%)", fits.title),
            notes,
            rows: fits
                .filters()
                .into_iter()
                .filter(|m| printed.rows.iter().any(|row| row.0 == *m))
                .map(row)
                .collect(),
            columns: printed.columns.clone(),
            digits: 1,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_printed_table_parses_and_every_column_is_a_method() {
        for table in [
            &QDA_SVHN,
            &QDA_MNIST,
            &QDA_SPEED,
            &QDA_NEURAL,
            &KNN_SVHN,
            &KNN_MNIST,
            &KNN_SPEED,
            &KNN_NEURAL,
        ] {
            let name = table.about.name;
            assert_eq!(name, format!("{}-{}", table.classifier.name(), table.set));
            let printed = Printed::parse(table.printed).unwrap();
            assert_eq!(printed.rows.len() + 1, table.printed.lines().count(), "{name}");
            assert!(printed.columns.iter().all(|column| method(column).is_some()), "{name}");
        }
        // Read off the paper.
        let mnist = Printed::parse(QDA_MNIST.printed).unwrap();
        assert_eq!(mnist.get(8, "MNIST", "SQFA-H"), Some(93.2));
        assert_eq!(Printed::parse(QDA_SVHN.printed).unwrap().get(16, "SVHN", "LDA"), None);
    }
}
