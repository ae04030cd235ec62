"""`python -m quota_engine` is `quota-engine`."""

from .cli.main import main

main()
