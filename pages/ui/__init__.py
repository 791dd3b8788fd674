"""The parts that the pages are made of.

To add

- a split pattern: SPLIT_PATTERNS in patterns.py, its names in words/*/choices.toml, its branches in
  branch_words.py;
- a story: a function and its line in STORIES of stories/tales.py, its words in words/*/stories.toml;
- a source of text: a function in choices/, its line in SOURCES of corpus_picker.py;
- a page: a script in pages/, its name in shell/navigation.py, a folder in ui/, files in words/;
- a language: a folder in words/ with the same keys, its line in LANGUAGES.
"""
