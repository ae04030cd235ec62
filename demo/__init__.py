"""The main job as a story: `make demo` runs it, README.md shows it."""
