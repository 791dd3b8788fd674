"""The commands of `python -m tokenizer_core`.

Its files: compare convert corpus count train encode id_files
"""
