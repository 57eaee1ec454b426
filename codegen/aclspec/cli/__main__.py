"""``python -m aclspec.cli`` is the command ``aclspec``."""

import sys

from aclspec.cli.main import main

sys.exit(main())
