"""Input: bytes and files of many kinds → text, lines and parallel lines.

Its files: encodings files archives tables csv_table csv_cells json_lines parquet excerpts labels parallel
alignment mixing scripts lookalikes hostile wikipedia
"""
