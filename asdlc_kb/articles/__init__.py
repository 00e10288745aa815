"""What is known of articles; visibility is decided in `status` and nowhere else.

Above: providers and the command line, which ask a `Library`. Below: files and search.
"""
