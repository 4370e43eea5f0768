//! Wrong flags end with 2, wrong data with 1, each with a message that names the remedy; nothing panics.

use crate::common::{Folder, table};

#[test]
fn wrong_usage_ends_with_2_and_names_the_nearest() {
    let folder = Folder::new();
    folder.write("data.csv", table(20));
    for (line, message) in [
        ("fit data.csv -m 2 --out m.sqfa --method sqfa-k", "did you mean 'sqfa-"),
        ("fit data.csv -m 2 --out m.sqfa --distance hellingr", "did you mean 'hellinger'?"),
        ("fit data.csv -m 2 --out m.sqfa --distance chernoff:2", "strictly between 0 and 1"),
        ("fit data.csv -m 2 --out m.sqfa --constraint sphre", "did you mean 'sphere'?"),
        ("fit data.csv -m 2 --out m.sqfa --scaling comon", "did you mean 'common'?"),
        ("fit data.csv -m 2 --out m.sqfa --covariance-estimator oass", "did you mean 'oas'?"),
        ("fit data.csv -m 2 --out m.sqfa --noise scal", "did you mean 'scale'?"),
        ("fit data.csv -m 2 --out m.sqfa --noise -1", "--noise"),
        ("fit data.csv -m 2 --out m.sqfa --noise nan", "finite number"),
        ("fit data.csv -m 0 --out m.sqfa", "at least 1"),
        ("fit data.csv -m 2 --out m.sqfa --n-init 0", "from 1 to 10000"),
        ("fit data.csv -m 2 --out m.sqfa --sequential=-1", "0 for all at once"),
        ("fit data.csv -m 2 --out m.sqfa --threads 0", "at least 1"),
        ("fit data.csv -m 2 --out m.sqfa --tol -1", "--tol"),
        ("fit data.csv -m 2 --out m.sqfa --init randm", "did you mean 'random'?"),
        ("fit data.csv -m 2 --out m.sqfa --precision f16", "f32"),
        ("fit data.csv -m 3 --out m.sqfa --pca-dims 2", "--pca-dims 2"),
        ("fit data.csv -m 2 --out m.sqfa --method sqfa-h --distance jeffreys", "--method sqfa"),
        ("fit data.csv --label species -m 2 --out m.sqfa --classes ant,bea", "did you mean 'bee'?"),
        ("fit data.csv --label species -m 2 --out m.sqfa --classes ant", "at least 2"),
        ("fit data.csv --labels y.npy -m 2 --out m.sqfa", "--labels goes with"),
        ("fit toy-6d.npz --label x -m 2 --out m.sqfa", "there is no file"),
        ("fit -m 2 --out m.sqfa", "DATA"),
        ("fit data.csv -m 0 --out m.sqfa", "--filters"),
        ("dataset toy-6 --out a.npz", "did you mean 'toy-6d'?"),
        ("dataset toy-6d --out a.csv", ".npz"),
        ("dataset toy-6d --images a.npz --out a.npz", "does not go with"),
        ("dataset scaling --train 5 --out a.npz", "does not go with"),
        ("transform m.sqfa data.csv --out z.txt", ".npy, .npz or .csv"),
        ("predict m.sqfa data.csv --out y.txt", ".csv or .npy"),
        ("evaluate m.sqfa", "DATA"),
        ("fitt", "fit"),
        ("fit data.csv -m 2 --out m.sqfa --metod sqfa", "--method"),
    ] {
        let said = folder.run(line);
        let expected = if message.contains("there is no file") { 1 } else { 2 };
        said.fails(expected, message);
    }
    assert_eq!(folder.names(), ["data.csv"], "nothing was written");
}

#[test]
fn bad_data_ends_with_1_and_a_remedy() {
    let folder = Folder::new();
    folder.write("data.csv", table(20));
    folder.write("nan.csv", "a,b,label\n1,nan,x\n2,3,y\n");
    folder.write("ragged.csv", "a,b,label\n1,2,x\n2,y\n");
    folder.write("one.csv", "a,b,label\n1,2,x\n2,3,x\n3,1,x\n");
    folder.write("single.csv", "a,b,label\n1,2,x\n2,3,x\n3,1,y\n");
    folder.write("empty.csv", "");
    folder.write("few.csv", "a,b,label\n1,2,x\n2,3,x\n3,1,y\n4,1,y\n");
    folder.write("broken.npz", "PK not really a zip");
    folder.write("broken.npy", "\u{93}NUMPY");
    folder.write("y.npy", "no array");
    folder.write("thing.bin", "?");
    for (line, message) in [
        ("fit toy-6 -m 2 --out m.sqfa", "did you mean 'toy-6d'?"),
        ("fit nothing.csv -m 2 --out m.sqfa", "there is no file 'nothing.csv'"),
        ("fit data.csv -m 2 --out m.sqfa", "--label"),
        ("fit data.csv --label color -m 2 --out m.sqfa", "it has: width, height, depth, species"),
        ("fit data.csv --label species -m 9 --out m.sqfa", "--filters 9"),
        ("fit data.csv --label species -m 2 --pca-dims 7 --out m.sqfa", "--pca-dims 7"),
        ("fit nan.csv -m 1 --out m.sqfa", "--missing drop"),
        ("fit ragged.csv -m 1 --out m.sqfa", "line 3"),
        ("fit one.csv -m 1 --out m.sqfa", "at least 2"),
        ("fit single.csv -m 1 --out m.sqfa", "class 'y' has 1 sample"),
        ("fit empty.csv -m 1 --out m.sqfa", "empty"),
        (
            "fit few.csv -m 1 --noise 0 --out m.sqfa",
            "leave it out, or use --covariance-estimator oas",
        ),
        ("fit broken.npz -m 1 --out m.sqfa", "broken.npz"),
        ("fit broken.npy --labels y.npy -m 1 --out m.sqfa", "y.npy"),
        ("fit thing.bin -m 1 --out m.sqfa", "unknown kind of file"),
        ("fit . -m 1 --out m.sqfa", "train-images-idx3-ubyte"),
        ("fit data.csv --label species -m 2 --init gone.npy --out m.sqfa", "gone.npy"),
        (
            "inspect data.csv",
            "data.csv is not a readable model file: it contains text, such as a table",
        ),
        ("inspect nothing.sqfa", "cannot open nothing.sqfa"),
        ("evaluate data.csv data.csv", "not a readable model file"),
        ("dataset speed --images broken.npz --out v.npz", "broken.npz"),
        ("dataset scaling --informative 5 --out v.npz", "informative"),
        ("distances scaling --distance fisher-rao", "fit filters first"),
    ] {
        folder.run(line).fails(1, message);
    }
    assert!(!folder.names().iter().any(|name| name.contains("sqfa") || name.contains(".part")));
}

#[test]
fn models_meet_the_wrong_data() {
    let folder = Folder::new();
    folder.write("data.csv", table(20));
    folder.write("narrow.csv", "a,label\n1,ant\n2,bee\n");
    folder.write("strange.csv", "width,height,depth,label\n1,2,3,ant\n1,2,3,dog\n");
    folder.ok("fit data.csv --label species -m 2 --out m.sqfa");
    folder
        .run("evaluate m.sqfa narrow.csv")
        .fails(1, "lacks the columns 'width', 'height', 'depth'");
    folder
        .run("predict m.sqfa narrow.csv")
        .fails(1, "lacks the columns 'width', 'height', 'depth'");
    folder.run("transform m.sqfa narrow.csv --out z.npy").fails(1, "'height'");
    folder.run("evaluate m.sqfa strange.csv").fails(1, "label 'dog'");
    folder.run("evaluate m.sqfa data.csv --label species --priors 1,2").fails(2, "--priors");
    folder.run("evaluate m.sqfa data.csv --label species --shrinkage 2").fails(2, "--shrinkage");
    folder.run("distances m.sqfa --pca-dims 2").fails(2, "go with data");
    folder.run("evaluate m.sqfa toy-6d").fails(1, "sqfa dataset toy-6d --train");
    let bytes = std::fs::read(folder.path("m.sqfa")).unwrap();
    folder.write("short.sqfa", &bytes[..bytes.len() - 3]);
    folder.run("inspect short.sqfa").fails(1, "not a readable model file");
}
