"""The page of other tokenizers: SentencePiece, characters and words.

Its files: keys chips lessons show settings training compared naive naive_chart
"""
