"""The words of the domain as frozen values, the facts of the service, and the shapes it speaks on the wire.

Pure: imports nothing but the standard library, reads no file, knows no clock. Every other package builds on this one,
so a fact of AWS Batch (a limit, a default, a pattern, a text) is stated here once and nowhere else.
"""
