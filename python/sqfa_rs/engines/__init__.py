"""What the engines share: class statistics of parts of the data, their merge, and confusion counts."""
