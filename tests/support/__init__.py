"""What the tests share: knowledge bases, peers, the canary scan."""
