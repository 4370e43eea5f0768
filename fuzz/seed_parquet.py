"""Small parquet tables of several types and compressions as first inputs: seed_parquet.py FOLDER."""

import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

folder = Path(sys.argv[1])
columns = {
    "a": pa.array([1.5, -2.0, 3.25, 0.0, 7.0, 1.0]),
    "b": pa.array([1, 2, 3, 4, 5, 6], pa.int32()),
    "c": pa.array([1.0, None, 2.0, 3.0, None, 5.0], pa.float32()),
    "label": pa.array(["x", "y", "x", "y", "x", "y"]),
}
for compression in ("none", "snappy", "gzip", "zstd"):
    for version in ("1.0", "2.0"):
        path = folder / f"seed-{compression}-{version}"
        pq.write_table(
            pa.table(columns),
            path,
            compression=compression,
            data_page_version=version,
            row_group_size=4,
            use_dictionary=version == "1.0",
        )
