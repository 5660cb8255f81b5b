"""Pictures of attention: for now those that a terminal can show."""
