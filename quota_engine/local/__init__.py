"""This project's Pulumi program on the emulator: the real engine, found or built, with a provider of our own.

Importing this package imports neither pulumi nor grpc; the functions that need them do.
"""
