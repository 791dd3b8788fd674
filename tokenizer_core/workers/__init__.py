"""Work in child processes, so that nobody else waits, and hostile files harm nothing.

`child` starts them and talks with them; a `training_job` starts a `training_worker`, which learns.
"""
