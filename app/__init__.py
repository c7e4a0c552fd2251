"""The front ends: window and command line. The only place with Qt."""
