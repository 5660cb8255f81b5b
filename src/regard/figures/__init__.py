"""Pictures of attention: arrays with labels, drawn for the terminal and for paper."""
