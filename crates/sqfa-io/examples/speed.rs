//! Writes the speed data set to an npz archive: `cargo run --release --example speed -- out.npz [images.npz]`.

use std::path::Path;
use std::time::Instant;

use sqfa::Points;
use sqfa_io::data::Part;
use sqfa_io::datasets::speed::{Speed, read_images};
use sqfa_io::formats::{Limits, NpzWriter};

#[allow(clippy::print_stdout)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(target) = arguments.first() else {
        return Err("usage: speed out.npz [images.npz]".into());
    };
    let started = Instant::now();
    let speed = Speed::default();
    let data = match arguments.get(1) {
        Some(images) => speed.generate_from(&read_images(Path::new(images), Limits::default())?)?,
        None => speed.generate()?,
    };
    println!("generated in {:.2} s", started.elapsed().as_secs_f64());
    let mut writer = NpzWriter::create(Path::new(target), false)?;
    add(&mut writer, "train", &data.train)?;
    if let Some(test) = &data.test {
        add(&mut writer, "test", test)?;
    }
    writer.finish()?;
    Ok(())
}

fn add(writer: &mut NpzWriter, name: &str, part: &Part) -> Result<(), Box<dyn std::error::Error>> {
    let Points::F32(table) = part.points.view() else {
        return Err("videos are in single precision".into());
    };
    let values: Vec<f32> =
        (0..table.rows()).filter_map(|row| table.row(row)).flatten().copied().collect();
    writer.add(&format!("X_{name}"), &[table.rows(), table.columns()], &values)?;
    let classes: Vec<i64> = match part.labels.classes() {
        sqfa::Classes::Integers(classes) => classes.clone(),
        sqfa::Classes::Texts(_) => return Err("speeds are whole tenths".into()),
    };
    let labels: Vec<i64> = part.labels.codes().iter().map(|&code| classes[code as usize]).collect();
    writer.add(&format!("y_{name}"), &[labels.len()], &labels)?;
    Ok(())
}
