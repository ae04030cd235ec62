"""The commands: one thin module each. Reads arguments and files, calls the parts, prints; decides nothing itself.

Exit codes are the same for all: 0 all well, 1 the answer is "no" (findings, drift, an expectation that doesn't hold),
2 trouble (the tool could not do its work), 130 interrupted. `main.py` is the one place that turns trouble into them.
"""
