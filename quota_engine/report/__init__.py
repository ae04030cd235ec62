"""Values → text, one renderer a file; each has `render(…) -> str` and prints nothing.

A renderer computes no schedule, no judgement and no difference. Colour is the caller's: text renderers take a `style`
function. Names that users wrote are shown with control characters made visible (`visible.py`).
"""
