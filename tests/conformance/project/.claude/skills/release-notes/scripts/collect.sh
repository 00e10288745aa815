git log --merges --format=%s
