//! Every item by name: a new one is a file of its own and a line here.

use sqfa::names::Unknown;

use super::claims::Claims;
use super::figures::{
    bayes, bayes_2d, equal_covariance, filters, geometry, growth, scatter, sensitivity, toys,
    two_variances, videos,
};
use super::tables::{accuracy, fisher_rao, scaling, training_time, variability};
use super::{Item, PaperError};

/// All of them: tables, figures, claims.
pub static ITEMS: [&dyn Item; 27] = [
    &accuracy::QDA_SVHN,
    &accuracy::QDA_MNIST,
    &accuracy::QDA_SPEED,
    &accuracy::QDA_NEURAL,
    &accuracy::KNN_SVHN,
    &accuracy::KNN_MNIST,
    &accuracy::KNN_SPEED,
    &accuracy::KNN_NEURAL,
    &variability::Variability,
    &training_time::TrainingTime,
    &fisher_rao::FisherRaoMeans,
    &scaling::DIMENSION,
    &scaling::FILTERS,
    &geometry::Geometry,
    &growth::Growth,
    &toys::SIX_DIMENSIONS,
    &toys::FOUR_DIMENSIONS,
    &videos::Videos,
    &filters::SpeedFilters,
    &scatter::Scatter,
    &bayes::OneDimension,
    &bayes_2d::TwoDimensions,
    &equal_covariance::EqualCovariance,
    &toys::FourClasses,
    &two_variances::TwoVariances,
    &sensitivity::Sensitivity,
    &Claims,
];

/// The items of a name: one, or everything for `all`. The error suggests the nearest name and lists all.
pub fn named(name: &str) -> Result<Vec<&'static dyn Item>, PaperError> {
    if name == "all" {
        return Ok(ITEMS.to_vec());
    }
    let names = ITEMS.iter().map(|item| item.about().name).chain(["all"]);
    let known = ITEMS.into_iter().find(|item| item.about().name == name);
    Ok(vec![known.ok_or_else(|| Unknown::new("name", name, names))?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::tests::Nobody;
    use crate::{Context, ItemKind, Made, Options};
    use sqfa_lab::figure::Place;

    #[test]
    fn names_are_unique_and_wrong_ones_meet_the_nearest() {
        for item in ITEMS {
            let known = ITEMS.iter().filter(|other| other.about().name == item.about().name);
            assert_eq!(known.count(), 1);
            assert_eq!(named(item.about().name).unwrap()[0].about(), item.about());
        }
        assert_eq!(named("all").unwrap().len(), ITEMS.len());
        let error = named("qda-mnst").err().unwrap().to_string();
        assert!(error.contains("did you mean 'qda-mnist'?") && error.contains("growth"), "{error}");
    }

    #[test]
    fn items_need_data_sets_that_can_be_opened_and_options_may_leave_none() {
        let none = Options { sets: Some(Vec::new()), ..Options::default() };
        for item in ITEMS {
            let needs = item.needs(&Options::default());
            assert_eq!(needs.emptied_by, None);
            assert!(
                needs.sets.iter().all(|set| ["svhn", "mnist", "speed", "neural"].contains(set))
            );
            let emptied = item.needs(&none).emptied_by;
            assert_eq!(emptied, (!needs.sets.is_empty()).then_some("--sets"));
        }
    }

    #[test]
    fn every_figure_without_data_renders_and_is_written() {
        let (options, folder) = (Options::default(), tempfile::tempdir().unwrap());
        let context = Context::open(&[], &options, folder.path(), &Nobody).unwrap();
        for item in ITEMS {
            let about = item.about();
            // The 2-D Bayes error draws many points and is made from fewer in its own test.
            let own = about.kind == ItemKind::Figure && item.needs(&options).sets.is_empty();
            if !own || about.name == "bayes-2d" {
                continue;
            }
            let done = context.make(item).unwrap();
            let Made::Figure(figure) = &done.made else { panic!("{}", about.name) };
            crate::figures::tests::renders(&figure.svg(Place::File), about.name);
            assert!(done.files.iter().all(|path| path.exists()) && !done.files.is_empty());
        }
    }
}
