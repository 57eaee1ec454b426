"""The tests of clients are not collected with the others: each runs in a virtual environment of its own, by run.py."""

collect_ignore_glob = ["*"]
