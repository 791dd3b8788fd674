"""Where tokenizers come from: the Hub, what is installed or cached, and files, all by their names."""
