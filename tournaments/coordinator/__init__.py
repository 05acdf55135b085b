"""The coordinator: announces and starts events, pairs rounds, rates games, fills the queues, reaps expired leases.

`steps` has its work, `agenda` knows when each step is due, and `loop` sleeps until then or until a wake-up.

Any number can run at a time. A coordinator keeps nothing in memory that another could not read from the database, and
every change is one conditional UPDATE, which succeeds in only one of several coordinators. You can stop it at any
moment, and start it on any machine.
"""
