"""Everything Streamlit that the pages share."""
