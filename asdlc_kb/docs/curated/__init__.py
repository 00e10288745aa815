"""An `llms.txt` that the authors of a tree wrote."""
