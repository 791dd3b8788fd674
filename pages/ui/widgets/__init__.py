"""Parts of pages that know nothing about tokenizers: charts, tables, buttons, caches."""
