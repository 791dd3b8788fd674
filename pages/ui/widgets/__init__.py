"""Parts of pages that know nothing about tokenizers: charts, tables, controls, printing, numbers, a cache."""
