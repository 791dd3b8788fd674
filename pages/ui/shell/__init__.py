"""The shell around every page: frame, headers, navigation, links, and what the app knows about the visitor."""
