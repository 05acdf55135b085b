"""A bridge to an engine that cannot be uploaded: it translates between our protocol and the engine's dialect of GTP.

`mapping` reads the file that describes the dialect, and `table` its values; `cells` has the names of cells and turns.
`engine` talks to the engine's process, and `translator` is the bot that joins them. `outside` starts it next to a
sandbox, and `online` plays on a site. `command` is `squarefield bridge`.
"""
