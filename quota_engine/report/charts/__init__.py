"""Pictures as Altair charts: one specification each, written as SVG, PNG or self-contained HTML without a browser."""
