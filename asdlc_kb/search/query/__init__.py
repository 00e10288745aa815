"""Full-text queries: operators, plan, spelling, ranking, snippets."""
