"""The native engine of `engine/`, called by ctypes; none of it needs torch."""
