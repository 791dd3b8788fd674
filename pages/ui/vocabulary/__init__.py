"""The Vocabulary page: everything a tokenizer knows, and the story of each token.

Its files: keys lanes texts payload browse picked slides made_of made_of_chart biography tree trace
written_tokens gpt2_files cost cost_chart
"""
