"""Learn: lessons that are done by hand; stories are its other half."""

import streamlit as st

from pages.ui.frame.manual import how_to_read
from pages.ui.frame.navigation import halves, page
from pages.ui.i18n import errors_shown, t
from pages.ui.learn.for_a_class import for_a_class
from pages.ui.learn.lessons import LESSONS, show_lessons

halves()
with errors_shown():
    if (wish := show_lessons()) is not None:
        st.switch_page(page(wish.page), query_params=wish.query)
st.caption(t("learn.says", lessons=len(LESSONS), minutes=sum(lesson.minutes for lesson in LESSONS.values())))
for_a_class()
how_to_read("learn")
