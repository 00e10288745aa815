"""The visible pages at one moment: of one tree, of several, a choice of them."""
