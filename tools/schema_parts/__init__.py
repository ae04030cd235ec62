"""The JSON Schemas of the formats, part by part; `python tools/schemas.py` writes them."""
