"""The shell around every page: frame, headers, navigation, links, and what is known of the visitor."""
