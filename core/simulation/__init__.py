"""A help-desk day that never was: a script of what happens, and the data folder that it leaves behind."""
