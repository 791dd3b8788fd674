"""Other tokenizers, through the libraries that know their files.

Its files: naive sentencepiece_file sentencepiece_model, opening probes json_files spans hugging_face
hugging_face_bpe, rank_file gpt2_files byte_level byte_letters file_tokenizer, exports exportable
export_minbpe export_tiktoken export_hugging_face export_gpt2 export_tables traps pattern_dialects reloading
"""
