"""Starts Deskside from a checkout."""

import sys

from app.application import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
