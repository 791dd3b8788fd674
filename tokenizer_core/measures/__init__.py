"""What tokens do to texts: ratios, cuts, histories, each with its unit."""
