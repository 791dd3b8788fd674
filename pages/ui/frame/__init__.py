"""The shell around every page: navigation, links, manual, headers, and what the app knows about the visitor."""
