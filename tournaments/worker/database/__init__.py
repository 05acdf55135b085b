"""A worker's use of the database: at most two connections, regardless of the number of its processes.

Its main process keeps one, over which it claims and finishes matches for the others (`match_server`). All other work
takes turns at the second one (`place`), which is open only in the meantime (docs/decisions/0043).
"""
