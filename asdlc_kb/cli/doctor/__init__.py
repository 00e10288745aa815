"""The command `doctor`: checks of the installation and of local clients."""
