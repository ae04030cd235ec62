"""What each finding of `config` means, block by block; `findings` makes one table of them."""
