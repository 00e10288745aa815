"""The HTTP door. Sole user of Tornado, beside the composition root."""
