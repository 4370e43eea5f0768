//! One function opens every kind of file and says what it holds.
#![allow(clippy::unwrap_used)] // a test that unwraps fails, as it should

use std::path::{Path, PathBuf};

use sqfa::{Classes, Points};
use sqfa_io::data::{
    DataError, GivenMoments, GivenStatistics, LabeledData, LoadOptions, Loaded, load,
};
use sqfa_io::formats::{Column, NpzWriter, Stack, write_idx_u8, write_npy};

fn data(path: &Path, options: &LoadOptions) -> LabeledData {
    match load(path, options).unwrap() {
        Loaded::Data(data) => data,
        other => panic!("{other:?}"),
    }
}

fn statistics(path: &Path) -> GivenStatistics {
    match load(path, &LoadOptions::default()).unwrap() {
        Loaded::Statistics(statistics) => statistics,
        other => panic!("{other:?}"),
    }
}

fn npz(folder: &Path, fill: impl FnOnce(&mut NpzWriter)) -> PathBuf {
    let path = folder.join("set.npz");
    let mut writer = NpzWriter::create(&path, true).unwrap();
    fill(&mut writer);
    writer.finish().unwrap();
    path
}

#[test]
fn an_archive_of_images_keeps_bytes_shape_and_classes() {
    let folder = tempfile::tempdir().unwrap();
    let path = npz(folder.path(), |writer| {
        writer.add("X_train", &[3, 2, 2], &(0..12).collect::<Vec<u8>>()).unwrap();
        writer.add("y_train", &[3], &vec![7i64, -1, 3]).unwrap();
        writer.add("X_test", &[1, 2, 2], &vec![9u8; 4]).unwrap();
        writer.add("y_test", &[1], &vec![3i64]).unwrap();
    });
    let data = data(&path, &LoadOptions::default());
    assert_eq!((data.name.as_str(), data.image_shape), ("set", Some((2, 2))));
    assert!(matches!(data.train.points.view(), Points::U8(table) if table.get(2, 3) == 11));
    assert_eq!(data.train.labels.classes(), &Classes::Integers(vec![-1, 3, 7]));
    assert_eq!(data.test.unwrap().labels.codes(), &[1]);
    let mut options = LoadOptions { image_shape: Some((1, 4)), ..LoadOptions::default() };
    let Loaded::Data(data) = load(&path, &options).unwrap() else { panic!("expected data") };
    assert_eq!(data.image_shape, Some((1, 4)));
    options.image_shape = Some((3, 3));
    assert!(load(&path, &options).unwrap_err().to_string().contains("product is 4"));
}

#[test]
fn a_test_label_unknown_in_training_is_an_error_that_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = npz(folder.path(), |writer| {
        writer.add("X_train", &[2, 1], &vec![1.0f64, 2.0]).unwrap();
        writer.add("y_train", &[2], &vec![0i64, 1]).unwrap();
        writer.add("X_test", &[1, 1], &vec![1.0f64]).unwrap();
        writer.add("y_test", &[1], &vec![5i64]).unwrap();
    });
    let error = load(&path, &LoadOptions::default()).unwrap_err();
    assert!(matches!(error, DataError::TestLabels { .. }));
    assert!(error.to_string().contains("'5'"), "{error}");
}

#[test]
fn statistics_follow_the_order_of_their_classes() {
    let folder = tempfile::tempdir().unwrap();
    let path = npz(folder.path(), |writer| {
        writer.add("means", &[2, 2], &vec![1.0f32, 2.0, 3.0, 4.0]).unwrap();
        writer.add("covariances", &[2, 2, 2], &vec![1.0f32, 0., 0., 1., 2., 0., 0., 2.]).unwrap();
        writer.add("counts", &[2], &vec![10i64, 20]).unwrap();
        writer.add("classes", &[2], &vec!["dog".to_owned(), "cat".to_owned()]).unwrap();
    });
    let given = statistics(&path);
    assert_eq!(given.classes, Classes::Texts(vec!["cat".into(), "dog".into()]));
    assert_eq!((given.dimensions, given.counts), (2, Some(vec![20, 10])));
    let GivenMoments::Central { means, covariances: Stack::F32(parts) } = given.moments else {
        panic!("expected means and single-precision covariances");
    };
    assert_eq!(means, [3.0, 4.0, 1.0, 2.0]);
    assert_eq!(parts, [vec![2.0, 0., 0., 2.], vec![1.0, 0., 0., 1.]]);
}

#[test]
fn second_moments_may_come_alone_and_wrong_shapes_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = npz(folder.path(), |writer| {
        writer.add("second_moments", &[2, 1, 1], &vec![1.0f64, 2.0]).unwrap();
    });
    let given = statistics(&path);
    assert_eq!(given.classes, Classes::numbered(2));
    assert_eq!(given.moments, GivenMoments::Second(Stack::F64(vec![vec![1.0], vec![2.0]])));
    for shape in [&[2usize, 1, 2][..], &[4, 1], &[4]] {
        let path = npz(folder.path(), |writer| {
            writer.add("second_moments", shape, &vec![1.0f64; 4]).unwrap();
        });
        assert!(load(&path, &LoadOptions::default()).is_err(), "{shape:?}");
    }
    let twice = npz(folder.path(), |writer| {
        writer.add("second_moments", &[2, 1, 1], &vec![1.0f64, 2.0]).unwrap();
        writer.add("classes", &[2], &vec![4i64, 4]).unwrap();
    });
    assert!(load(&twice, &LoadOptions::default()).is_err());
}

#[test]
fn npy_files_need_labels_beside_them() {
    let folder = tempfile::tempdir().unwrap();
    let (x, y) = (folder.path().join("x.npy"), folder.path().join("y.npy"));
    write_npy(&x, &[2, 2], &vec![1i64, 2, 3, 4]).unwrap();
    write_npy(&y, &[2], &vec![1.0f64, 0.0]).unwrap();
    let error = load(&x, &LoadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("labels"), "{error}");
    let options = LoadOptions {
        labels: Some(y.clone()),
        test: vec![x.clone()],
        test_labels: Some(y.clone()),
        ..LoadOptions::default()
    };
    let data = data(&x, &options);
    assert_eq!(data.train, data.test.unwrap());
    write_npy(&y, &[2], &vec![1.5f64, 0.0]).unwrap();
    assert!(matches!(load(&x, &options), Err(DataError::Labels { .. })));
    write_npy(&y, &[3], &vec![1.0f64, 0.0, 1.0]).unwrap();
    assert!(matches!(load(&x, &options), Err(DataError::Lengths { points: 2, labels: 3, .. })));
}

#[test]
fn tables_find_their_label_column() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    std::fs::write(&path, "a,label,b\n1,x,2\n3,y,4\n").unwrap();
    let options = LoadOptions { single_precision: true, ..LoadOptions::default() };
    let loaded = data(&path, &options);
    assert!(matches!(loaded.train.points.view(), Points::F32(table) if table.get(1, 1) == 4.0));
    std::fs::write(&path, "1,x,2\n3,y,4\n").unwrap();
    assert!(load(&path, &LoadOptions::default()).is_err());
    let options = LoadOptions { label: Some(Column::Index(1)), ..LoadOptions::default() };
    assert_eq!(data(&path, &options).train.points.rows(), 2);
}

#[test]
fn a_folder_of_idx_files_is_mnist() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    assert!(load(folder.path(), &LoadOptions::default()).is_err());
    write_idx_u8(&at("train-images-idx3-ubyte"), &[2, 2, 3], &[5; 12]).unwrap();
    write_idx_u8(&at("train-labels.idx1-ubyte"), &[2], &[4, 9]).unwrap();
    assert!(data(folder.path(), &LoadOptions::default()).test.is_none());
    write_idx_u8(&at("t10k-images.idx3-ubyte"), &[1, 2, 3], &[5; 6]).unwrap();
    write_idx_u8(&at("t10k-labels-idx1-ubyte"), &[1], &[9]).unwrap();
    let loaded = data(folder.path(), &LoadOptions::default());
    assert_eq!(loaded.image_shape, Some((2, 3)));
    assert_eq!(loaded.test.unwrap().labels.codes(), &[1]);
}
