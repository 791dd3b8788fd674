"""Large corpora → counted pretokens: streamed from files, added up from parts, kept in a file.

Its files: counts parts counts_file safe_places guesses reading table_streams unreadable processes streaming;
storage row_groups pieces cluster cluster_waiting on_cluster
"""
