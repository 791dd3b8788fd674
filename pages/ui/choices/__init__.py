"""Pickers that pages share: texts, corpora, patterns, tokenizers.

Its files: text samples encodings pattern tokenizers run_names opened_files keys, corpus corpus_names corpus_picker
corpus_upload mix wikipedia first_training, parallel_texts parallel_upload, upload uploads reading_bar
upload_report counts_upload kept_files special
"""
