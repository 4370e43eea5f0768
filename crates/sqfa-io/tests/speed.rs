//! The moving textures are reproducible, centered, normalized, and their parts share nothing.
#![allow(clippy::unwrap_used)] // a test that unwraps fails, as it should

use sqfa::{Points, Table};
use sqfa_io::data::Part;
use sqfa_io::datasets::speed::{GrayImage, Speed, read_images};
use sqfa_io::formats::{Limits, NpzWriter};

fn small() -> Speed {
    Speed {
        tenths: vec![-60, -3, 0, 3, 60],
        train_per_class: 300,
        test_per_class: 20,
        textures: (6, 2),
        ..Speed::default()
    }
}

fn table(part: &Part) -> Table<'_, f32> {
    match part.points.view() {
        Points::F32(table) => table,
        other => panic!("{other:?}"),
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let with_threads = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| small().generate().unwrap())
    };
    let one = with_threads(1);
    assert_eq!(one, with_threads(3));
    assert_ne!(one, Speed { seed: 2, ..small() }.generate().unwrap());
    assert_eq!(one.image_shape, Some((15, 30)));
    assert_eq!(one.train.labels.counts(), [300; 5]);
}

#[test]
fn videos_are_centered_and_below_unit_norm_and_classes_nearly_zero_mean() {
    let data = small().generate().unwrap();
    let videos = table(&data.train);
    let mut power = 0.0;
    for row in 0..videos.rows() {
        let video = videos.row(row).unwrap();
        let sum: f64 = video.iter().map(|&value| f64::from(value)).sum();
        let energy: f64 = video.iter().map(|&value| f64::from(value).powi(2)).sum();
        assert!(sum.abs() < 1e-4 && energy < 1.0, "video {row}: {sum} {energy}");
        power += energy / videos.rows() as f64;
    }
    for class in 0..5 {
        let mut mean = vec![0.0; videos.columns()];
        for row in class * 300..(class + 1) * 300 {
            for (sum, &value) in mean.iter_mut().zip(videos.row(row).unwrap()) {
                *sum += f64::from(value) / 300.0;
            }
        }
        let share = mean.iter().map(|value| value * value).sum::<f64>() / power;
        // 300 videos of a few effective dimensions: chance alone gives about 1/300.
        assert!(share < 0.05, "class {class}: {share}");
    }
}

#[test]
fn a_texture_at_rest_stands_still_and_a_moving_one_moves() {
    let data = Speed { noise: 0.0, ..small() }.generate().unwrap();
    let videos = table(&data.train);
    let change = |row: usize| {
        let video = videos.row(row).unwrap();
        (0..30).map(|pixel| f64::from(video[pixel] - video[14 * 30 + pixel]).abs()).sum::<f64>()
    };
    assert!((600..900).all(|row| change(row) < 1e-5));
    assert!(change(0) > 1e-4);
}

#[test]
fn videos_have_the_contrast_that_is_asked_for_and_blank_patches_are_passed_over() {
    // The left half of the image is blank, the right half has stripes; a blank patch would give a video of nothing.
    let (height, width) = (160, 800);
    let value =
        |at: usize| if at % width < 350 { 1.0 } else { 1.0 + 0.3 * ((at % 7) as f32 - 3.0) };
    let image = GrayImage { height, width, values: (0..height * width).map(value).collect() };
    let recipe = Speed { noise: 0.0, blur: 0.0, window_in_space: false, ..small() };
    let energies = |recipe: &Speed| -> Vec<f64> {
        let data = recipe.generate_from(std::slice::from_ref(&image)).unwrap();
        let videos = table(&data.train);
        // Those at rest: frames are alike, so a frame's contrast is the video's.
        (600..900)
            .map(|row| {
                let share: f64 =
                    videos.row(row).unwrap().iter().map(|&v| f64::from(v).powi(2)).sum();
                0.8 * share / (1.0 - share)
            })
            .collect()
    };
    let seen = energies(&Speed { contrast: 0.2, ..recipe.clone() });
    assert!(seen.iter().all(|energy| *energy > 0.0));
    // Energies are 450 squared contrasts, less what halving the pixels averages out: twice the contrast has four times the energy.
    let doubled = energies(&Speed { contrast: 0.4, ..recipe.clone() });
    let ratio = doubled.iter().sum::<f64>() / seen.iter().sum::<f64>();
    assert!((3.5..4.6).contains(&ratio), "{ratio}");
    let blank = energies(&Speed { minimum_contrast: 0.0, ..recipe });
    assert!(blank.iter().filter(|energy| **energy < 1e-9).count() > 30);
}

#[test]
fn given_images_are_read_and_those_too_small_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("images.npz");
    let pixels: Vec<u8> = (0..160u32 * 300).map(|i| (i * i % 251) as u8).collect();
    let mut writer = NpzWriter::create(&path, true).unwrap();
    writer.add("one", &[160, 300], &pixels).unwrap();
    writer.add("two", &[2, 160, 150], &pixels).unwrap();
    writer.finish().unwrap();
    let images = read_images(&path, Limits::default()).unwrap();
    assert_eq!(images.len(), 3);
    let data = small().generate_from(&images[..1]).unwrap();
    assert_eq!(data.test.unwrap().points.rows(), 100);
    let error = small().generate_from(&images).unwrap_err().to_string();
    assert!(error.contains("image 1") && error.contains("150 × 256"), "{error}");
    assert!(small().generate_from(&Vec::<GrayImage>::new()).is_err());
}

#[test]
fn impossible_settings_are_refused() {
    for speed in [
        Speed { tenths: vec![], ..small() },
        Speed { tenths: vec![3, 0], ..small() },
        Speed { tenths: vec![0, 90], ..small() },
        Speed { train_per_class: 0, ..small() },
        Speed { noise: f64::NAN, ..small() },
        Speed { textures: (0, 1), ..small() },
    ] {
        assert!(speed.generate().is_err(), "{speed:?}");
    }
}
