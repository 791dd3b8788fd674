"""Parts of pages that know nothing of tokenizers: charts, tables, buttons, caches."""
