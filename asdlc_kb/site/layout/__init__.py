"""Page layout: templates, navigation, assets."""
