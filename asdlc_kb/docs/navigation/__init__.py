"""Order of pages: sidebar, topbar, menus of generators, positions."""
