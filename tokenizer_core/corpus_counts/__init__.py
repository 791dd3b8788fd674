"""Large corpora → counted pretokens: streamed from files, added up from parts, kept in a file."""
