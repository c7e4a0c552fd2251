"""From files to stored articles."""
