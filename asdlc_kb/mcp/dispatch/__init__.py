"""Method calls, independent of era: providers, dispatcher, cached results."""
