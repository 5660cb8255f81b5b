"""Courses: the ladder from recurrence to attention, word vectors, and numbers on paper."""
