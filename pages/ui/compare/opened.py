"""Open a tokenizer from the visitor's `.model` file."""

import hashlib

import streamlit as st

from pages.ui.compare import keys
from pages.ui.limits import MAX_UPLOAD_MB
from pages.ui.shell import visitor
from pages.ui.words import as_plain_markdown, error_sentence, t
from tokenizer_core.errors import TokenizerError
from tokenizer_core.tokenizer import Tokenizer


def open_model_file() -> None:
    """Draw an uploader for a `.model` file; say what was opened, or what is wrong with the file."""
    upload = st.file_uploader(t("compare.open_label", limit=MAX_UPLOAD_MB), key="model_file")
    if upload is not None and keys.READ_FILE.get() != upload.file_id:
        name = upload.name.removesuffix(".model")[:80]
        keys.READ_FILE.put(upload.file_id)
        keys.FILE_ERROR.forget()
        try:
            content = upload.getvalue()
            visitor.open_tokenizer(
                Tokenizer.from_model(content, name=name), f"file:{hashlib.sha256(content).hexdigest()}"
            )
        except TokenizerError as error:
            keys.FILE_ERROR.put((name, error.bare()))
        else:
            st.rerun()
    if upload is not None and (failure := keys.FILE_ERROR.get()):
        failed_name, why = failure
        st.error(f"{as_plain_markdown(failed_name)} – {error_sentence(why)}")
    opened = visitor.opened()
    if opened is not None:
        size = opened.tokenizer.vocab_size
        st.success(t("compare.opened", name=as_plain_markdown(opened.tokenizer.name), size=size))
        st.button(t("compare.close"), on_click=visitor.close_opened, icon=":material/close:")
