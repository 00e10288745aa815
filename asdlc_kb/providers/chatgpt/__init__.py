"""The tools `search` and `fetch` in the form that ChatGPT expects."""
