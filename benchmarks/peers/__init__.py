"""The servers that ours is compared with, each in its fastest fair settings."""
