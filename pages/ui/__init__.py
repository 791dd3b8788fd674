"""The parts that the pages are made of."""
