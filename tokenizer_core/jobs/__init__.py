"""Work in separate processes: trainings and pattern checks, their handles and their recipes.

Its files: process task compiling worker job training recipe fingerprint pattern_check export_proof parquet_reader
counted counts_reader corpus_counting
guarded sentencepiece_job sentencepiece_log sentencepiece_settings library library_clock entry
entry_checks kept
"""
