//! Example videos: four of one speed, four of different speeds as space–time pictures, and the latter's frames.

use sqfa::points::Scalar;
use sqfa::{Points, Table};

use super::look;
use crate::{About, Context, Item, ItemKind, Made, Needs, Options, PaperError};
use sqfa_io::data::LabeledData;
use sqfa_lab::figure::{Axis, Bitmap, Color, Dash, Figure, Line, Mark, Panel, Picture, Style};

/// Videos in a row.
const SHOWN: usize = 4;
/// Frames that the largest contrast reaches over in the drawing of frames.
const REACH: f64 = 1.6;

/// The figure.
pub(crate) struct Videos;

impl Item for Videos {
    fn about(&self) -> About {
        About {
            name: "videos",
            kind: ItemKind::Figure,
            paper: "Figure 4A",
            title: "example videos",
            takes: "seconds",
        }
    }

    fn needs(&self, options: &Options) -> Needs {
        options.of_sets(&["speed"])
    }

    fn make(&self, context: &Context<'_>) -> Result<Made, PaperError> {
        Ok(Made::Figure(videos(context.data("speed")?)?))
    }
}

/// One panel a video: rows of pictures of one speed, of different speeds, and of the latter's frames.
fn videos(data: &LabeledData) -> Result<Figure, PaperError> {
    let fail = |problem: &str| PaperError::numbers("videos", problem);
    let (height, width) = data.image_shape.ok_or_else(|| fail("the points have no image shape"))?;
    let classes = data.train.labels.classes().len();
    let one = vec![(4 * classes) / 5; SHOWN];
    let many: Vec<usize> =
        (0..SHOWN).map(|k| k * classes.saturating_sub(1) / (SHOWN - 1)).collect();
    let (mut pictures, mut frames) = (Vec::new(), Vec::new());
    for (row, speeds) in [one, many].into_iter().enumerate() {
        let mut taken = vec![0; classes];
        for class in speeds {
            let video = video(data, class, taken[class])
                .ok_or_else(|| fail("a speed has too few videos"))?;
            taken[class] += 1;
            let title = speed(data, class);
            let bitmap = Bitmap::signed(&video, height, width)
                .ok_or_else(|| fail("a video of another size"))?;
            let end = (width as f64 - 0.5, height as f64 - 0.5);
            pictures.push(panel(&title, (height, width), 0.0).with(Mark::Picture(Picture {
                bitmap,
                x: (-0.5, end.0),
                y: (-0.5, end.1),
            })));
            if row == 1 {
                frames.push(ridges(panel("", (height, width), REACH), &video, width));
            }
        }
    }
    pictures.extend(frames);
    let description = "Videos of one speed, of four speeds, and the frames of the latter";
    Ok(Figure::grid(description, SHOWN, 250.0, 190.0, pictures))
}

/// A panel over pixels and frames, with some frames of air above and below.
fn panel(title: &str, (height, width): (usize, usize), air: f64) -> Panel {
    let pixels = Axis::linear("pixel").spanning(-0.5, width as f64 - 0.5);
    let frames = Axis::linear("frame").spanning(-0.5 - air, height as f64 - 0.5 + air);
    let mut panel = Panel::new(title, pixels, frames);
    panel.downwards = true;
    panel
}

/// Frames below each other, contrast upwards.
fn ridges(mut panel: Panel, video: &[f64], width: usize) -> Panel {
    let largest = video.iter().fold(f64::MIN_POSITIVE, |largest, value| largest.max(value.abs()));
    let style = Style { color: Color::Ink, dash: Dash::Solid, ..look::method("sqfa") };
    for (frame, values) in video.chunks(width).enumerate() {
        let height = |value: &f64| frame as f64 - REACH * value / largest;
        let points =
            values.iter().enumerate().map(|(x, value)| (x as f64, height(value))).collect();
        let line = Line { width: 1.0, ..Line::new("", style, points).plain() };
        panel = panel.with(Mark::Line(line));
    }
    panel
}

/// A speed in words: labels are tenths of a degree per second.
fn speed(data: &LabeledData, class: usize) -> String {
    let label = data.train.labels.classes().label(class).to_string();
    match label.parse::<f64>() {
        Ok(tenths) => format!("{:+.1} deg/s", tenths / 10.0),
        Err(_) => label,
    }
}

/// The numbers of one training video of a class.
fn video(data: &LabeledData, class: usize, which: usize) -> Option<Vec<f64>> {
    let codes = data.train.labels.codes();
    let mut rows = (0..codes.len()).filter(|&row| codes[row] as usize == class);
    let row = rows.nth(which)?;
    fn numbers<S: Scalar>(table: &Table<'_, S>, row: usize) -> Vec<f64> {
        (0..table.columns()).map(|column| table.get(row, column).to_f64()).collect()
    }
    Some(match data.train.points.view() {
        Points::U8(table) => numbers(&table, row),
        Points::F32(table) => numbers(&table, row),
        Points::F64(table) => numbers(&table, row),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqfa_io::datasets::speed::Speed;
    use sqfa_lab::figure::Place;

    #[test]
    fn videos_are_pictures_with_their_speeds_and_frames() {
        let made = Speed {
            tenths: vec![-60, -20, 20, 60],
            train_per_class: 6,
            test_per_class: 0,
            ..Speed::default()
        };
        let data = made.generate().unwrap();
        let figure = videos(&data).unwrap();
        assert_eq!(figure.panels.len(), 3 * SHOWN);
        assert_eq!(figure.panels[SHOWN].title, "-6.0 deg/s");
        assert_eq!(figure.panels[2 * SHOWN - 1].title, "+6.0 deg/s");
        // Fifteen frames a video.
        assert_eq!(figure.panels[2 * SHOWN].marks.len(), 15);
        assert_eq!(figure.svg(Place::File).matches("<image").count(), 2 * SHOWN);
    }
}
