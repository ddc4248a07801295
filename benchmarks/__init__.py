"""Speed against the programs people would otherwise use, as ratios within one run. See docs/benchmarks.md."""
