"""What the engines share: sums of one part of the data, their merge, and counts of right answers."""
