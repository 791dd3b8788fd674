"""The commands of `python -m tokenizer_core`.

Its files: options compare convert engine encode_there corpus count train encode id_files
"""
