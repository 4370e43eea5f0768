//! Filters that maximise information-geometric distances between classes.

mod classify;
mod constraint;
mod distance;
mod features;
mod fisher_rao;
mod labels;
mod linalg;
mod model;
mod names;
mod neighbors;
mod objective;
mod optimize;
mod points;
mod reduce;
mod split;
mod statistics;
mod transform;

pub use classify::{ClassifierError, Knn, LdaClassifier, Qda};
pub use constraint::{CONSTRAINTS, Constraint};
pub use distance::{
    Claims, Dissimilarity, Distance, DistanceError, Entry, MeanPairDistance, PairError,
    PairGradient, Pairs, Parameter, mean_distance, pairwise, pairwise_between, registry,
};
pub use features::{Gaussian, GaussianError, Gaussians, Separation, project, separation};
pub use fisher_rao::{
    Certainty, FisherRao, FisherRaoError, FisherRaoGradient, FisherRaoOptions, GaussianPoint,
    Geodesic, Side, Velocity, exponential, fisher_rao, fisher_rao_pairwise, logarithm,
};
pub use labels::{Classes, Label, LabelError, Labels};
pub use linalg::{Mat, MatMut, MatRef};
pub use model::{
    FitError, FittedSqfa, Learning, METHODS, Method, Noise, NoiseTrial, Restart, Restarts, Sqfa,
    Start,
};
pub use names::nearest;
pub use objective::EvaluationError;
pub use optimize::{
    Control, OPTIMIZERS, Optimizer, Preconditioning, Progress, Stopping, Termination,
};
pub use points::{Points, Scalar, Table};
pub use reduce::{
    Choice, EMBEDDINGS, Embedding, LOCAL_SCALES, Lda, Lfda, Lmnn, LmnnDescent, LocalScale, Pca,
    PcaSolver, PlainDescent, REFINED, ReduceError, Reducer, ReducerEntry, ReducerSettings,
    Reduction, Refinement, SampleError, SampleFit, Samples, Spca, Training, Trial, Wda,
    balanced_rows, lfda, reducer, reducer_entry, reducers,
};
pub use split::{Split, SplitError, stratified_split};
pub use statistics::{
    ClassAccumulator, ClassStatistics, Covariance, Csr, Dense, ESTIMATORS, Entries, Estimator,
    Factor, Form, GivenMatrices, LowRank, Moments, Precision, Preprocessor, SCALINGS, Scaling,
    Span, Spanning, SparseFactor, StatisticsError,
};
pub use transform::{Features, transform};
